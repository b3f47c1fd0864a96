import Dissection
import Reports
import Support
import Testing

/// Streams of HTTP/2, and logins that go on in literals.
@Suite struct RedactedStreamsTests {
    private typealias Frames = HTTP2Frames

    @Test func `user and password of the authority of a stream`() {
        let head = Frames.headers(
            1, [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "ana:pw1secret@a.example")], end: true)
        let records = Redacted.records([(.client, Frames.client + head), (.server, Frames.server + Frames.ok(1, end: true))])
        #expect(!records.contains("secret") && records.contains("◆@a.example"), "\(records)")
    }

    @Test func `nothing is kept of streams without a body`() {
        func held(_ count: UInt32) -> Int {
            var dissector = LiveDissector(decodeAs: [])
            var sink = RedactingSink(RecordReport(Output(), settings: RecordSettings()), hiding: Redacted.plan)
            let time = RecordScript.time
            let place = dissector.begin(RecordScript.opening, content: RawSpan(), number: 1, at: time, sink: &sink)
            for index in 0..<count {
                let (client, server) = (index == 0 ? Frames.client : [], index == 0 ? Frames.server : [])
                _ = dissector.receive(.bytes((client + Frames.get(2 * index + 1)).rawBytes), from: .client, at: place, time, sink: &sink)
                let answer = server + Frames.ok(2 * index + 1, end: true)
                _ = dissector.receive(.bytes(answer.rawBytes), from: .server, at: place, time, sink: &sink)
            }
            _ = sink.sink.takeBytes()
            return sink.heldBytes - sink.sink.heldBytes
        }
        #expect(held(200) == held(2))
    }

    @Test("a login of IMAP whose arguments are literals", arguments: ["+ go\r\n", ""])
    func literals(asked: String) {
        func said(_ side: Side, _ text: String) -> [(Side, [UInt8])] { text.isEmpty ? [] : [(side, Array(text.utf8))] }
        let sign = asked.isEmpty ? "+" : ""
        let records = Redacted.records(
            said(.server, "* OK IMAP4rev1 ready\r\n") + said(.client, "a1 LOGIN {3\(sign)}\r\n") + said(.server, asked)
                + said(.client, "ana {7\(sign)}\r\n") + said(.server, asked) + said(.client, "hunter2\r\n")
                + said(.server, "a1 OK welcome\r\n") + said(.client, "a2 LIST\r\n"))
        #expect(!records.contains("hunter2") && !records.contains("\"ana"), "\(records)")
        #expect(records.contains("a1 OK welcome") && records.contains("a2 LIST"), "\(records)")
    }
}
