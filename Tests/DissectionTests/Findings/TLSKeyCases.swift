import Dissection
import Support

/// What is found about TLS where there are keys.
extension FindingCase {
    private static func keyed(_ row: String, _ found: [String], _ fires: Talk, nearly: Talk) -> FindingCase {
        FindingCase("tls." + row, found, fires: fires, nearly: nearly)
    }

    /// A talk that is under way, and then these records of the server.
    private static func talk(
        secrets: StatedSecrets = StatedSecrets(), limits: Limits = Limits(), then bytes: (inout StatedRecords) -> [UInt8]
    ) -> Talk {
        var (client, server) = (StatedRecords(), StatedRecords())
        let start = OpenedTLSTests.handshake(&client, &server)
        return OpenedTLSTests.talk(start + [.server(bytes(&server))], secrets: secrets, limits: limits)
    }

    /// The server's first record under encryption.
    private static func beginning(isChanged: Bool) -> Talk {
        var server = StatedRecords()
        var first = server.record(22, [8, 0, 0, 2, 0, 0])
        if isChanged { first[first.count - 1] ^= 1 }
        return OpenedTLSTests.talk([.client(RecordedHello.client13), .server(RecordedHello.server13 + first + server.finished())])
    }

    /// The server's certificates, compressed.
    private static func compressed(_ algorithm: UInt8) -> Talk {
        var server = StatedRecords()
        let message = StatedCertificate.compressed([StatedCertificate().der], algorithm: algorithm)
        let flight = server.record(22, [8, 0, 0, 2, 0, 0]) + server.record(22, message) + server.finished()
        return OpenedTLSTests.talk([.client(RecordedHello.client13), .server(RecordedHello.server13 + flight + server.data("hi"))])
    }

    private static func early(isTaken: Bool) -> Talk {
        var (early, client, server) = (StatedRecords(), StatedRecords(), StatedRecords())
        let extensions: [UInt8] = isTaken ? [8, 0, 0, 6, 0, 4, 0, 42, 0, 0] : [8, 0, 0, 2, 0, 0]
        return OpenedTLSTests.talk([
            .client(RecordedHello.client13 + early.data("early")),
            .server(RecordedHello.server13 + server.record(22, extensions) + server.finished()),
            .client((isTaken ? early.record(22, [5, 0, 0, 0]) : []) + client.finished()),
        ])
    }

    static var keyCases: [FindingCase] {
        let handshakeOnly: Set<TLSSecretLabel> = [.handshake(.client), .handshake(.server)]
        return FindingCase.table {
            keyed(
                "record-not-authentic",
                ["< @165 tls.record-not-authentic: a record of 11 bytes that the keys of its session do not open"],
                talk { server in
                    var changed = server.data("hi")
                    changed[14] ^= 1
                    return changed
                },
                nearly: talk { $0.data("hi") })
            keyed(
                "record-sealed",
                [
                    "< @165 tls.record-sealed: a record stays sealed, although there are keys for the session: the secret that it takes is not among the keys"
                ],
                talk(secrets: StatedSecrets(handshakeOnly)) { $0.data("hi") + $0.data("hi") },
                // Without any key the record of TLS says all there is to say.
                nearly: talk(secrets: StatedSecrets([])) { $0.data("hi") })
            keyed(
                "certificate-compressed",
                ["< @0 tls.certificate-compressed: the server's certificates are compressed with algorithm 4, which is not undone here"],
                compressed(4), nearly: compressed(2))
            keyed(
                "secrets-unfit",
                ["< @127 tls.secrets-unfit: the keys have secrets for this connection that do not open its records"],
                beginning(isChanged: true), nearly: beginning(isChanged: false))
            keyed(
                "key-awaited", ["< @127 tls.key-awaited: 56 bytes waited for a key that did not come in time"],
                talk(secrets: StatedSecrets([], grows: true)) { _ in [] },
                nearly: talk(secrets: StatedSecrets(grows: true)) { _ in [] })
            keyed(
                "early-data", ["> @242 tls.early-data: the client begins with early data (0-RTT), and the server took it"],
                early(isTaken: true), nearly: early(isTaken: false))
            keyed(
                "early-data-refused", ["> @242 tls.early-data-refused: the server did not take 5 bytes of early data"],
                early(isTaken: false),
                nearly: early(isTaken: true))
        }
    }
}
