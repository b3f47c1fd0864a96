#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A second process that outlives a SIGKILL of this one and mends its files (`MendCommand`). It sleeps until then and costs nothing
/// while the proxy works.
struct KillGuard: ~Copyable {
    private let pipeEnd: Int32

    /// Starts it where there is something to mend: a log in a regular file, a recording.
    ///
    /// - Parameters:
    ///   - isLog: whether standard output gets whole lines.
    ///   - recording: the path of the recording.
    /// - Returns: nil where there is nothing to mend, or the system does not let us start it: the proxy works without.
    static func start(isLog: Bool, recording: String?) -> KillGuard? {
        let isLogFile = isLog && isRegularFile(STDOUT_FILENO)
        guard isLogFile || recording != nil, let program = ownPath else { return nil }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        // Ours must not live on in the other process, which waits for its end.
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
        let actions = UnsafeMutablePointer<posix_spawn_file_actions_t>.allocate(capacity: 1)
        let attributes = UnsafeMutablePointer<posix_spawnattr_t>.allocate(capacity: 1)
        posix_spawn_file_actions_init(actions)
        posix_spawnattr_init(attributes)
        posix_spawn_file_actions_adddup2(actions, ends[0], STDIN_FILENO)
        // Its own group: what is sent to the group of a terminal or a script is not for it.
        posix_spawnattr_setflags(attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var words = [program, "mend-when-killed"]
        if isLogFile { words.append("--lines") }
        if let recording { words += ["--blocks", recording] }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        var child = pid_t()
        let status = posix_spawn(&child, program, actions, attributes, arguments, environ)
        for argument in arguments { free(argument) }
        posix_spawn_file_actions_destroy(actions)
        posix_spawnattr_destroy(attributes)
        actions.deallocate()
        attributes.deallocate()
        close(ends[0])
        guard status == 0 else {
            close(ends[1])
            return nil
        }
        return KillGuard(pipeEnd: ends[1])
    }

    /// Everything is written: the other process may go.
    consuming func dismiss() {
        var word: UInt8 = 1
        _ = write(pipeEnd, &word, 1)
        close(pipeEnd)
    }

    /// Whether the descriptor is a file that can be cut: it can be sought in, and is no device.
    private static func isRegularFile(_ descriptor: Int32) -> Bool {
        guard lseek(descriptor, 0, SEEK_CUR) >= 0, let path = target(of: "/proc/self/fd/\(descriptor)") else { return false }
        return !path.hasPrefix("/dev/")
    }

    private static var ownPath: String? { target(of: "/proc/self/exe") }

    /// Where a symbolic link leads; nil where there is none, as on systems without proc(5).
    private static func target(of link: String) -> String? {
        var path = [CChar](repeating: 0, count: 4_096)
        let count = readlink(link, &path, path.count - 1)
        return count > 0 ? String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
