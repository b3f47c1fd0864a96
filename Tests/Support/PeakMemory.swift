internal import Foundation

extension UnmaskProcess {
    package struct NotRun: Error {}

    /// Runs the program with its output thrown away, and returns the most memory it had resident, in bytes.
    package static func peakMemory(_ arguments: [String]) throws -> Int {
        let words = ([executable.path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let null = open("/dev/null", O_RDWR)
        defer { close(null) }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 { posix_spawn_file_actions_adddup2(&actions, null, descriptor) }
        var process = pid_t()
        guard posix_spawn(&process, executable.path, &actions, nil, words, environ) == 0 else { throw NotRun() }
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(process, &status, 0, &usage) == process, status == 0 else { throw NotRun() }
        #if canImport(Darwin)
            return Int(usage.ru_maxrss)
        #else
            return Int(usage.ru_maxrss) * 1_024
        #endif
    }
}
