import Dissection
import Support
import Testing

@Suite("Findings about TLS: each fires, and nearly does")
struct TLSFindingTests {
    /// The findings of a talk, as the transcript tells them.
    private func findings(_ steps: [Talk.Step], limits: Limits = Limits()) -> [String] {
        let talk = Talk(steps, limits: limits)
        let told = talk.transcript()
        #expect(talk.difference(from: told) == nil)
        return told.compactMap { line in line.split(separator: "! ").count == 2 ? String(line.split(separator: "! ")[1]) : nil }
    }

    private func hellos(then bytes: [UInt8]) -> [Talk.Step] {
        [.client(RecordedHello.client13), .server(RecordedHello.server13 + bytes)]
    }

    @Test func recordUnknown() {
        #expect(findings(hellos(then: RecordedHello.sealed(25, 9) + RecordedHello.sealed(9))) == ["tls.record-unknown a=25 b=771"])
        #expect(findings(hellos(then: [23, 4, 0, 0, 1, 9] + RecordedHello.sealed(9))) == ["tls.record-unknown a=23 b=1024"])
        // A minor version that does not exist must be ignored.
        #expect(findings(hellos(then: [23, 3, 9, 0, 1, 9])) == [])
    }

    @Test func recordTooLong() {
        #expect(findings(hellos(then: RecordedHello.sealed(16_641))) == ["tls.record-too-long a=16641 b=0"])
        #expect(findings(hellos(then: RecordedHello.sealed(16_640))) == [])
        // TLS 1.2 allows more.
        #expect(findings([.client(RecordedHello.client12), .server(RecordedHello.server12 + RecordedHello.sealed(18_432))]) == [])
    }

    @Test func recordEmpty() {
        #expect(findings(hellos(then: [21, 3, 3, 0, 0])) == ["tls.record-empty a=21 b=0"])
        #expect(findings(hellos(then: [23, 3, 3, 0, 0])) == [])
    }

    @Test func recordCut() {
        #expect(findings(hellos(then: RecordedHello.sealed(100).dropLast(1))) == ["tls.record-cut a=104 b=105"])
        #expect(findings(hellos(then: RecordedHello.sealed(100))) == [])
    }

