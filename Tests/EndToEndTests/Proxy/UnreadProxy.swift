import Foundation
import Libc
import Support
import Testing

/// A proxy in reverse mode whose standard output goes to a file, or to a pipe that nobody reads. It is killed with the test.
final class UnreadProxy {
    let process = Process()
    private(set) var port: UInt16 = 0
    /// What it said on standard error.
    private(set) var said = ""
    /// Kept open and never read.
    private let unread = Pipe()
    private let errorPipe = Pipe()

    /// - Parameters:
    ///   - arguments: what stands after `unmask proxy`, without the addresses and `--ca-folder`.
    ///   - output: the file that standard output goes to; nobody reads it where there is none.
    ///   - listens: whether it is expected to begin; otherwise it ends by itself.
    convenience init(
        before upstreamPort: UInt16, _ arguments: [String] = ["--format", "ndjson"], output: FileHandle? = nil, listens: Bool = true
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        let ways = ["--listen", "127.0.0.1:0", "--upstream", "tcp://127.0.0.1:\(upstreamPort)"]
        try self.init(ways + ["--grace", "0", "--ca-folder", folder.path] + arguments, output: output, listens: listens)
    }

    /// - Parameter arguments: all that stands after `unmask proxy`.
    init(_ arguments: [String], output: FileHandle?, listens: Bool = true) throws {
        process.executableURL = UnmaskProcess.executable
        process.arguments = ["proxy"] + arguments
        process.standardInput = FileHandle.nullDevice
        if let output { process.standardOutput = output } else { process.standardOutput = unread }
        process.standardError = errorPipe
        try process.run()
        guard listens else { return }
        let line = errors(until: "listening on ")
        port = try #require(line.firstMatch(of: /listening on 127\.0\.0\.1:(\d+)/).flatMap { UInt16($0.1) }, "\(line)")
    }

    deinit { if process.isRunning { sendKill() } }

    private func sendKill() {
        _ = Libc.kill(process.processIdentifier, SIGKILL)
    }

    /// Reads standard error until it holds `text` in a whole line, or ends; all that was said so far.
    @discardableResult
    func errors(until text: String) -> String {
        while !(said.contains(text) && said.hasSuffix("\n")) {
            let data = errorPipe.fileHandleForReading.availableData
            if data.isEmpty { break }
            said += String(decoding: data, as: UTF8.self)
        }
        return said
    }

    /// Interrupts it as Ctrl-C does, and waits for its end.
    func interrupt(times: Int = 1) -> (status: Int32, errors: String, duration: Duration) {
        let begun = ContinuousClock.now
        for _ in 0..<times {
            process.interrupt()
            // Two signals that wait for the same process are one.
            if times > 1 { poll(nil, 0, 200) }
        }
        let end = end()
        return (end.status, end.errors, ContinuousClock.now - begun)
    }

    /// Waits for its end.
    func end() -> (status: Int32, errors: String) {
        said += String(decoding: errorPipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus, said)
    }

    /// Kills it (SIGKILL), and waits for its end.
    func kill() {
        sendKill()
        process.waitUntilExit()
    }
}
