import Dissection
import Support

/// What follows what.
extension HTTP1Cases {
    static var exchangeCases: [FindingCase] {
        var one = Limits()
        one.pendingRequests = 1
        let ask: Talk.Step = request(upgrade)
        return FindingCase.table {
            http(
                "response-unasked", ["< @18 http.response-unasked: a response without a request"],
                [.client(get), .server(noContent + noContent)], nearly: [.client(get), .server(noContent)])
            http(
                "response-unasked", ["< @0 http.response-unasked: a response without a request"],
                [.server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")],
                nearly: [.server("HTTP/1.1 408 T\r\nContent-Length: 0\r\n\r\n")])
            // A server refuses a client that stops before it has asked, and a head before it is whole.
            http(
                "response-unasked", ["< @0 http.response-unasked: a response without a request"],
                [.finish(.client), .server("HTTP/1.1 200 B\r\nContent-Length: 0\r\n\r\n")],
                nearly: [.finish(.client), .server("HTTP/1.1 400 B\r\nContent-Length: 0\r\n\r\n")])
            http(
                "response-unasked", ["< @0 http.response-unasked: a response without a request"],
                [.server("HTTP/1.1 200 B\r\nContent-Length: 0\r\n\r\n"), .finish(.server)],
                nearly: [.client("GET / HT"), .server("HTTP/1.1 431 B\r\nContent-Length: 0\r\n\r\n"), .client("TP/1.1\r\nHost: x\r\n\r\n")])
            http(
                "request-unanswered", ["< @0 http.request-unanswered: requests without a response: 1"], [.client(get), .finish(.server)],
                nearly: [.client(get), .server(noContent)])
            http(
                "tls-alert", ["< @0 http.tls-alert: the server sent a TLS alert instead of an HTTP response"],
                [.client(get), .server([21, 3, 3, 0, 2, 2, 40])],
                nearly: [.client(get), .server([21, 3, 3, 0, 2, 3, 40])])
            http(
                "pending-limit", ["> @27 http.pending-limit: 1 requests are waiting for a response"], [.client(get + get)],
                nearly: [.client(get), .server(noContent), .client(get)], limits: one)
            http(
                "bytes-after-close", ["< @37 http.bytes-after-close: unexpected bytes after a message with Connection: close"],
                [.client(get + get), .server("HTTP/1.1 204 N\r\nConnection: close\r\n\r\n" + noContent)],
                nearly: [.client(get + get), .server("HTTP/1.1 204 N\r\nConnection: keep-alive\r\n\r\n" + noContent)])
            http(
                "bytes-after-close",
                [
                    "> @47 http.bytes-after-close: unexpected bytes after a message with Connection: close",
                    "< @0 http.request-unanswered: requests without a response: 2",
                ], [request("Connection: close\r\n"), .client(get)],
                nearly: [request("Connection: closed\r\n"), .client(get)])
            http(
                "informational-to-1.0",
                [
                    "< @0 http.informational-to-1.0: 100 response to an HTTP/1.0 client",
                    "< @18 http.request-unanswered: requests without a response: 1",
                ], answer("100 C", to: "GET / HTTP/1.0\r\n\r\n"), nearly: answer("100 C"))
            http(
                "challenge-missing", ["< @0 http.challenge-missing: 401 response without a challenge"], answer("401 U"),
                nearly: answer("401 U\r\nWWW-Authenticate: Basic"))
            http(
                "challenge-missing", ["< @0 http.challenge-missing: 407 response without a challenge"], answer("407 U"),
                nearly: answer("407 U\r\nProxy-Authenticate: Basic"))
            http(
                "allow-missing", ["< @0 http.allow-missing: 405 response without an Allow header"], answer("405 N"),
                nearly: answer("405 N\r\nAllow:"))
            http(
                "content-range-missing", ["< @0 http.content-range-missing: 206 response without a Content-Range header"], answer("206 P"),
                nearly: answer("206 P\r\nContent-Range: bytes 0-1/2"))
            http(
                "content-range-missing", ["< @0 http.content-range-missing: 206 response without a Content-Range header"],
                answer("206 P\r\nContent-Type: text/plain"),
                nearly: answer("206 P\r\nContent-Type: multipart/byteranges; boundary=x"))
            http(
                "upgrade-without-connection",
                [
                    "> @35 http.upgrade-without-connection: an Upgrade header without Connection: upgrade",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [request("Upgrade: foo\r\n")], nearly: [ask])
            http(
                "upgrade-in-1.0",
                [
                    "> @55 http.upgrade-in-1.0: Upgrade in an HTTP/1.0 request",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [request(upgrade, line: "GET / HTTP/1.0")], nearly: [request(upgrade, line: "GET / HTTP/1.1")]
            )
            http(
                "switching-unasked", ["< @0 http.switching-unasked: 101 response to a request that did not ask for an upgrade"],
                answer("101 S\r\n" + "Connection: upgrade\r\nUpgrade: foo"),
                nearly: [ask, .server("HTTP/1.1 101 S\r\n\(upgrade)\r\n")])
            http(
                "switching-without-upgrade", ["< @0 http.switching-without-upgrade: 101 response without an Upgrade header"],
                [ask, .server("HTTP/1.1 101 S\r\n\r\n")],
                nearly: [ask, .server("HTTP/1.1 101 S\r\n\(upgrade)\r\n")])
            http(
                "switching-elsewhere", ["< @46 http.switching-elsewhere: the server switches to bar, which was not offered"],
                [ask, .server("HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: bar\r\n\r\n")],
                nearly: [request("Connection: upgrade\r\nUpgrade: bar, Foo\r\n"), .server("HTTP/1.1 101 S\r\n\(upgrade)\r\n")])
            // The layer below may be named too (RFC 2817, section 3.3).
            http(
                "switching-elsewhere", ["< @46 http.switching-elsewhere: the server switches to bar, HTTP/1.1, which was not offered"],
                [ask, .server("HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: bar, HTTP/1.1\r\n\r\n")],
                nearly: [ask, .server("HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: foo, HTTP/1.1\r\n\r\n")])
            http(
                "upgrade-required-missing", ["< @0 http.upgrade-required-missing: 426 response without an Upgrade header"],
                answer("426 U\r\nContent-Length: 0"),
                nearly: answer("426 U\r\nConnection: upgrade\r\nUpgrade: foo\r\nContent-Length: 0"))
        }
    }
}
