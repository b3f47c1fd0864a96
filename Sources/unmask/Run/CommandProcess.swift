import Interception
import Libc

/// The program that `unmask run` starts: it has our terminal, our standard input, output and error, and whatever else was given to us.
struct CommandProcess {
    /// Why it was not started, as a shell tells it.
    struct Failure: Error, CustomStringConvertible {
        let description: String
        /// 127 where there is no such program, 126 where it cannot be run.
        let status: Int32

        init(_ word: String, _ code: Int32) {
            let isMissing = code == ENOENT || code == ENOTDIR
            status = isMissing ? 127 : 126
            description =
                isMissing && !word.contains("/") ? "\(word): command not found" : "\(word): \(String(cString: strerror(code)))"
        }

        /// The program is there, and what its first line names (`#!`) is not.
        init(noInterpreterOf path: String) {
            status = 126
            description = "\(path): the interpreter that its first line names does not exist"
        }
    }

    let identifier: pid_t

    /// The path of a program as a shell finds it: a word with a slash is a path, any other one stands in a folder of PATH.
    ///
    /// - Throws: `Failure`.
    static func path(of word: String) throws(Failure) -> String {
        if word.contains("/") {
            if let code = problem(with: word) { throw Failure(word, code) }
            return word
        }
        var worst = ENOENT
        let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        for folder in folders.split(separator: ":", omittingEmptySubsequences: false) where !word.isEmpty {
            let path = (folder.isEmpty ? "." : String(folder)) + "/" + word
            guard let code = problem(with: path) else { return path }
            if code != ENOENT, code != ENOTDIR { worst = code }
        }
        throw Failure(word, worst)
    }

    private static func problem(with path: String) -> Int32? {
        guard access(path, X_OK) == 0 else { return errno }
        // A folder may be entered, which has the same right.
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 { close(folder) }
        return folder >= 0 ? EISDIR : nil
    }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - path: the program.
    ///   - words: its name and its arguments, as bytes.
    ///   - environment: `NAME=value` each, as bytes.
    /// - Throws: `Failure`.
    static func start(_ path: String, _ words: [[CChar]], environment: [[CChar]], files: Int) throws(Failure) -> CommandProcess {
        var (actions, attributes) = blankSpawnSettings()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // What is ours stays ours; a copy of a descriptor at its own place is one that the command gets.
        FolderGuard.closeAtExec()
        for descriptor in GivenDescriptors.all where descriptor > STDERR_FILENO && fcntl(descriptor, F_GETFD) >= 0 {
            posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor)
        }
        // Signals too are as they were given to us. Those that we handle fall back by themselves.
        var (mask, standard) = (GivenSignals.blocked, sigset_t())
        sigemptyset(&standard)
        for number in [SIGPIPE, SIGXFSZ] where !GivenSignals.ignored.contains(number) { sigaddset(&standard, number) }
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setsigdefault(&attributes, &standard)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var child = pid_t()
        let code = FileLimit.lowered(to: files) { posix_spawn(&child, path, &actions, &attributes, &arguments, &variables) }
        guard code == 0 else { throw code == ENOENT ? Failure(noInterpreterOf: path) : Failure(path, code) }
        return CommandProcess(identifier: child)
    }

    /// The last words of our own command line as the bytes that they were given to us as, which need not be text.
    static func givenWords(last count: Int) -> [[CChar]] {
        let first = Int(CommandLine.argc) - count
        return (0..<count).map { index in
            CommandLine.unsafeArgv[first + index].map { Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1)) } ?? [0]
        }
    }

    /// What it ended with as a shell has it, 128 and the signal where one ended it; nil while it runs.
    func status() -> Int32? {
        var status: Int32 = 0
        let found = waitpid(identifier, &status, WNOHANG)
        if found == 0 || (found < 0 && errno == EINTR) { return nil }
        // Nobody else can have asked; should there be no such process, it has ended.
        guard found == identifier else { return 255 }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}
