import Dissection
import Support
import Testing

/// TLS spoken to a port that does not speak it: what the server says is shown as what it is.
@Suite struct PlainResponseTests {
    private static let refusal = "HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno\n"

    @Test func aResponseOfHTTPIsReadAsOne() {
        let alert: [UInt8] = [21, 3, 1, 0, 2, 2, 70]
        let talk = Talk([
            .client(RecordedHello.client12), .server(Self.refusal), .client(alert), .finish(.server), .finish(.client),
        ])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "> @0 tls name chat.example alpn  version - cipher -",
                "< @0 ! tls.http-response a=0 b=0",
                "< @0 response 400 Bad Request {Content-Length: 3} {Connection: close}",
                "< @66 body 1 final 3/3 B \"no\\n\"",
                "> @177 data 7 B tlsRecord(contentType: 21) \"\"",
                "> @177 ! tls.alert-fatal a=70 b=0",
                "closed server fin  client fin 184 B  server fin 69 B",
            ]) == nil)
    }

    @Test(arguments: ["220 mail ESMTP\r\n", "SSH-2.0-x\r\n", "-ERR what?\r\n", "hello there"])
    func otherTextIsShown(_ text: String) {
        let talk = Talk([.client(RecordedHello.client12), .server(text), .server("more")])
        let told = talk.transcript()
        #expect(told.filter { $0.contains(" ! ") } == ["< @0 ! tls.other-response a=0 b=0"], "\(told)")
        #expect(told.contains { $0.hasPrefix("< @0 data \"") && $0.hasSuffix("more\"") }, "\(told)")
        #expect(talk.difference(from: told) == nil)
    }

    @Test func whatIsNeitherTextNorTLSIsShown() {
        // The SETTINGS of HTTP/2 without TLS.
        let talk = Talk([.client(RecordedHello.client12), .server([0, 0, 0, 4, 0, 0, 0, 0, 0]), .finish(.server)])
        let told = talk.transcript()
        #expect(told.contains("< @0 ! tls.other-response a=0 b=0") && told.contains("< @0 data 00 00 00 04 00 00 00 00 00"), "\(told)")
        #expect(talk.difference(from: told) == nil)
        // Half a hello is enough for some servers.
        let early = Talk([
            .client(Array(RecordedHello.client12.prefix(100))), .server(Self.refusal),
            .client(Array(RecordedHello.client12.dropFirst(100))),
            .finish(.server),
        ])
        let lines = early.transcript()
        #expect(lines.filter { $0.contains(" ! ") } == ["< @0 ! tls.http-response a=0 b=0"], "\(lines)")
        #expect(lines.contains("> @0 tls name chat.example alpn  version - cipher -"), "\(lines)")
        #expect(early.difference(from: lines) == nil)
    }

    @Test func afterARecordItIsAFault() {
        for steps: [Talk.Step] in [
            [.client(RecordedHello.client12), .server(RecordedHello.server12 + Array(Self.refusal.utf8))],
            [.client(RecordedHello.client12 + Array("GET / HTTP/1.1\r\n\r\n".utf8)), .server(RecordedHello.server12)],
        ] {
            let told = Talk(steps).transcript()
            #expect(told.contains { $0.contains("tls.record-unknown") }, "\(told)")
        }
    }

    @Test func lossesInsideItAreTold() {
        let head = "HTTP/1.1 400 B\r\nContent-Length: 30\r\n\r\nbeginning"
        let talk = Talk([
            .client(RecordedHello.client12), .server(head), .gap(.server, 10, .missing), .server("the end is "), .finish(.server),
        ])
        let told = talk.transcript()
        #expect(told.contains("< @\(head.utf8.count) gap 10 missing") && told.contains { $0.contains("\"the end is \"") }, "\(told)")
        #expect(!told.contains { $0.contains("record-unknown") }, "\(told)")
        #expect(talk.difference(from: told) == nil)
    }

    @Test func requestsInPlaintextMayBeAnsweredWithAnAlert() {
        let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        let talk = Talk([.client(get), .server([21, 3, 1, 0, 2, 2, 70]), .finish(.server)])
        let told = talk.transcript()
        #expect(told.contains("< @0 ! http.tls-alert a=0 b=0") && !told.contains { $0.contains("start-line") }, "\(told)")
        #expect(told.contains("< @0 data 15 03 01 00 02 02 46"), "\(told)")
        #expect(talk.difference(from: told) == nil)
        let nearly = Talk([.client(get), .server([21, 3, 1, 0, 3, 2, 70])])
        #expect(nearly.transcript().contains { $0.contains("start-line-invalid") }, "\(nearly.transcript())")
    }
}
