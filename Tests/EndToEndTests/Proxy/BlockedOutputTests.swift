import Foundation
import Support
import Testing

/// Output that nobody reads: it is said, it can be got around, and it delays no end.
@Suite("Output that nobody reads", .serialized)
struct BlockedOutputTests {
    private static let megabyte = [UInt8](repeating: 0xA5, count: 1 << 20)

    /// Lets the server send more than queue, pipe and kernel hold, and gives what signals that all of it went out.
    private func fill(_ proxy: UnreadProxy, _ listener: LoopbackListener) throws -> (client: LoopbackSocket, isSent: DispatchSemaphore) {
        let client = try LoopbackSocket(port: proxy.port)
        let server = try listener.accept()
        let isSent = server.sendAside(Self.megabyte, times: 400)
        kept.append(server)
        while !client.isSilent(milliseconds: 1_000) { _ = try client.receiveSome() }
        return (client, isSent)
    }

    /// Open until the test is over.
    private let kept = Kept()

    private final class Kept {
        private var sockets: [LoopbackSocket] = []
        func append(_ socket: LoopbackSocket) { sockets.append(socket) }
    }

    @Test("standard error says since when it waits, and how to go on")
    func notice() throws {
        let listener = try LoopbackListener()
        let proxy = try UnreadProxy(before: listener.port)
        let (_, isSent) = try fill(proxy, listener)
        let said = proxy.errors(until: "standard output is blocked: its reader has taken nothing since ")
        #expect(said.contains("--log FILE") && said.contains("--lossy"), "\(said)")
        // One Ctrl-C: the conversations end, the output is given up, and what it did not take is counted.
        let end = proxy.interrupt()
        #expect(end.status == 1)
        #expect(end.errors.contains(/unmask: \d+ records could not be written to standard output\n/), "\(end.errors)")
        #expect(!end.errors.contains("ERROR"), "\(end.errors)")
        #expect(end.duration < .seconds(6), "\(end.duration)")
        print("Ctrl-C with a blocked output took \(end.duration)")
        isSent.wait()
    }

    @Test("a second Ctrl-C ends it at once")
    func hurry() throws {
        let listener = try LoopbackListener()
        let proxy = try UnreadProxy(before: listener.port, ["--format", "ndjson", "--grace", "60"])
        let (_, isSent) = try fill(proxy, listener)
        let end = proxy.interrupt(times: 2)
        #expect(end.status == 1)
        #expect(end.errors.contains("records could not be written to standard output"), "\(end.errors)")
        #expect(end.duration < .seconds(6), "\(end.duration)")
        isSent.wait()
    }

    @Test("with --lossy nobody waits, and what is left out is counted")
    func lossy() throws {
        let listener = try LoopbackListener()
        let proxy = try UnreadProxy(before: listener.port, ["--format", "ndjson", "--lossy"])
        let client = try LoopbackSocket(port: proxy.port)
        let server = try listener.accept()
        let isSent = server.sendAside(Self.megabyte, times: 64)
        let received = try client.receive(64 << 20)
        #expect(received.count == 64 << 20)
        isSent.wait()
        proxy.errors(until: "standard output is not read fast enough; records that do not fit are left out and counted")
        let end = proxy.interrupt()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.contains(/unmask: \d+ records left out, because standard output was not read fast enough\n/), "\(end.errors)")
    }

    @Test("with --log the file has all of it, and nobody waits for the text")
    func log() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString).ndjson").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let listener = try LoopbackListener()
        let proxy = try UnreadProxy(before: listener.port, ["--log", path])
        let client = try LoopbackSocket(port: proxy.port)
        let server = try listener.accept()
        let isSent = server.sendAside(Self.megabyte, times: 32)
        #expect(try client.receive(32 << 20).count == 32 << 20)
        isSent.wait()
        let end = proxy.interrupt()
        #expect(end.status == 0, "\(end.errors)")
        let lines = try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: 0x0A)
        let records = LogRecords(lines: lines.map { Data($0) })
        #expect(records.isWhole)
        #expect(records.all("data").reduce(0) { $0 + ($1["length"] as? Int ?? 0) } == 32 << 20)
        #expect(records.records.last?["kind"] as? String == "end")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }
}
