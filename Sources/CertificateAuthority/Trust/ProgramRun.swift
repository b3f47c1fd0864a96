import Libc

/// Runs a program to its end, with nothing on its standard input.
package enum ProgramRun {
    package struct Result: Hashable, Sendable {
        /// As a shell has it: what it ended with, 128 and the signal, or 127 where it could not be started.
        package var status: Int32
        /// What it printed, both streams, on one line of at most 400 characters.
        package var said: String
    }

    /// Runs one.
    ///
    /// - Parameter seconds: it is ended by force after so long: certutil, for one, asks for a password for ever where nobody is to give one.
    package static func run(_ words: [String], seconds: Int = 120) -> Result {
        var ends: [Int32] = [-1, -1]
        guard let program = words.first, pipe(&ends) == 0 else { return Result(status: 127, said: String(cString: strerror(errno))) }
        defer { close(ends[0]) }
        var (child, failure) = (pid_t(), Int32(0))
        withSpawning(into: ends) { actions, attributes in
            var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
            defer { for argument in arguments { free(argument) } }
            failure = posix_spawnp(&child, program, actions, attributes, &arguments, environ)
        }
        close(ends[1])
        guard failure == 0 else { return Result(status: 127, said: String(cString: strerror(failure))) }
        let said = readAll(ends[0], within: .seconds(seconds))
        if said == nil { kill(child, SIGKILL) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7F
        return Result(status: signal == 0 ? status >> 8 & 0xFF : 128 + signal, said: said ?? "it did not end within \(seconds) s")
    }

    /// Output goes to the pipe, and signals are as a program expects them: we ignore SIGPIPE, and threads of ours may block others.
    private static func withSpawning(
        into ends: [Int32], _ body: (UnsafeMutablePointer<SpawnActions>, UnsafeMutablePointer<SpawnAttributes>) -> Void
    ) {
        var (actions, attributes) = blankSpawnSettings()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
        for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
        var (none, broken) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&broken)
        sigaddset(&broken, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &broken)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        body(&actions, &attributes)
    }

    /// Everything until the end, so that no full pipe stops the program; only its beginning is kept. nil where the end does not come in time.
    private static func readAll(_ descriptor: Int32, within limit: Duration) -> String? {
        let deadline = ContinuousClock.now + limit
        var kept: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let left = deadline - ContinuousClock.now
            guard left > .zero else { return nil }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, Int32(clamping: left.components.seconds * 1_000 + 1_000))
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            kept += buffer[..<count].prefix(max(0, 400 - kept.count))
        }
        return String(decoding: kept, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
