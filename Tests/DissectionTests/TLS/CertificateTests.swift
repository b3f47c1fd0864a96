import Dissection
import Support
import Testing

@Suite("The certificates of a server")
struct CertificateTests {
    private let opened = "opened handshake by handshake"
    private let stated = " certificate CN=chat.example by CN=Test CA for chat.example from 2026-01-01 00:00:00 to 2027-01-01 00:00:00"
    private let told = "< @0 tls name chat.example alpn http/1.1 version 303 cipher c02b"

    private static func record(_ bytes: [UInt8]) -> [UInt8] { RecordedHello.record(22, bytes) }

    private static func talk12(_ server: [UInt8]) -> Talk {
        Talk([.client(RecordedHello.client12), .server(RecordedHello.server12 + server)])
    }

    @Test("up to TLS 1.2 they are in the clear, and what was agreed on is told with them")
    func clear() {
        let message = StatedCertificate.message([StatedCertificate().der])
        let talk = Self.talk12(Self.record(message) + Self.record([14, 0, 0, 0]))
        let length = message.count + 5
        #expect(
            talk.difference(from: [
                opened, told + stated, "< @85 data \(length) B tlsRecord(contentType: 22) \"\"",
                "< @\(85 + length) data 9 B tlsRecord(contentType: 22) \"\"",
                "closed unknown endOfCapture  client open 177 B  server open \(94 + length) B",
            ]) == nil)
    }

    @Test("in the record of the hello, or spread over many", arguments: [0, 1, 40, 200])
    func records(_ size: Int) {
        let message = StatedCertificate.message([StatedCertificate().der])
        let hello = Array(RecordedHello.server12.dropFirst(5))
        let server = size == 0 ? Self.record(hello + message) : RecordedHello.split(Self.record(hello + message), size)
        let talk = Talk([.client(RecordedHello.client12), .server(server)])
        // So many records that nobody waits for the last of them are told without.
        #expect(talk.transcript().contains(size == 1 ? told : told + stated))
        #expect(talk.difference(from: talk.transcript()) == nil)
    }

    @Test(
        "whatever comes in their place, what was agreed on is told, and the records behind it",
        arguments: [
            [.server([22, 3, 3, 0, 4, 12, 0, 0, 0])], [.server([20, 3, 3, 0, 1, 1])], [.server([21, 3, 3, 0, 2, 1, 0])],
            [.server([23, 3, 3, 0, 1, 1])], [.gap(.server, 100, .missing)], [.finish(.server)], [.reset(.server)], [.finish(.client)], [],
            [.server([22, 3, 3, 0, 5, 11, 0, 0, 9, 0]), .gap(.server, 20, .missing), .server([22, 3, 3, 0, 1, 0])],
            [.server([22, 3, 3, 0, 4, 11, 1, 0, 0]), .finish(.server)],
            // Lengths that lie.
            [.server([22, 3, 3, 0, 4, 11, 0, 0, 0])], [.server([22, 3, 3, 0, 7, 11, 0, 0, 3, 0, 0, 9])],
            [.server([22, 3, 3, 0, 10, 11, 0, 0, 6, 0, 0, 3, 0, 0, 9])],
        ] as [[Talk.Step]])
    func instead(_ steps: [Talk.Step]) {
        let talk = Talk([.client(RecordedHello.client12), .server(RecordedHello.server12)] + steps)
        #expect(talk.transcript().dropFirst().first == told)
        #expect(talk.difference(from: talk.transcript()) == nil)
    }

    private static let request: [UInt8] = [13, 0, 0, 4, 0, 0, 0, 0]
    private static let done: [UInt8] = [14, 0, 0, 0]

    @Test("the client's are told where the server has asked for them, however the records are cut", arguments: [0, 1, 40, 200])
    func client(_ size: Int) {
        let chain = StatedCertificate.message([StatedCertificate().der])
        let own = StatedCertificate.message([StatedCertificate(subject: "app", names: []).der])
        let client = size == 0 ? Self.record(own) : RecordedHello.split(Self.record(own), size)
        let talk = Talk([
            .client(RecordedHello.client12), .server(RecordedHello.server12 + Self.record(chain + Self.request + Self.done)),
            .client(client + Self.record([16, 0, 0, 1, 0]) + [20, 3, 3, 0, 1, 1]),
        ])
        let shown = " client's certificate CN=app by CN=Test CA for  from 2026-01-01 00:00:00 to 2027-01-01 00:00:00"
        // So many records that nobody waits for the last of them are told without.
        #expect(talk.transcript()[1] == told + stated + (size == 1 ? "" : shown), "\(talk.transcript())")
        #expect(talk.difference(from: talk.transcript()) == nil)
    }

    @Test(
        "whatever comes in place of the client's, what was agreed on is told with the server's, and every record",
        arguments: [
            [.client([22, 3, 3, 0, 7, 11, 0, 0, 3, 0, 0, 0])], [.client([22, 3, 3, 0, 4, 16, 0, 0, 0])], [.client([20, 3, 3, 0, 1, 1])],
            [.client([21, 3, 3, 0, 2, 2, 40])], [.gap(.client, 90, .missing)], [.finish(.client)], [.reset(.server)], [],
            [.client([22, 3, 3, 0, 5, 11, 0, 0, 9, 0]), .gap(.client, 20, .missing)],
            [.server([21, 3, 3, 0, 2, 2, 40])], [.client([22, 3, 3, 0, 5, 11, 0, 0, 9, 0]), .finish(.client)],
        ] as [[Talk.Step]])
    func withoutClient(_ steps: [Talk.Step]) {
        let chain = StatedCertificate.message([StatedCertificate().der])
        let talk = Talk(
            [.client(RecordedHello.client12), .server(RecordedHello.server12 + Self.record(chain + Self.request + Self.done))] + steps)
        let told = talk.transcript()
        #expect(told[1] == self.told + stated, "\(told)")
        #expect(told[2].hasPrefix("< @85 data"), "\(told)")
        #expect(talk.difference(from: told) == nil)
    }

    @Test("whole, and the connection ends or bytes are lost within their record: nothing that was held is lost, and it comes first")
    func endsInRecord() {
        let message = StatedCertificate.message([StatedCertificate().der])
        let hello = Array(RecordedHello.server12.dropFirst(5))
        let cut = Array(Self.record(hello + message + [12, 0, 1, 0] + Array(repeating: 7, count: 256)).dropLast(100))
        let ends: [[Talk.Step]] = [
            [.finish(.server)], [.reset(.server)], [.finish(.client)], [], [.gap(.server, 100, .missing), .server([20, 3, 3, 0, 1, 1])],
            [.gap(.server, 300, .missing)],
        ]
        for steps in ends {
            for keyed in [false, true] {
                var talk = OpenedTLSTests.talk([.client(RecordedHello.client12), .server(cut)] + steps, secrets: StatedSecrets([]))
                if !keyed { talk.layers = .standard }
                #expect(talk.transcript().dropFirst().first == told + stated, "\(steps) \(keyed): \(talk.transcript())")
            }
            let separate = [
                Talk.Step.client(RecordedHello.client12), .server(RecordedHello.server12 + Self.record(message) + [22, 3, 3, 0, 9, 12]),
            ]
            let lines = Talk(separate + steps).transcript()
            #expect(lines.dropFirst().first == told + stated && lines.contains { $0.hasPrefix("< @85 data ") }, "\(steps): \(lines)")
        }
    }

    @Test("under TLS 1.3 keys show them, with what the server chose")
    func underKeys() {
        var (client, server) = (StatedRecords(), StatedRecords())
        let message = StatedCertificate.message([StatedCertificate().der, StatedCertificate(subject: "Test CA").der], isTLS13: true)
        let flight: [UInt8] = [8, 0, 0, 2, 0, 0] + message
        let steps = OpenedTLSTests.handshake(&client, &server, extensions: flight)
        let talk = OpenedTLSTests.talk(steps + [.client(client.data("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))])
        let other = " certificate CN=Test CA by CN=Test CA for chat.example from 2026-01-01 00:00:00 to 2027-01-01 00:00:00"
        let line = "< @0 tls name chat.example alpn  version 304 cipher 1302" + stated + other
        #expect(talk.transcript().contains(line), "\(talk.transcript())")
        #expect(talk.transcript().contains("> | @0 request GET / HTTP/1.1 {Host: a}"))
        #expect(talk.difference(from: talk.transcript()) == nil)
    }

    @Test("up to TLS 1.2 they are shown whether keys open the rest or not")
    func underKeys12() {
        let server = RecordedHello.server12 + Self.record(StatedCertificate.message([StatedCertificate().der])) + [20, 3, 3, 0, 1, 1]
        let talk = OpenedTLSTests.talk(
            [.client(RecordedHello.client12), .server(server), .server(RecordedHello.sealed(23, 40))], secrets: StatedSecrets([]))
        #expect(talk.transcript().contains(told + stated), "\(talk.transcript())")
    }

    @Test("what is kept of them counts against the limits, and is freed")
    func limits() {
        var limits = Limits()
        limits.totalBytes = 4_096
        let long = StatedCertificate(names: (0..<2_000).map { (0x82, Array("host\($0).example".utf8)) }).der
        let message = StatedCertificate.message([long])
        let talk = Talk(
            [.client(RecordedHello.client12), .server(RecordedHello.server12), .server(Array(Self.record(message).dropLast(10)))],
            limits: limits)
        #expect(talk.transcript().contains { $0.hasPrefix("< @0 tls") })
    }

    @Test("names that are no text, and times beyond this century")
    func fields() {
        let certificate = StatedCertificate(
            subject: " a,b+\"c\"\\<d>;# ", issuer: "#x",
            names: [
                (0x82, Array("*.chat.example".utf8)), (0x87, [10, 0, 0, 7]), (0x87, Array(repeating: 0, count: 15) + [1]), (0x88, [1]),
            ],
            notBefore: "500101000000Z", notAfter: "99991231235959Z")
        let line = Self.talk12(Self.record(StatedCertificate.message([certificate.der]))).transcript()[1]
        #expect(
            line == told + ##" certificate CN=\ a\,b\+\"c\"\\\<d\>\;#\  by CN=\#x for *.chat.example 10.0.0.7 ::1"##
                + " from 1950-01-01 00:00:00 to 9999-12-31 23:59:59")
    }

    @Test("bytes that are changed or cut anywhere neither stop it nor change what else is told")
    func damaged() {
        let der = StatedCertificate(purposes: [1]).der
        var random = SplitMix(seed: 7)
        for index in 0..<der.count {
            var changed = der
            changed[index] = UInt8(truncatingIfNeeded: random.next())
            for bytes in [changed, Array(der.prefix(index))] {
                let lines = Self.talk12(Self.record(StatedCertificate.message([bytes]))).transcript()
                #expect(lines[1].hasPrefix(told) && lines.last?.hasPrefix("closed") == true)
            }
        }
    }
}
