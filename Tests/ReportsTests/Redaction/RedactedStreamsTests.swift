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

    /// {"password":"hunter2"}, with gzip and with Zstandard.
    private static let packed: [[UInt8]] = [
        [
            0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xab, 0x56, 0x2a, 0x48, 0x2c, 0x2e, 0x2e, 0xcf, 0x2f, 0x4a,
            0x51, 0xb2, 0x52, 0xca, 0x28, 0xcd, 0x2b, 0x49, 0x2d, 0x32, 0x52, 0xaa, 0x05, 0x00, 0xb3, 0xd9, 0x6d, 0x25, 0x16, 0x00,
            0x00, 0x00,
        ],
        [
            0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x16, 0xb1, 0x00, 0x00, 0x7b, 0x22, 0x70, 0x61, 0x73, 0x73, 0x77, 0x6f, 0x72, 0x64, 0x22,
            0x3a, 0x22, 0x68, 0x75, 0x6e, 0x74, 0x65, 0x72, 0x32, 0x22, 0x7d,
        ],
    ]

    @Test(arguments: packed)
    func `a long call of gRPC keeps its secrets hidden however many calls come after it`(packed: [UInt8]) {
        let type = ("content-type", "application/grpc")
        func message(_ stream: UInt32, _ bytes: [UInt8], compressed: Bool = false, end: Bool = false) -> [UInt8] {
            Frames.frame(0, flags: end ? 1 : 0, stream: stream, [compressed ? 1 : 0, 0, 0, 0, UInt8(bytes.count)] + bytes)
        }
        var client = Frames.client + Frames.post(1, [type]) + message(1, Array("hello".utf8))
        var server = Frames.server
        for index: UInt32 in 1...400 {
            let stream = 2 * index + 1
            client += Frames.post(stream, [type])
            switch index % 3 {
            // A call with a message each way, one that is answered with trailers alone, one that is given up.
            case 0:
                client += message(stream, [0x61], end: true)
                server += Frames.headers(stream, [(":status", "200"), type]) + message(stream, [0x62])
                server += Frames.headers(stream, [("grpc-status", "0")], end: true)
            case 1:
                client += Frames.data(stream, "", end: true)
                server += Frames.headers(stream, [(":status", "200"), type, ("grpc-status", "5")], end: true)
            default: client += Frames.reset(stream, 8)
            }
        }
        let records = Redacted.records([(.client, client), (.server, server), (.client, message(1, packed, compressed: true))])
        #expect(
            records.contains("◆") && !records.contains("hunter2")
                && !records.contains(String(decoding: Base64.encode([1, 0, 0, 0, UInt8(packed.count)] + packed), as: UTF8.self)),
            "\(records.suffix(400))")
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
