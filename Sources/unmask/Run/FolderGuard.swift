import Libc

/// A second process that outlives a SIGKILL of this one and removes the folder of a run (`ClearCommand`). It sleeps until then and costs nothing while
/// the run goes on.
///
/// It inherits the folder's descriptor and nothing else: no path, which may stand for another folder by then, and no socket, which would keep the
/// port taken.
struct FolderGuard: ~Copyable {
    private let pipeEnd: Int32
    private let process: pid_t

    /// Starts this program with the command that reads its standard input until its end: there comes a word first, or we were killed.
    ///
    /// - Returns: nil where the system does not let us: the run works without.
    static func start(for folder: Int32) -> FolderGuard? {
        guard let program = OwnProcess.program else { return nil }
        // Out of the way of the places that the other process has it and its standard input at.
        let copy = fcntl(folder, F_DUPFD_CLOEXEC, 64)
        guard copy >= 0 else { return nil }
        defer { close(copy) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        defer { close(ends[0]) }
        closeAtExec()
        var (actions, attributes) = blankSpawnSettings()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, copy, ClearCommand.folder)
        // Its own group: what is sent to the group of a terminal or a script is not for it.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(ClearCommand.name), nil]
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        guard posix_spawn(&child, program, &actions, &attributes, &arguments, environ) == 0 else {
            close(ends[1])
            return nil
        }
        return FolderGuard(pipeEnd: ends[1], process: child)
    }

    /// Tells it something.
    func say(_ word: [UInt8]) { _ = word.withUnsafeBytes { write(pipeEnd, $0.baseAddress, $0.count) } }

    /// Has the other process do what it does when we are killed, while we end.
    consuming func takeOver() { close(pipeEnd) }

    /// The folder is gone: the other process may go.
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
        guard let folder = opendir(OwnProcess.descriptorFolder) else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            guard let descriptor = Int32(String(decoding: entryName(entry), as: UTF8.self)), descriptor > STDERR_FILENO else { continue }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }
}