    @Test func helloMalformed() {
        var broken = RecordedHello.client13
        // The length of the extensions, one too much.
        let extensions = 5 + 4 + 2 + 32 + 1 + 32 + 2 + suitesLength(broken) + 2
        broken[extensions + 1] += 1
        #expect(findings([.client(broken)]) == ["tls.hello-malformed a=237 b=0"])
        broken[extensions + 1] -= 2
        #expect(findings([.client(broken)]) == ["tls.hello-malformed a=237 b=0"])
        #expect(findings([.client(RecordedHello.client13)]) == [])
        var server = RecordedHello.server12
        server[8] -= 1
        // The message ends before its extensions do; what was agreed can be read.
        #expect(
            Talk([.client(RecordedHello.client12), .server(server)]).difference(from: [
                "opened handshake by handshake",
                "< @0 tls name chat.example alpn http/1.1 version 303 cipher c02b",
                "< @0 ! tls.hello-malformed a=79 b=0",
                "closed unknown endOfCapture  client open 177 B  server open 85 B",
            ]) == nil)
        // A byte behind the extensions.
        var longer = RecordedHello.server12 + [0]
        longer[4] += 1
        longer[8] += 1
        #expect(findings([.client(RecordedHello.client12), .server(longer)]).contains("tls.hello-malformed a=81 b=0"))
        // A session of 33 bytes: nothing behind it can be found.
        var unreadable = RecordedHello.client13
        unreadable[43] = 33
        #expect(
            Talk([.client(unreadable)]).difference(from: [
                "opened handshake by handshake",
                "> @0 data 242 B tlsRecord(contentType: 22) \"\"",
                "> @0 ! tls.hello-malformed a=237 b=0",
                "closed unknown endOfCapture  client open 242 B  server open 0 B",
            ]) == nil)
    }

    private func suitesLength(_ hello: [UInt8]) -> Int { Int(hello[76]) << 8 | Int(hello[77]) }

    @Test func helloTooLong() {
        var limits = Limits()
        limits.helloBytes = 236
        #expect(findings([.client(RecordedHello.client13)], limits: limits) == ["tls.hello-too-long a=237 b=0"])
        limits.helloBytes = 237
        #expect(findings([.client(RecordedHello.client13)], limits: limits) == [])
    }

    @Test func helloOfSSL2() {
        let body: [UInt8] = [1, 3, 1, 0, 6, 0, 0, 0, 16, 0, 0, 0x2F, 7, 0, 0xC0] + (1...16)
        let old: [UInt8] = [0x80, UInt8(body.count)] + body
        #expect(findings([.client(old), .server(RecordedHello.server12)]) == ["tls.ssl2-hello a=769 b=0"])
        #expect(
            Talk([.client(old), .server(RecordedHello.server12)]).difference(from: [
                "opened handshake by handshake",
                "> @0 data 80 1f 01 03 01 00 06 00 00 00 10 00 00 2f 07 00 c0 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10",
                "> @0 ! tls.ssl2-hello a=769 b=0",
                "< @0 tls name  alpn http/1.1 version 303 cipher c02b",
                "closed unknown endOfCapture  client open 33 B  server open 85 B",
            ]) == nil)
        // A challenge of 17 bytes where 16 follow: no hello, and no TLS.
        var other = old
        other[10] = 17
        #expect(findings([.client(other)]) == [])
    }

    @Test func versionObsolete() {
        for (version, expected) in [(0x0300, true), (0x0301, true), (0x0302, true), (0x0303, false)] {
            var server = RecordedHello.server12
            server[10] = UInt8(version & 0xFF)
            #expect(
                findings([.client(RecordedHello.client12), .server(server)])
                    == (expected ? ["tls.version-obsolete a=\(version) b=0"] : []))
        }
    }

    @Test func suiteNotOffered() {
        var server = RecordedHello.server12
        let suite = 5 + 4 + 2 + 32 + 1 + Int(server[43])
        #expect(server[suite] == 0xC0 && server[suite + 1] == 0x2B)
        server[suite + 1] = 0x2F
        #expect(findings([.client(RecordedHello.client12), .server(server)]) == ["tls.suite-not-offered a=49199 b=0"])
        server[suite + 1] = 0x2C
        #expect(findings([.client(RecordedHello.client12), .server(server)]) == [])
        // Without the offer nothing can be said about it.
        server[suite + 1] = 0x2F
        #expect(findings([.server(server)]) == [])
    }

    @Test func alpnNotOffered() {
        var server = RecordedHello.server12
        guard let name = (0..<server.count - 8).first(where: { Array(server[$0..<$0 + 8]) == Array("http/1.1".utf8) }) else {
            Issue.record("no protocol in the recording")
            return
        }
        server[name + 7] = UInt8(ascii: "0")
        #expect(findings([.client(RecordedHello.client12), .server(server)]) == ["tls.alpn-not-offered a=0 b=0"])
        #expect(findings([.client(RecordedHello.client12), .server(RecordedHello.server12)]) == [])
    }

    @Test("alerts in the clear, in words; an encrypted one is a record")
    func alerts() {
        let start: [Talk.Step] = [.client(RecordedHello.client12), .server(RecordedHello.server12)]
        #expect(findings(start + [.client([21, 3, 3, 0, 2, 2, 48])]) == ["tls.alert-fatal a=48 b=0"])
        #expect(findings(start + [.client([21, 3, 3, 0, 2, 1, 0])]) == ["tls.alert-warning a=0 b=0"])
        #expect(findings(start + [.client(RecordedHello.sealed(21, 26))]) == [])
        var sink = Texts()
        var context = ConversationContext(number: 1, limits: Limits(), startsMidstream: false)
        var layer = TLSLayer<Reader>()
        let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 48]
        _ = layer.receive(alert.rawBytes, at: Arrival(side: .client, offset: 0, place: Place()), context: &context, sink: &sink)
        #expect(sink.texts == ["client: unknown CA"])
    }
}

extension RecordedHello {
    fileprivate static func sealed(_ count: Int) -> [UInt8] { sealed(23, count) }
}

/// Keeps what findings are about.
private struct Texts: ConversationSink {
    var texts: [String] = []

    mutating func receive(_ event: borrowing ConversationEvent) {
        if case .finding = event.fact { texts.append(String(decoding: Transcript.copy(event.content), as: UTF8.self)) }
    }
}
