import ArgumentParser
import Interception
import Libc
import Reports

/// What `unmask proxy` leaves behind for the case that it is killed (SIGKILL): waits for the end of the proxy, and if that came
/// without a word, cuts half a line off its log and half a block off its recording, and closes a log that is an array.
struct MendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mend-when-killed", abstract: "Waits for the proxy that started it, and mends its files if it was killed.",
        shouldDisplay: false)

    /// Logs of records, each as an inherited descriptor and the byte at which what is ours begins: `3:0`.
    @Option var records: [String] = []

    /// Logs that are one array of records, in the same form.
    @Option var arrays: [String] = []

    /// HTTP archives, in the same form.
    @Option var archives: [String] = []

    /// Text, in the same form.
    @Option var lines: [String] = []

    /// Recordings, in the same form.
    @Option var blocks: [String] = []

    func run() throws {
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { signal(number, SIG_IGN) }
        // Nor does it keep a folder from being unmounted.
        _ = chdir("/")
        var word: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &word, 1)
            // A word says that all is well; the end of the pipe without one, that nobody was left to say it.
            if count > 0 { return }
            if count == 0 { break }
            if errno != EINTR { return }
        }
        for charge in records { mend(charge) { WholeEnd.ofRecords($0, from: $1) } }
        for (charges, list) in [(arrays, WholeEnd.List.records), (archives, .archive)] {
            for charge in charges {
                mend(charge) {
                    WholeEnd.ofList(list, $0, from: $1)
                } after: {
                    [0x0a] + list.closing + [0x0a]
                }
            }
        }
        for charge in lines { mend(charge) { WholeEnd.ofLines($0, from: $1) } }
        for charge in blocks { mend(charge) { file, _ in WholeEnd.ofBlocks(file) } }
    }

    /// - Parameter after: what belongs behind the whole end.
    private func mend(_ charge: String, _ wholeEnd: (Int32, Int64) -> Int64?, after: () -> [UInt8] = { [] }) {
        let parts = charge.split(separator: ":")
        guard parts.count == 2, let descriptor = Int32(parts[0]), let start = Int64(parts[1]) else { return }
        // A shell that has the file open too would keep it locked.
        defer { OutputFile.unlock(descriptor) }
        // It was opened for writing alone. This opens the same file again, whatever has become of its name.
        let file = open("/proc/self/fd/\(descriptor)", O_RDWR | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        guard let opened = FileIdentity(file), opened == FileIdentity(descriptor) else { return }
        guard let end = wholeEnd(file, start), ftruncate(file, off_t(end)) == 0 else { return }
        let rest = after()
        if !rest.isEmpty { _ = pwrite(file, rest, rest.count, off_t(end)) }
    }
}
