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
            // In 2016 a common name was enough.
            certificate(
                "name", "the server's certificate does not name chat.example, which the client asked for",
                talk([StatedCertificate(names: [], notBefore: "160101000000Z").der]),
                nearly: talk(
                    [StatedCertificate(names: [], notBefore: "160101000000Z").der], at: Timestamp(nanoseconds: 1_470_000_000_000_000_000)))
            certificate(
                "self-signed", "the server's certificate is self-signed", [StatedCertificate(issuer: "chat.example")],
                nearly: [StatedCertificate(), authority])
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
            // Nothing rests on the signature of a root.
            certificate(
                "weak", "certificate 2 of the server has a SHA-1 signature",
                [
                    StatedCertificate(),
                    StatedCertificate(
                        subject: "Test CA", issuer: "Root", names: [], signature: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 5]),
                ],
                nearly: [
                    StatedCertificate(),
                    StatedCertificate(
                        subject: "Test CA", issuer: "Test CA", names: [], signature: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 5]),
                ])
            certificate(
                "purpose", "the server's certificate is not for servers of TLS", [StatedCertificate(purposes: [2, 4])],
                nearly: [StatedCertificate(purposes: [2, 1])])
            certificate(
                "order", "certificate 2 of the server did not issue the one before it",
                [StatedCertificate(), StatedCertificate(subject: "Root", issuer: "Root", names: []), middle],
                nearly: [StatedCertificate(), middle, StatedCertificate(subject: "Root", issuer: "Root", names: [])])
            certificate(
                "unreadable", "certificate 1 of the server cannot be read", talk([[0x30, 3, 2, 1, 5]]),
                nearly: talk([StatedCertificate().der]))
        }
    }
}
