#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs a program to its end, with nothing on its standard input.
enum ProgramRun {
    struct Result: Hashable, Sendable {
        /// As a shell has it: what it ended with, 128 and the signal, or 127 where it could not be started.
        var status: Int32
        /// What it printed, both streams, on one line of at most 400 characters.
        var said: String
    }

    static func run(_ words: [String]) -> Result {
        var ends: [Int32] = [-1, -1]
        guard let program = words.first, pipe(&ends) == 0 else { return Result(status: 127, said: String(cString: strerror(errno))) }
        defer { close(ends[0]) }
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        posix_spawn_file_actions_addclose(&actions, ends[1])
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        let failure = posix_spawnp(&child, program, &actions, nil, &arguments, environ)
        close(ends[1])
        guard failure == 0 else { return Result(status: 127, said: String(cString: strerror(failure))) }
        let said = readAll(ends[0])
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7F
        return Result(status: signal == 0 ? status >> 8 & 0xFF : 128 + signal, said: said)
    }

    /// Everything until the end, so that no full pipe stops the program; only its beginning is kept.
    private static func readAll(_ descriptor: Int32) -> String {
        var kept: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            kept += buffer[..<count].prefix(max(0, 400 - kept.count))
        }
        return String(decoding: kept, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
