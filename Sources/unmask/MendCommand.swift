import ArgumentParser
import Interception

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What `unmask proxy` leaves behind for the case that it is killed (SIGKILL): waits for the end of the proxy, and if that came
/// without a word, cuts half a line off the log and half a block off the recording.
struct MendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mend-when-killed", abstract: "Waits for the proxy that started it, and mends its files if it was killed.",
        shouldDisplay: false)

    /// Standard output is the log.
    @Flag var lines = false

    /// The recording.
    @Option var blocks: String?

    func run() throws {
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { signal(number, SIG_IGN) }
        var word: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &word, 1)
            // A word says that all is well; the end of the pipe without one, that nobody was left to say it.
            if count > 0 { return }
            if count == 0 { break }
            if errno != EINTR { return }
        }
        // The log was opened for writing alone.
        if lines { mend("/proc/self/fd/\(STDOUT_FILENO)", WholeEnd.ofLines) }
        if let blocks { mend(blocks, WholeEnd.ofBlocks) }
    }

    private func mend(_ path: String, _ wholeEnd: (Int32) -> Int64?) {
        let file = open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { return }
        if let end = wholeEnd(file) { ftruncate(file, off_t(end)) }
        close(file)
    }
}
