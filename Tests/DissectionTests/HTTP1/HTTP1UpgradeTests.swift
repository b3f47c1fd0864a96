import Dissection
import Support
import Testing

/// Upgrades and tunnels (RFC 9110, sections 7.8 and 9.3.6).
@Suite struct HTTP1UpgradeTests {
    private let ask = "GET /c HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\nUpgrade: foo/1\r\n\r\n"
    private let asked = "> @0 request GET /c HTTP/1.1 {Host: h} {Connection: keep-alive, Upgrade} {Upgrade: foo/1}"
    private let agree = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: foo/1\r\n\r\n"
    private let agreed = "< @0 response 101 Switching Protocols {Connection: upgrade} {Upgrade: foo/1}"

    @Test func bytesBehindTheRequestWaitForTheAnswer() {
        let talk = Talk([.client(ask + "early"), .client(" more"), .server(agree + "late"), .client("!")])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake", asked, agreed, "< @0 upgrade foo/1 accepted", "> @77 data \"early more\"",
                "< @73 data \"late\"", "> @87 data \"!\"", "closed unknown endOfCapture  client open 88 B  server open 77 B",
            ]) == nil)
    }

    @Test func refusedUpgradesGoOnAsHTTP() {
        let talk = Talk([
            .client(ask + "GET /d HTTP/1.1\r\nHost: h\r\n\r\n"),
            .server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nnoHTTP/1.1 204 N\r\n\r\n"),
        ])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake", asked, "< @0 response 200 OK {Content-Length: 2}", "< @0 upgrade foo/1 refused",
                "> @77 request GET /d HTTP/1.1 {Host: h}", "< @38 body 1 final 2/2 B \"no\"", "< @40 response 204 N",
                "closed unknown endOfCapture  client open 105 B  server open 58 B",
            ]) == nil)
    }

    @Test func anUpgradeInTheSameSegmentsAsEarlierRequests() {
        let first = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
        let talk = Talk([.client(first + ask + "x"), .server("HTTP/1.1 204 N\r\n\r\n" + agree + "y")])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake", "> @0 request GET /a HTTP/1.1 {Host: h}",
                asked.replacing("@0", with: "@28"), "< @0 response 204 N", agreed.replacing("@0", with: "@18"),
                "< @18 upgrade foo/1 accepted", "> @105 data \"x\"", "< @91 data \"y\"",
                "closed unknown endOfCapture  client open 106 B  server open 92 B",
            ]) == nil)
    }

    @Test func aTunnelIsWhateverItIs() {
        let talk = Talk([
            .client("CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n"), .server("HTTP/1.1 200 OK\r\n\r\n"),
            .client("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), .server("HTTP/1.1 204 N\r\n\r\n"),
        ])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake", "> @0 request CONNECT h:80 HTTP/1.1 {Host: h:80}", "< @0 response 200 OK",
                "> | @0 request GET / HTTP/1.1 {Host: h}", "< | @0 response 204 N",
                "closed unknown endOfCapture  client open 64 B  server open 37 B",
            ]) == nil)
    }

    @Test func aRefusedTunnelGoesOnAsHTTP() {
        let talk = Talk([
            .client("CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
            .server("HTTP/1.1 403 F\r\nContent-Length: 0\r\n\r\n"), .server("HTTP/1.1 204 N\r\n\r\n"),
        ])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake", "> @0 request CONNECT h:80 HTTP/1.1 {Host: h:80}",
                "< @0 response 403 F {Content-Length: 0}", "> @37 request GET / HTTP/1.1 {Host: h}", "< @37 response 204 N",
                "closed unknown endOfCapture  client open 64 B  server open 55 B",
            ]) == nil)
    }

    @Test func theWebSocketHandshakeIsHandedOver() {
        let talk = Talk([
            .client("GET /w HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
            .server("HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n"),
        ])
        let told = talk.transcript()
        #expect(told.contains { $0.hasPrefix("< @0 upgrade websocket accepted") })
        #expect(talk.difference(from: told) == nil)
    }

    @Test func aRequestWithABodyAndAnUpgrade() {
        let talk = Talk([
            .client("POST / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nhixyz"),
            .server("HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"),
        ])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "> @0 request POST / HTTP/1.1 {Host: h} {Connection: Upgrade} {Upgrade: h2c} {Content-Length: 2}",
                "> @82 body 1 final 2/2 B \"hi\"", "< @0 response 101 S {Connection: Upgrade} {Upgrade: h2c}",
                "< @0 upgrade h2c accepted", "> @84 ! http2.preface-invalid a=0 b=0", "> @84 gap 3 resync",
                "< @53 ! http2.request-unanswered a=1 b=0", "closed unknown endOfCapture  client open 87 B  server open 53 B",
            ]) == nil)
    }

    @Test func eachOfSeveralOffersIsItsOwn() {
        let first = "GET /a HTTP/1.1\r\nHost: h\r\nUpgrade: foo/1\r\n\r\n"
        let second = ask.replacing("/c", with: "/b").replacing("foo/1", with: "bar")
        // The offer of the first is forgotten when the second comes: nobody can say what a 101 to it agrees to.
        let talk = Talk([.client(first + second), .server("HTTP/1.1 204 N\r\n\r\n" + agree.replacing("foo/1", with: "bar"))])
        let told = talk.transcript()
        #expect(told.contains("< @18 upgrade bar accepted") && !told.contains { $0.contains("refused") }, "\(told)")
        #expect(!told.contains { $0.contains("http.switching") }, "\(told)")
        let other = Talk([.client(first + second), .server(agree)]).transcript()
        #expect(!other.contains { $0.contains("http.switching") }, "\(other)")
        // Nearly: an upgrade that no request offers.
        let none = Talk([.client("GET /a HTTP/1.1\r\nHost: h\r\n\r\n"), .server(agree)]).transcript()
        #expect(none.contains { $0.contains("http.switching-unasked") }, "\(none)")
    }

    @Test func anUpgradeThatIsNotAnsweredLeavesBytesOfNoProtocol() {
        let talk = Talk([.client(ask + "xyz"), .finish(.client)])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake", asked, "< @0 ! http.request-unanswered a=1 b=0", "> @77 data \"xyz\"",
                "closed client fin  client fin 80 B  server open 0 B",
            ]) == nil)
    }
}
