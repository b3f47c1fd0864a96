import Dissection
import Support

/// What a client would refuse in the certificates of a server.
extension FindingCase {
    /// 2026-11-20 12:00:00 UTC.
    private static let noon = Timestamp(nanoseconds: 1_795_176_000_000_000_000)

    private static func talk(_ chain: [[UInt8]], hello: [UInt8] = RecordedHello.client12, at time: Timestamp = noon) -> Talk {
        let message = StatedCertificate.message(chain)
        var talk = Talk([.client(hello), .server(RecordedHello.server12 + RecordedHello.record(22, message))])
        talk.time = time
        return talk
    }

    /// A hello that asks for another name of twelve bytes.
    private static func asking(_ name: String) -> [UInt8] {
        var hello = RecordedHello.client12
        let old = Array("chat.example".utf8)
        for start in 0..<hello.count - old.count where Array(hello[start..<start + old.count]) == old {
            hello.replaceSubrange(start..<start + old.count, with: name.utf8)
        }
        return hello
    }

    private static func certificate(_ row: String, _ sentence: String, _ fires: [StatedCertificate], nearly: [StatedCertificate])
        -> FindingCase
    {
        certificate(row, sentence, talk(fires.map(\.der)), nearly: talk(nearly.map(\.der)))
    }

    private static func certificate(_ row: String, _ sentence: String, _ fires: Talk, nearly: Talk) -> FindingCase {
        FindingCase("tls.certificate-" + row, ["< @0 tls.certificate-\(row): \(sentence)"], fires: fires, nearly: nearly)
    }

