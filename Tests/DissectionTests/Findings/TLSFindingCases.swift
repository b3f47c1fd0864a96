import Dissection
import Support

/// What is found about TLS from outside, over hellos that real peers said.
extension FindingCase {
    private static func tls(
        _ row: String, _ found: [String], _ fires: [Talk.Step], nearly: [Talk.Step], limits: Limits = Limits(),
        nearlyLimits: Limits = Limits()
    ) -> FindingCase {
        FindingCase("tls." + row, found, fires: Talk(fires, limits: limits), nearly: Talk(nearly, limits: nearlyLimits))
    }

    private static func hellos(then bytes: [UInt8] = []) -> [Talk.Step] {
        [.client(RecordedHello.client13), .server(RecordedHello.server13 + bytes)]
    }

    private static func hellos12(_ server: [UInt8] = RecordedHello.server12) -> [Talk.Step] {
        [.client(RecordedHello.client12), .server(server)]
    }

    /// Bytes with some of them replaced.
    private static func changed(_ bytes: [UInt8], _ changes: [Int: UInt8]) -> [UInt8] {
        var bytes = bytes
        for (index, byte) in changes { bytes[index] = byte }
        return bytes
    }

    static let tls: [FindingCase] = recordCases + helloCases + answerCases + keyCases + certificateCases

    private static var recordCases: [FindingCase] {
        let plain: [Talk.Step] = [.client(RecordedHello.client12)]
        let cut = Array(RecordedHello.sealed(23, 100).dropLast())
        return FindingCase.table {
            tls(
                "record-unknown", ["< @127 tls.record-unknown: expected a TLS record, found content type 25, version 0x0303"],
                hellos(then: RecordedHello.sealed(25, 9)), nearly: hellos(then: RecordedHello.sealed(24, 9)))
            tls(
                "record-unknown", ["< @127 tls.record-unknown: expected a TLS record, found content type 23, version 0x0400"],
                hellos(then: [23, 4, 0, 0, 1, 9]),
                // A minor version that does not exist must be ignored.
                nearly: hellos(then: [23, 3, 9, 0, 1, 9]))
            tls(
                "record-too-long", ["< @127 tls.record-too-long: a record of 16641 bytes, more than any record may have"],
                hellos(then: RecordedHello.sealed(23, 16_641)),
                nearly: hellos(then: RecordedHello.sealed(23, 16_640)))
            // TLS 1.2 allows more.
            tls(
                "record-too-long", ["< @85 tls.record-too-long: a record of 18433 bytes, more than any record may have"],
                hellos12(RecordedHello.server12 + RecordedHello.sealed(23, 18_433)),
                nearly: hellos12(RecordedHello.server12 + RecordedHello.sealed(23, 18_432)))
            tls(
                "record-empty", ["< @127 tls.record-empty: a record of content type 21 without content"], hellos(then: [21, 3, 3, 0, 0]),
                nearly: hellos(then: [23, 3, 3, 0, 0]))
            tls(
                "record-cut", ["< @127 tls.record-cut: nothing more was seen 104 bytes into a record of 105"], hellos(then: cut),
                nearly: hellos(then: RecordedHello.sealed(23, 100)))
            tls(
                "hello-unanswered",
                [
                    "< @0 tls.hello-unanswered: the server closed the connection without a response to the ClientHello; it may not speak TLS on "
                        + "this port, or may not serve this name"
                ],
                plain + [.finish(.server), .finish(.client)],
                // The client has left first.
                nearly: plain + [.finish(.client), .finish(.server)])
            tls(
                "http-response", ["< @0 tls.http-response: the server responded to the TLS ClientHello in plain HTTP"],
                plain + [.server("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")],
                nearly: plain + [.server("HTTP is not what this is\r\n")])
            tls(
                "other-response", ["< @0 tls.other-response: the server responded to the TLS ClientHello with something that is not TLS"],
                plain + [.server("220 mail ESMTP\r\n")], nearly: hellos12())
            tls(
                "alert-fatal", ["> @177 tls.alert-fatal: fatal alert of the client: unknown CA (48)"],
                hellos12() + [.client([21, 3, 3, 0, 2, 2, 48])],
                // An encrypted one is longer.
                nearly: hellos12() + [.client(RecordedHello.sealed(21, 26))])
            tls(
                "end-unannounced",
                [
                    "< @\(RecordedHello.server12.count) tls.end-unannounced: the connection was ended without close_notify, and then came a fatal "
                        + "alert of the server: decode error (50)"
                ],
                hellos12() + [.finish(.client), .server([21, 3, 3, 0, 2, 2, 50])],
                // What the server could not decode came before the client's end.
                nearly: hellos12() + [.server([21, 3, 3, 0, 2, 2, 50]), .finish(.client)])
            tls(
                "alert-level-invalid", ["> @177 tls.alert-level-invalid: an alert of level 5 of the client: unknown CA (48)"],
                hellos12() + [.client([21, 3, 3, 0, 2, 5, 48])], nearly: hellos12() + [.client([21, 3, 3, 0, 2, 2, 48])])
            tls(
                "alert-warning", ["> @177 tls.alert-warning: warning alert of the client: close notify (0)"],
                hellos12() + [.client([21, 3, 3, 0, 2, 1, 0])],
                nearly: hellos12() + [.client([21, 3, 3, 0, 2, 2, 0])])
        }
    }

