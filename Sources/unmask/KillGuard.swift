import Libc
import Reports

/// A second process that outlives a SIGKILL of this one and mends its files (`MendCommand`), or removes its folder (`ClearCommand`). It
/// sleeps until then and costs nothing while the proxy works.
///
/// It inherits the descriptors of the files that it may have to cut, and with them their locks, and nothing else: no path, which may
/// stand for another file by then, and no socket, which would keep the port taken.
struct KillGuard: ~Copyable {
    /// A file that it looks after.
    struct Charge {
        var form: WholeEnd.FileContent
        var descriptor: Int32
        /// Where what is ours begins: nothing before it is touched.
        var start: Int64 = 0
    }

    private let pipeEnd: Int32
    private let process: pid_t

    /// The first descriptor of a charge in the other process.
    static let firstDescriptor: Int32 = 3
    /// Descriptors from here on are out of the way of those.
    private static let farDescriptor: Int32 = 64

    /// Starts it where there is something to mend.
    ///
    /// - Returns: nil where there is nothing to mend, or the system does not let us start it: the proxy works without.
    static func start(_ charges: [Charge]) -> KillGuard? {
        guard !charges.isEmpty else { return nil }
        var words = ["mend-when-killed"]
        for (index, charge) in charges.enumerated() {
            words += ["--\(charge.form.rawValue)", "\(firstDescriptor + Int32(index)):\(charge.start)"]
        }
        return start(words, holding: charges.map(\.descriptor))
    }

    /// Starts this program with a command that reads its standard input until its end: there comes a word first, or we were killed.
    ///
    /// - Parameter descriptors: what it inherits, from `firstDescriptor` on.
    /// - Returns: nil where the system does not let us.
    static func start(_ command: [String], holding descriptors: [Int32]) -> KillGuard? {
        guard let program = ownPath else { return nil }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let actions = UnsafeMutablePointer<posix_spawn_file_actions_t>.allocate(capacity: 1)
        let attributes = UnsafeMutablePointer<posix_spawnattr_t>.allocate(capacity: 1)
        posix_spawn_file_actions_init(actions)
        posix_spawnattr_init(attributes)
        var far: [Int32] = []
        defer {
            posix_spawn_file_actions_destroy(actions)
            posix_spawnattr_destroy(attributes)
            actions.deallocate()
            attributes.deallocate()
            for descriptor in far + [ends[0]] { close(descriptor) }
        }
        // Copied to where no target is first, so that no target is overwritten before it is a source.
        for descriptor in [ends[0]] + descriptors {
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, farDescriptor)
            guard copy >= 0 else {
                close(ends[1])
                return nil
            }
            far.append(copy)
        }
        closeAtExec()
        posix_spawn_file_actions_adddup2(actions, far[0], STDIN_FILENO)
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        for index in descriptors.indices {
            posix_spawn_file_actions_adddup2(actions, far[index + 1], firstDescriptor + Int32(index))
        }
        // Its own group: what is sent to the group of a terminal or a script is not for it.
        posix_spawnattr_setflags(attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var arguments: [UnsafeMutablePointer<CChar>?] = ([program] + command).map { strdup($0) }
        arguments.append(nil)
        var child = pid_t()
        let status = posix_spawn(&child, program, actions, attributes, arguments, environ)
        for argument in arguments { free(argument) }
        guard status == 0 else {
            close(ends[1])
            return nil
        }
        return KillGuard(pipeEnd: ends[1], process: child)
    }

    /// Tells it something.
    func say(_ word: [UInt8]) { _ = word.withUnsafeBytes { write(pipeEnd, $0.baseAddress, $0.count) } }

    /// Everything is written: the other process may go.
    consuming func dismiss() {
        say([1])
        close(pipeEnd)
        // It goes at once; where the machine is busy it is not waited for for long.
        for _ in 0..<100 where waitpid(process, nil, WNOHANG) == 0 {
            var moment = timespec(tv_sec: 0, tv_nsec: 5_000_000)
            nanosleep(&moment, nil)
        }
    }

    /// Marks what is open to be closed in the program that is started: sockets and whatever a library or a parent has opened.
    static func closeAtExec() {
        guard let folder = opendir("/proc/self/fd") else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) { String(cString: $0) }
            }
            guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }

    private static var ownPath: String? {
        var path = [CChar](repeating: 0, count: 4_096)
        // There is none on systems without proc(5).
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        return count > 0 ? String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