    static var certificateCases: [FindingCase] {
        let authority = StatedCertificate(subject: "Test CA", issuer: "Test CA", names: [])
        let middle = StatedCertificate(subject: "Test CA", issuer: "Root", names: [])
        let weakMiddle = StatedCertificate(
            subject: "Test CA", issuer: "Root", names: [], signature: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 5])
        return FindingCase.table {
            certificate(
                "expired", "certificate 1 of the server expired on 2026-11-20 11:59:59 UTC", [StatedCertificate(notAfter: "261120115959Z")],
                nearly: [StatedCertificate(notAfter: "261120120000Z")])
            // A root that is sent along is not looked at.
            certificate(
                "expired", "certificate 2 of the server expired on 2020-01-01 00:00:00 UTC",
                [StatedCertificate(), StatedCertificate(subject: "Test CA", issuer: "Root", names: [], notAfter: "200101000000Z")],
                nearly: [
                    StatedCertificate(), StatedCertificate(subject: "Test CA", issuer: "Test CA", names: [], notAfter: "200101000000Z"),
                ])
            // A clock that was never set.
            certificate(
                "not-yet-valid", "certificate 1 of the server is not valid until 2026-11-20 12:00:01 UTC",
                talk([StatedCertificate(notBefore: "261120120001Z").der]),
                nearly: talk([StatedCertificate(notBefore: "261120120001Z").der], at: Timestamp(nanoseconds: 5)))
            certificate(
                "not-yet-valid", "certificate 1 of the server is not valid until 2026-11-20 12:00:01 UTC",
                [StatedCertificate(notBefore: "261120120001Z")], nearly: [StatedCertificate(notBefore: "261120120000Z")])
            certificate(
                "name", "the server's certificate does not name chat.example, which the client asked for",
                [StatedCertificate(names: [(0x82, Array("*.chat.example".utf8)), (0x82, Array("*.example".utf8))])],
                nearly: [StatedCertificate(names: [(0x82, Array("other".utf8)), (0x82, Array("CHAT.example".utf8))])])
            certificate(
                "name", "the server's certificate does not name chat.example, which the client asked for", [StatedCertificate(names: [])],
                nearly: [StatedCertificate()])
            // A dot at the end of the name that is asked for is not looked for.
            certificate(
                "name", "the server's certificate does not name chat.exampl., which the client asked for",
                talk([StatedCertificate().der], hello: asking("chat.exampl.")),
                nearly: talk([StatedCertificate(names: [(0x82, Array("chat.exampl".utf8))]).der], hello: asking("chat.exampl.")))
            // In 2016 a common name was enough.
            certificate(
                "name", "the server's certificate does not name chat.example, which the client asked for",
                talk([StatedCertificate(names: [], notBefore: "160101000000Z").der]),
                nearly: talk(
                    [StatedCertificate(names: [], notBefore: "160101000000Z").der], at: Timestamp(nanoseconds: 1_470_000_000_000_000_000)))
            certificate(
                "self-signed", "the server's certificate is self-signed", [StatedCertificate(issuer: "chat.example")],
                nearly: [StatedCertificate(), authority])
            // A CA of the same name with another key.
            certificate(
                "self-signed", "the server's certificate is self-signed", [StatedCertificate(issuer: "chat.example", keys: ([1], [1]))],
                nearly: [StatedCertificate(issuer: "chat.example", keys: ([1], [2]))])
            certificate(
                "weak", "certificate 1 of the server has a 1024-bit RSA key", [StatedCertificate(modulusBits: 1_024)],
                nearly: [StatedCertificate()])
            // In 2018 such keys were taken.
            certificate(
                "weak", "certificate 1 of the server has a 1024-bit RSA key",
                talk([StatedCertificate(notBefore: "160101000000Z", modulusBits: 1_024).der], at: Timestamp(nanoseconds: 0)),
                nearly: talk(
                    [StatedCertificate(notBefore: "160101000000Z", modulusBits: 1_024).der],
                    at: Timestamp(nanoseconds: 1_530_000_000_000_000_000)))
            // The last of a chain may be known to a client as a root.
            certificate(
                "weak", "certificate 2 of the server has a SHA-1 signature",
                [StatedCertificate(), weakMiddle, StatedCertificate(subject: "Root", issuer: "Older", names: [])],
                nearly: [StatedCertificate(), weakMiddle])
            certificate(
                "purpose", "the server's certificate is not for servers of TLS", [StatedCertificate(purposes: [2, 4])],
                nearly: [StatedCertificate(purposes: [2, 1])])
            certificate(
                "order", "certificate 2 of the server did not issue the one before it",
                [StatedCertificate(), StatedCertificate(subject: "Root", issuer: "Root", names: []), middle],
                nearly: [StatedCertificate(), middle, StatedCertificate(subject: "Root", issuer: "Root", names: [])])
            // Names are compared without regard to case and the number of spaces.
            certificate(
                "order", "certificate 2 of the server did not issue the one before it", [StatedCertificate(issuer: "Test  CB "), middle],
                nearly: [StatedCertificate(issuer: "TEST  ca "), middle])
            certificate(
                "alone", "the server sent its certificate without that of its issuer, CN=Test CA", [StatedCertificate(locatesIssuer: true)],
                nearly: [StatedCertificate(locatesIssuer: true), middle])
            // One that says nothing of its issuer may be issued by a root, and one that has signed itself is.
            certificate(
                "alone", "the server sent its certificate without that of its issuer, CN=Test CA", [StatedCertificate(locatesIssuer: true)],
                nearly: [StatedCertificate()])
            certificate(
                "not-ca", "certificate 2 of the server is not that of a CA, and issued the one before it",
                [StatedCertificate(), StatedCertificate(subject: "Test CA", issuer: "Root", names: [], isCA: false)],
                nearly: [StatedCertificate(isCA: false), StatedCertificate(subject: "Test CA", issuer: "Root", names: [], isCA: true)])
            certificate(
                "critical", "certificate 1 of the server has the critical extension 1.3.6.1.4.1.11129.2.4.3, which clients may not know",
                [StatedCertificate(critical: [0x2B, 6, 1, 4, 1, 0xD6, 0x79, 2, 4, 3])],
                nearly: [StatedCertificate(critical: [0x55, 0x1D, 0x1E])])
            certificate(
                "unreadable", "certificate 1 of the server cannot be read", talk([[0x30, 3, 2, 1, 5]]),
                nearly: talk([StatedCertificate().der]))
        }
    }
}
