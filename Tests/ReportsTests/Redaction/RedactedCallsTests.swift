import Dissection
import Support
import Testing

@testable import Reports

/// Secrets in calls of gRPC: bodies in base64, messages of statuses, header blocks that are not read.
@Suite struct RedactedCallsTests {
    private typealias Frames = HTTP2Frames

    private static func message(_ text: String, flags: UInt8 = 0) -> [UInt8] {
        let bytes = Array(text.utf8)
        return [flags] + Frames.four(UInt32(bytes.count)) + bytes
    }

    /// The records of a response of grpc-web-text.
    private static func records(_ body: [UInt8], losing gap: Range<Int>? = nil) -> String {
        let type = "application/grpc-web-text"
        let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n\r\n"
        var settings = RecordSettings()
        settings.payloads = .standard
        var dissector = LiveDissector(decodeAs: [])
        var sink = RedactingSink(RecordReport(Output(), settings: settings), hiding: Redacted.plan)
        let time = RecordScript.time
        let place = dissector.begin(RecordScript.opening, content: RawSpan(), number: 1, at: time, sink: &sink)
        func say(_ side: Side, _ bytes: [UInt8]) { _ = dissector.receive(.bytes(bytes.rawBytes), from: side, at: place, time, sink: &sink) }
        say(.client, Array("GET /t.S/M HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        say(.server, Array(head.utf8) + body[..<(gap?.lowerBound ?? body.count)])
        if let gap {
            _ = dissector.receive(.gap(length: UInt64(gap.count), cause: .missing), from: .server, at: place, time, sink: &sink)
            say(.server, Array(body[gap.upperBound...]))
        }
        dissector.finish(sink: &sink)
        return Redacted.plain(sink.sink.takeBytes())
    }

    @Test func `a body in several pieces of base64`() {
        let pieces = [
            Self.message(#"{"password":"hunter2"}"#), Self.message(#"{"a":"free"}"#), Self.message(#"{"token":"hunter2xy"}"#),
            Self.message("grpc-status: 7\r\ngrpc-message: bad%20password%3A%20hunter2\r\n", flags: 0x80),
        ]
        let records = Self.records(pieces.flatMap { Base64.encode($0) })
        for left in [#""password":"◆""#, #"{"a":"free"}"#, #""statusMessage":"bad password: ◆""#, #""redacted":3"#] {
            #expect(records.contains(left), "\(left) in \(records)")
        }
        for piece in [pieces[0], pieces[2], pieces[3]] {
            #expect(!records.contains(String(decoding: Base64.encode(piece), as: UTF8.self)), "\(records)")
        }
    }

    @Test func `a body in base64 that is larger than a part: those with a secret are hidden whole`() {
        // A secret in the second part; one whose name ends the first part; one that goes on from the first part into the second.
        for (shift, parts) in [(80_000, [1, 3]), (49_152 - 5 - 14, [3]), (49_152 - 5 - 25, [3])] {
            let (before, behind) = (String(repeating: "p", count: shift - 8), String(repeating: "q", count: 60_000))
            let text = #"{"pad":"\#(before)","password":"hunter2hunter2hunter2hunter2","z":"\#(behind)"}"#
            let body = Base64.encode(Self.message(text))
            let records = Self.records(body)
            let shown = stride(from: 0, to: body.count, by: 65_536).map { body[$0..<min(body.count, $0 + 65_536)] }
            let whole = shown.indices.filter { records.contains(String(decoding: shown[$0], as: UTF8.self)) }.map { $0 + 1 }
            #expect(whole.count == shown.count - records.count { $0 == "◆" }, "\(shift)")
            #expect(parts.allSatisfy { whole.contains($0) } && whole.count < shown.count, "\(shift) \(whole)")
            let lengths = records.matches(of: /"kind":"body".*?"length":(\d+)/).compactMap { Int($0.1) }
            #expect(lengths.reduce(0, +) == body.count && !records.contains("truncated"))
        }
    }

    @Test func `after missing bytes nobody knows where base64 begins: the rest is hidden`() {
        let body = Base64.encode(Self.message(#"{"a":"0123456789","password":"hunter2"}"#))
        for start in 4..<8 {
            let records = Self.records(body, losing: start..<start + 6)
            #expect(!records.contains(String(decoding: body.suffix(12), as: UTF8.self)) && records.contains("◆"), "\(records)")
        }
    }

    @Test func `a text that is not the base64 that its type says`() {
        let records = Self.records(Array("token=hunter2 was refused".utf8))
        #expect(records.contains("◆") && !records.contains("hunter2"), "\(records)")
        #expect(Self.records(Array("it was refused".utf8)).contains("it was refused"))
    }

    @Test func `the message of a status has its secrets hidden, escaped or not`() {
        for (said, left) in [
            ("bad%20password%3A%20hunter2", "bad%20password%3A%20◆"),
            ("invalid%20Authorization%3A%20Bearer%20hunter2hunter2", "invalid%20Authorization%3A%20Bearer%20◆"),
            ("bad password: hunter2", "bad password: ◆"), ("caf%C3%A9 is closed 100%", "caf%C3%A9 is closed 100%"),
            ("%7B%22pin%22%3A%22hunter2%22%2C%22a%22%3A1%7D", "%7B%22pin%22%3A%22◆%22%2C%22a%22%3A1%7D"),
        ] {
            let head = Frames.headers(1, [(":status", "200"), ("grpc-status", "16"), ("grpc-message", said)], end: true)
            let records = Redacted.records([(.client, Frames.client + Frames.get(1)), (.server, Frames.server + head)])
            #expect(records.contains(#"["grpc-message","\#(left)"]"#) && !records.contains("hunter2"), "\(left) in \(records)")
        }
    }

    @Test func `header blocks that are not read are hidden whole, and stay hidden`() {
        let trailers = Frames.headers(1, [("x-session", "hunter2"), ("plain", "free")], end: true)
        let records = Redacted.records([
            (.client, Frames.client + Frames.post(1)), (.server, Frames.server + Frames.ok(1)), (.client, Frames.reset(1, 8)),
            (.server, trailers), (.client, Array(Frames.get(3, "/", [("cookie", "sid=hunter2")]).dropLast(2))),
        ])
        #expect(!records.contains("hunter2") && !records.contains("free") && !records.contains("aHVudGVyMg"), "\(records)")
        let block = #""length":\#(trailers.count - 9),"headerBlock":true,"text":"header block ◆","redacted":1}"#
        #expect(records.contains(block), "\(records)")
        #expect(records.matches(of: /"text":"header block ◆"/).count == 2, "\(records)")
        // As a log that is read again.
        var sink = RedactingSink(RecordReport(Output(), settings: RecordSettings()), hiding: Redacted.plan)
        let hidden = Array("header block ⟨redacted:1f3a02⟩".utf8)
        for content in [hidden, Array("x-session hunter2".utf8)] {
            sink.receive(
                ConversationEvent(
                    conversation: 1, from: .server, place: Place(), offset: 0, channel: ByteChannel(),
                    fact: .data(DataRun(length: 20, isHeaderBlock: true)), content: content.rawBytes))
        }
        let told = String(decoding: sink.sink.takeBytes(), as: UTF8.self)
        #expect(told.contains("1f3a02") && !told.contains("hunter2"), "\(told)")
    }
}