    private static var helloCases: [FindingCase] {
        let client = RecordedHello.client13
        // Where the length of the extensions stands: after the record, the message, version, random, session and suites.
        let suites = Int(client[77]) + Int(client[76]) * 256
        let extensions: Int = 80 + suites
        var small = Limits()
        small.helloBytes = 236
        var enough = Limits()
        enough.helloBytes = 237
        let body: [UInt8] = [1, 3, 1, 0, 6, 0, 0, 0, 16, 0, 0, 0x2F, 7, 0, 0xC0] + (1...16)
        let old: [UInt8] = [0x80, UInt8(body.count)] + body
        return FindingCase.table {
            tls(
                "hello-malformed", ["> @0 tls.hello-malformed: a hello of 237 bytes that is not a valid ClientHello or ServerHello"],
                [.client(changed(client, [extensions + 1: client[extensions + 1] + 1]))],
                nearly: [.client(client)])
            // A session of 33 bytes: nothing after it can be found.
            tls(
                "hello-malformed", ["> @0 tls.hello-malformed: a hello of 237 bytes that is not a valid ClientHello or ServerHello"],
                [.client(changed(client, [43: 33]))], nearly: [.client(client)])
            // The message ends before its extensions do.
            tls(
                "hello-malformed", ["< @0 tls.hello-malformed: a hello of 79 bytes that is not a valid ClientHello or ServerHello"],
                hellos12(changed(RecordedHello.server12, [8: RecordedHello.server12[8] - 1])),
                nearly: hellos12())
            tls(
                "hello-too-long", ["> @0 tls.hello-too-long: a hello of 237 bytes, more than are kept"], [.client(client)],
                nearly: [.client(client)], limits: small, nearlyLimits: enough)
            // A challenge of 17 bytes where 16 follow: no hello, and no TLS.
            tls(
                "ssl2-hello", ["> @0 tls.ssl2-hello: a ClientHello in the form of SSL 2.0, which offers version 0x0301"],
                [.client(old)] + hellos12().dropFirst(), nearly: [.client(changed(old, [10: 17]))])
        }
    }

    private static var answerCases: [FindingCase] {
        let server = RecordedHello.server12
        let suite = 44 + Int(server[43])
        let name = (0..<server.count - 8).first { Array(server[$0..<$0 + 8]) == Array("http/1.1".utf8) } ?? 0
        return FindingCase.table {
            tls(
                "version-obsolete", ["< @0 tls.version-obsolete: client and server agreed on an obsolete version: TLS 1.1"],
                hellos12(changed(server, [10: 2])), nearly: hellos12())
            tls(
                "version-obsolete", ["< @0 tls.version-obsolete: client and server agreed on an obsolete version: SSL 3.0"],
                hellos12(changed(server, [10: 0])), nearly: hellos())
            tls(
                "suite-not-offered", ["< @0 tls.suite-not-offered: the server chose cipher suite 0xc02f, which the client did not offer"],
                hellos12(changed(server, [suite + 1: 0x2F])),
                nearly: hellos12(changed(server, [suite + 1: 0x2C])))
            // Without the offer nothing can be said about it.
            tls(
                "suite-not-offered", ["< @0 tls.suite-not-offered: the server chose cipher suite 0xc02f, which the client did not offer"],
                hellos12(changed(server, [suite + 1: 0x2F])),
                nearly: [.server(changed(server, [suite + 1: 0x2F]))])
            tls(
                "alpn-not-offered",
                ["< @0 tls.alpn-not-offered: the server chose the protocol \"http/1.0\", which the client did not offer"],
                hellos12(changed(server, [name + 7: UInt8(ascii: "0")])), nearly: hellos12())
        }
    }
}
