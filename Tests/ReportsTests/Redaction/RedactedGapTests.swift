import Dissection
import Testing

@testable import Reports

/// A secret of which the middle was not captured: what comes after the gap is hidden up to its end.
@Suite struct RedactedGapTests {
    /// A response whose body is cut in a gap after some bytes of the secret.
    private static func records(_ body: String, type: String) -> String {
        var dissector = LiveDissector()
        var sink = RedactingSink(RecordReport(Output(), settings: RecordSettings()), hiding: Redacted.plan)
        let time = RecordScript.time
        let place = dissector.begin(RecordScript.opening, content: RawSpan(), number: 1, at: time, sink: &sink)
        let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let cut = body.firstRange(of: "Sesame").map { body[..<$0.lowerBound].utf8.count + 10 } ?? 0
        let bytes = Array(body.utf8)
        for (side, part) in [(Side.client, Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)), (.server, Array(head.utf8) + bytes[..<cut])] {
            _ = dissector.receive(.bytes(part.rawBytes), from: side, at: place, time, sink: &sink)
        }
        _ = dissector.receive(.gap(length: 16, cause: .missing), from: .server, at: place, time, sink: &sink)
        _ = dissector.receive(.bytes(Array(bytes[(cut + 16)...]).rawBytes), from: .server, at: place, time, sink: &sink)
        dissector.finish(sink: &sink)
        return Redacted.plain(sink.sink.takeBytes())
    }

    private static let secret = "Sesame0123456789abcdefghijMiddleTailOfTheSecret"

    @Test(
        "the rest of a secret after a gap is hidden, and what follows it is not",
        arguments: [
            (#"{"user":"ana","password":"\#(secret)","z":"after"}"#, "application/json"),
            ("user=ana&password=\(secret)&z=after", "application/x-www-form-urlencoded"), ("x\npassword: \(secret)\nafter\n", "text/plain"),
            ("<a><password>\(secret)</password><b>after</b></a>", "text/xml"),
        ])
    func rest(body: String, type: String) {
        let records = Self.records(body, type: type)
        #expect(!records.contains("Tail") && !records.contains("Sesame"), "\(records)")
        #expect(records.contains("after") && records.contains("◆"), "\(records)")
    }

    @Test("each part of the body has a number of its own, also that which was held back")
    func parts() {
        let records = Self.records(#"{"user":"ana","password":"\#(Self.secret)","z":1}"#, type: "application/json")
        let parts = records.matches(of: /"part":(\d+)/).compactMap { Int($0.1) }
        #expect(parts == Array(1...parts.count) && parts.count >= 3, "\(records)")
    }
}
