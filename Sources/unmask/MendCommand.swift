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
            let count = Glibc.read(STDIN_FILENO, &word, 1)
            // A word says that all is well; the end of the pipe without one, that nobody was left to say it.
            if count > 0 { return }
            if count == 0 { break }
            if errno != EINTR { return }
        }
        if lines, let end = WholeEnd.ofLines(STDOUT_FILENO) { ftruncate(STDOUT_FILENO, off_t(end)) }
        if let blocks {
            let file = open(blocks, O_RDWR | O_CLOEXEC)
            if file >= 0, let end = WholeEnd.ofBlocks(file) { ftruncate(file, off_t(end)) }
        }
    }
}
