import Foundation
import Support
import Testing

/// Long-lived sockets and sudden ends: what a proxy keeps, and what is left of what it wrote.
@Suite("A proxy stays small, and what it wrote stands", .serialized)
struct StandingProxyTests {
    /// Sends a binary message again and again from the server, and reads it at the client.
    private func send(_ megabytes: Int, over talk: ProxyTalk) throws {
        let message = Frame.plain(0x82, [UInt8](repeating: 0xA5, count: 1_000_000))
        // The two ends at a time: the way between them cannot hold so much.
        let isSent = talk.server.sendAside(message, times: megabytes)
        for _ in 0..<megabytes {
            let received = try talk.client.receive(message.count)
            if received != message { Issue.record("a message arrived changed") }
        }
        isSent.wait()
    }

    @Test("200 MB on one socket, and nothing of it is kept")
    func memory() throws {
        let talk = try ProxyTalk(["--payload", "none"])
        try talk.upgrade()
        try send(20, over: talk)
        _ = talk.proxy.records(until: "message", count: 20)
        guard let early = talk.proxy.residentBytes else {
            print("skipped: what 200 MB on one socket cost (this system does not tell the memory of a process)")
            return
        }
        try send(200, over: talk)
        _ = talk.proxy.records(until: "message", count: 220)
        let late = try #require(talk.proxy.residentBytes)
        print("200 MB on one socket cost \((late - early) >> 10) KiB, of \(late >> 20) MiB")
        #expect(late - early < 8 << 20)
        #expect(late < 96 << 20)
        #expect(try talk.goodbye().records.all("message").count == 220)
    }

    @Test("killed after 50 messages, it leaves 50: in the log and in the recording")
    func killed() throws {
        let recording = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString).pcapng")
        defer { try? FileManager.default.removeItem(at: recording) }
        let talk = try ProxyTalk(["-w", recording.path])
        try talk.upgrade()
        for number in 1...50 { try talk.fromServer(Frame.plain(0x81, "message \(number)")) }
        #expect(talk.proxy.records(until: "message", count: 50).all("message").count == 50)
        let outcome = talk.proxy.kill()
        #expect(outcome.status == 128 + SIGKILL)
        #expect(outcome.records.isWhole)
        let expected = (1...50).map { "message \($0)" }
        #expect(outcome.records.texts(from: "server") == expected)
        let read = try UnmaskProcess.run(["read", "--format", "ndjson", recording.path])
        let records = LogRecords(lines: read.output.split(separator: UInt8(ascii: "\n")).map { Data($0) })
        #expect(records.texts(from: "server") == expected)
        #expect(records.findings == [])
    }

    @Test("interrupted, it says goodbye to what is open and prints the totals")
    func interrupted() throws {
        let talk = try ProxyTalk()
        try talk.upgrade()
        try talk.fromClient(Frame.masked(0x81, "hello"))
        _ = talk.proxy.records(until: "message")
        let outcome = talk.proxy.stop()
        #expect([0, 130].contains(outcome.status), "\(outcome.errors)")
        #expect(outcome.records.isWhole)
        #expect(outcome.records.closings == ["shutdown by proxy"])
        #expect(outcome.records.records.last?["kind"] as? String == "end")
    }
}
