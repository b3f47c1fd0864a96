import Dissection
import Testing

@testable import Reports

/// What is left of events that come from no talk of HTTP: hellos with certificates, frames about a connection.
@Suite struct RedactedTLSTests {
    /// The record of an event of which secrets were hidden, valid after the schema.
    private static func record(_ fact: Fact, _ content: [UInt8], hiding plan: RedactionPlan) throws -> String {
        var sink = RedactingSink(RecordReport(Output(), settings: RecordSettings()), hiding: plan)
        RecordScript.send(fact, content, from: .server, offset: 0, to: &sink)
        let record = Redacted.plain(sink.sink.takeBytes())
        try LogSchema.check(record)
        return record
    }

    private static func hello() -> (facts: TLSFacts, content: [UInt8]) {
        var entry = CertificateEntry()
        (entry.subject, entry.issuer) = ("CN=acme.example,O=Acme".bytes, "CN=Test CA".bytes)
        (entry.sha256, entry.notBefore, entry.notAfter) = ([UInt8](repeating: 7, count: 32), 0, 86_400)
        for name in ["acme.example", "other.example"] { entry.add(name: name.bytes.rawBytes) }
        var list: [UInt8] = []
        entry.append(to: &list)
        let (content, ranges) = RecordScript.content("www.acme.example".bytes, "acme/1".bytes, "\u{6}acme/1\u{2}h2".bytes, list)
        let facts = TLSFacts(
            serverName: ranges[0], alpn: ranges[1], offeredALPN: ranges[2], version: 0x0303, cipher: 0xC02F, secrets: .missing,
            certificates: ranges[3])
        return (facts, content)
    }

    @Test func `an expression finds names in the hellos of TLS and in certificates`() throws {
        let (facts, content) = Self.hello()
        let record = try Self.record(.tls(facts), content, hiding: Redacted.plan(patterns: [{ Word("acme") }]))
        #expect(!record.contains("acme"), "\(record)")
        for left in [
            #""serverName":"www.◆.example""#, #""alpn":"◆/1""#, #""offeredAlpn":["◆/1","h2"]"#, #""subject":"CN=◆.example,O=Acme""#,
            #""issuer":"CN=Test CA""#, #""names":["◆.example","other.example"]"#, #""notBefore":"1970-01-01T00:00:00Z""#,
            #""sha256":"0707"#, #""redacted":5"#,
        ] { #expect(record.contains(left), "\(left) in \(record)") }
    }

    @Test func `names that hold no secret stay as they are`() throws {
        let (facts, content) = Self.hello()
        let record = try Self.record(.tls(facts), content, hiding: Redacted.plan)
        #expect(record.contains(#""serverName":"www.acme.example""#) && !record.contains("redacted"), "\(record)")
    }

    @Test func `what a server says as it ends a connection of HTTP2 says that it was redacted`() throws {
        let text = "bad token=hunter2".bytes
        let frame = ControlFrame(.goAway, code: 0, lastStream: 1, text: ByteRange(0..<text.count))
        let record = try Self.record(.control(frame), text, hiding: Redacted.plan)
        #expect(record.contains("bad token=◆") && record.contains(#""redacted":1"#), "\(record)")
    }
}

/// Finds a word.
private final class Word: TextSearch {
    private let word: [UInt8]
    init(_ word: String) { self.word = word.bytes }

    func firstMatch(in bytes: RawSpan, from start: Int) -> TextMatch {
        var index = start
        while index + word.count <= bytes.byteCount {
            if (0..<word.count).allSatisfy({ bytes[index + $0] == word[$0] }) { return .found(index..<index + word.count) }
            index += 1
        }
        return .nowhere
    }
}
