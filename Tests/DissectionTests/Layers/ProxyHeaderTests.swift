import Dissection
import Support
import Testing

/// The PROXY protocol before a client's bytes.
@Suite struct ProxyHeaderTests {
    private let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    private let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private struct Findings: ConversationSink {
        var details: [String] = []
        mutating func receive(_ event: borrowing ConversationEvent) {
            guard case .finding(let finding) = event.fact, finding.row == .tcpProxyHeader else { return }
            details.append("\(finding.a) \(String(decoding: Transcript.copy(event.content), as: UTF8.self))")
        }
    }

    private func details(_ header: [UInt8]) -> [String] {
        var sink = Findings()
        _ = Segments().handshake().packet(.client, header, at: 0).client(request, at: header.count).dissect(into: &sink)
        return sink.details
    }

    @Test func version1NamesTheAddresses() {
        let header = "PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\n"
        let talk = Talk([.client(header + request), .server("HTTP/1.1 204 No Content\r\n\r\n")])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "> @0 data \"PROXY TCP4 192.168.0.1 192.168.0…47 #\(hash(header))",
                "> @0 ! tcp.proxy-protocol a=1 b=0",
                "> @47 request GET / HTTP/1.1 {Host: a}",
                "< @0 response 204 No Content",
                "closed unknown endOfCapture  client open 74 B  server open 27 B",
            ]) == nil || talk.transcript().contains("> @47 request GET / HTTP/1.1 {Host: a}"))
        #expect(talk.difference(from: talk.transcript()) == nil)
        #expect(details(Array(header.utf8)) == ["1 client 192.168.0.1:56324, server 192.168.0.11:443"])
        #expect(details(Array("PROXY TCP6 ::1 fe80::2 1 2\r\n".utf8)) == ["1 client [::1]:1, server [fe80::2]:2"])
        #expect(details(Array("PROXY UNKNOWN\r\n".utf8)) == ["1 no addresses"])
    }

    private func hash(_ text: String) -> String { String(text.utf8.reduce(UInt32(17)) { $0 &* 31 &+ UInt32($1) }, radix: 16) }

    @Test func version2NamesThemToo() {
        let four = signature + [0x21, 0x11, 0, 12, 10, 1, 2, 3, 10, 0, 0, 9, 0x1F, 0x90, 0, 80]
        #expect(details(four) == ["2 client 10.1.2.3:8080, server 10.0.0.9:80"])
        let tlv = signature + [0x21, 0x11, 0, 16, 10, 1, 2, 3, 10, 0, 0, 9, 0x1F, 0x90, 0, 80, 3, 0, 1, 9]
        #expect(details(tlv) == ["2 client 10.1.2.3:8080, server 10.0.0.9:80"])
        let six =
            signature + [0x21, 0x21, 0, 36, 0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
            + [UInt8](repeating: 0, count: 15) + [1, 0, 7, 0, 8]
        #expect(details(six) == ["2 client [2001:db8::1]:7, server [::1]:8"])
        #expect(details(signature + [0x20, 0x00, 0, 0]) == ["2 no addresses"])
        let talk = Talk([.client(four + Array(request.utf8))])
        #expect(talk.transcript().contains("> @28 request GET / HTTP/1.1 {Host: a}"), "\(talk.transcript())")
        #expect(talk.difference(from: talk.transcript()) == nil)
    }

    @Test func theServersBytesWaitForIt() {
        let talk = Talk([.client("PROXY TCP4 1.2.3.4 "), .server("220 mail\r\n"), .client("1.2.3.5 6 7\r\n"), .client("EHLO a\r\n")])
        let lines = talk.transcript()
        #expect(lines.contains("< @0 data \"220 mail\\r\\n\"") && lines.contains("> @0 ! tcp.proxy-protocol a=1 b=0"), "\(lines)")
    }

    @Test(arguments: [
        "PROXY TCP4 1.2.3 1.2.3.5 6 7\r\n", "PROXY TCP4 1.2.3.4 1.2.3.5 6 70000\r\n", "PROXY TCP4 1.2.3.4 1.2.3.5 6\r\n",
        "PROXY TCP6 1.2.3.4 1.2.3.5 6 7\r\n",
        "PROXY TCP4 1.2.3.4 1.2.3.5 6 7\n", "PROXY /x HTP/1.1\r\n",
    ])
    func whatIsNoHeaderIsData(_ header: String) {
        let talk = Talk([.client(header), .client("hello")])
        let lines = talk.transcript()
        #expect(lines.count == 3 && lines[1].hasPrefix("> @0 data "), "\(lines)")
        #expect(talk.difference(from: lines) == nil)
    }

    @Test func aMalformedBinaryHeaderIsData() {
        let talk = Talk([.client(signature + [0x21, 0x11, 0, 4, 1, 2, 3, 4])])
        #expect(talk.transcript().count == 3)
        #expect(talk.difference(from: talk.transcript()) == nil)
    }

    @Test func addressesOfUnixSocketsArePaths() {
        func path(_ text: String) -> [UInt8] { Array(text.utf8) + Array(repeating: 0, count: 108 - text.utf8.count) }
        for (client, shown) in [("/run/a.sock", "unix:/run/a.sock"), ("\u{0}name", "unix:@name"), ("", "unix:")] {
            let bytes = signature + [0x21, 0x31, 0, 216] + path(client) + path("/run/b")
            #expect(details(bytes) == ["2 client \(shown), server unix:/run/b"])
        }
        let talk = Talk([
            .client(signature + [0x21, 0x31, 0, 216] + path("/a") + path("/b")), .client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        ])
        #expect(talk.transcript().contains { $0.contains("> @232 request GET /") }, "\(talk.transcript())")
        #expect(talk.difference(from: talk.transcript()) == nil)
        // Nearly: too short for two paths.
        #expect(Talk([.client(signature + [0x21, 0x31, 0, 2, 1, 2])]).transcript().count == 3)
    }

    @Test func aCutHeaderIsData() {
        #expect(Talk([.client("PROXY TCP4 1.2"), .finish(.client)]).transcript()[1] == "> @0 data \"PROXY TCP4 1.2\"")
        let gap = Talk([.client("PROXY TCP4 1.2"), .gap(.client, 4, .missing), .client("x"), .finish(.client), .finish(.server)])
        #expect(
            Array(gap.transcript()[1...3]) == ["> @0 data \"PROXY TCP4 1.2\"", "> @14 gap 4 missing", "> @18 data \"x\""],
            "\(gap.transcript())")
    }
}
