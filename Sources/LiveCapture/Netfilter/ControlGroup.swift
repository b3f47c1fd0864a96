#if os(Linux)
import Libc

/// A control group of version 2 (cgroups(7)) for a program and all that it starts, below the one that this process is in, with the same bounds.
package struct ControlGroup {
    /// Its folder.
    package let path: String
    /// The number of the folder, by which the kernel knows the group.
    let number: UInt64
    /// How deep it lies below the root that this process sees.
    let level: UInt32
    private let parent: String

    /// Makes it.
    ///
    /// - Throws: `.notPermitted`, or `.failed` where the system has no control groups of version 2.
    package init() throws(LiveCaptureError) {
        guard let mount = Self.mount else {
            throw LiveCaptureError(
                kind: .failed,
                description:
                    "no control groups of version 2 (cgroup2) are mounted here; mount them, such as with: mount -t cgroup2 none DIR. Without them, "
                    + "sudo unmask run --all shows the program through the proxy")
        }
        guard let own = Self.ownPath, own == mount.root || own.hasPrefix(mount.root == "/" ? "/" : mount.root + "/") else {
            throw LiveCaptureError(kind: .failed, description: "the control group of this process is not below \(mount.place)")
        }
        let below = (mount.root == "/" ? own[...] : own.dropFirst(mount.root.count)).split(separator: "/").map(String.init)
        let parent = ([mount.place] + below).joined(separator: "/")
        path = "\(parent)/unmask-run.\(getpid())"
        self.parent = parent
        level = UInt32(own.split(separator: "/").count + 1)
        var status = stat()
        guard mkdir(path, 0o755) == 0, stat(path, &status) == 0 else { throw Self.failure("cannot make the control group \(path)", errno) }
        number = UInt64(status.st_ino)
    }

    /// An error of a call, with what is needed.
    static func failure(_ what: String, _ code: Int32) -> LiveCaptureError {
        let isForbidden = [EPERM, EACCES, EROFS].contains(code)
        return LiveCaptureError(kind: isForbidden ? .notPermitted : .failed, description: "\(what): \(String(cString: strerror(code)))")
    }

    /// Has this process start a program in the group. It is itself in there meanwhile: so the program is, from its first moment.
    ///
    /// - Throws: what `body` throws, and `LiveCaptureError`.
    package func start<Value>(_ body: () throws -> Value) throws -> Value {
        guard Self.move("0", to: path) else { throw Self.failure("cannot enter the control group \(path)", errno) }
        defer { _ = Self.move("0", to: parent) }
        return try body()
    }

    /// Removes the group of a folder, and those that were made in it. What still runs in them goes on in the group above.
    ///
    /// - Returns: Whether it is gone.
    package static func remove(_ path: String) -> Bool {
        guard let slash = path.lastIndex(of: "/") else { return false }
        return remove(path, to: String(path[..<slash]), depth: 0)
    }

    /// Groups in groups that are gone into.
    private static let mostDepth = 32

    private static func remove(_ path: String, to parent: String, depth: Int) -> Bool {
        if depth < mostDepth { for inner in groups(in: path) where !remove(inner, to: parent, depth: depth + 1) { return false } }
        // What is in it may start something meanwhile.
        for _ in 0..<100 {
            for process in processes(of: path) { _ = move("\(process)", to: parent) }
            if rmdir(path) == 0 || errno == ENOENT { return true }
            guard errno == EBUSY else { return false }
            usleep(5_000)
        }
        return false
    }

    /// Whether there is a process in the group of a folder, or in a group in it.
    package static func isPopulated(_ path: String) -> Bool { (text(of: path + "/cgroup.events") ?? "").contains("populated 1") }

    /// Waits until there is none; the kernel wakes it (cgroups(7), `cgroup.events`).
    package static func waitUntilEmpty(_ path: String) {
        let file = open(path + "/cgroup.events", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        while isPopulated(path) {
            // Reading it makes the next change news. A second is for a kernel that reports no change.
            var bytes = [UInt8](repeating: 0, count: 128)
            _ = pread(file, &bytes, bytes.count, 0)
            guard isPopulated(path) else { return }
            var change = pollfd(fd: file, events: Int16(POLLPRI), revents: 0)
            _ = poll(&change, 1, 1_000)
        }
    }

    /// The processes in the group of a folder.
    package static func processes(of path: String) -> [Int32] {
        (text(of: path + "/cgroup.procs") ?? "").split(separator: "\n").compactMap { Int32($0) }
    }

    /// The folders of the groups in a group.
    private static func groups(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var groups: [String] = []
        while let entry = readdir(folder) {
            let name = String(decoding: entryName(entry), as: UTF8.self)
            // DT_DIR of readdir(3).
            if entry.pointee.d_type == 4, name != ".", name != ".." { groups.append(path + "/" + name) }
        }
        return groups
    }

    private static func move(_ process: String, to group: String) -> Bool {
        let file = open(group + "/cgroup.procs", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return write(file, process, process.utf8.count) == process.utf8.count
    }

    /// Where control groups of version 2 are mounted, and which of them is mounted there (proc_pid_mountinfo(5)).
    private static var mount: (place: String, root: String)? {
        for line in (text(of: "/proc/self/mountinfo") ?? "").split(separator: "\n") {
            let halves = line.split(separator: " - ", maxSplits: 1)
            let words = line.split(separator: " ")
            guard halves.count == 2, halves[1].hasPrefix("cgroup2 "), words.count > 4 else { continue }
            return (String(words[4]), String(words[3]))
        }
        return nil
    }

    /// The group of version 2 that this process is in.
    private static var ownPath: String? {
        (text(of: "/proc/self/cgroup") ?? "").split(separator: "\n").first { $0.hasPrefix("0::/") }.map { String($0.dropFirst(3)) }
    }

    private static func text(of path: String) -> String? {
        WholeFile.read(path).map { String(decoding: $0, as: UTF8.self) }
    }
}
#endif
