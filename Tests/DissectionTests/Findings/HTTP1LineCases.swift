import Dissection
import Support

/// Start lines and heads.
extension HTTP1Cases {
    static var lineCases: [FindingCase] {
        var small = Limits()
        small.headBytes = 40
        return FindingCase.table {
            http(
                "start-line-invalid", ["> @27 http.start-line-invalid: expected a start line, found other data"],
                [.client(get + "\u{1}\u{2}\r\n")], nearly: [.client(get + get)])
            http(
                "empty-line",
                [
                    "> @27 http.empty-line: 2 bytes of empty lines before the start line",
                    "< @0 http.request-unanswered: requests without a response: 2",
                ], [.client(get + "\r\n" + get)], nearly: [.client(get + get)])
            // Nothing comes after them.
            http(
                "empty-line",
                [
                    "> @27 http.empty-line: 1 byte of empty lines before the start line",
                    "< @0 http.request-unanswered: requests without a response: 2",
                ], [.client(get + "\n" + get)], nearly: [.client(get + "\r\n"), .finish(.client)])
            http(
                "method-lower-case",
                [
                    "> @27 http.method-lower-case: the method get has lower-case letters",
                    "< @0 http.request-unanswered: requests without a response: 2",
                ], [.client(get + "get / HTTP/1.1\r\nHost: x\r\n\r\n")], nearly: line("GET / HTTP/1.1"))
            http(
                "method-unknown",
                [
                    "> @0 http.method-unknown: the method GRT is not registered",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], line("GRT / HTTP/1.1"), nearly: line("PROPFIND / HTTP/1.1"))
            http(
                "method-unknown",
                [
                    "> @0 http.method-unknown: the method PRJ is not registered",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], line("PRJ / HTTP/1.1"), nearly: [.client(get + "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")])
            http(
                "target-space",
                [
                    "> @4 http.target-space: there is whitespace in or around the request target",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], line("GET /a b HTTP/1.1"), nearly: line("GET /a%20b HTTP/1.1"))
            http(
                "target-form",
                [
                    "> @4 http.target-form: the request target does not have a form that the method allows",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], line("GET * HTTP/1.1"), nearly: line("OPTIONS * HTTP/1.1"))
            http(
                "target-form",
                [
                    "> @8 http.target-form: the request target does not have a form that the method allows",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], line("CONNECT /a HTTP/1.1"), nearly: line("CONNECT [::1]:80 HTTP/1.1"))
            http(
                "target-form",
                [
                    "> @4 http.target-form: the request target does not have a form that the method allows",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], line("GET x:80 HTTP/1.1"), nearly: line("GET http://x:80/ HTTP/1.1"))
            http(
                "target-character",
                [
                    "> @4 http.target-character: the request target has the byte 0x7c, which no URI has",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], line("GET /a|b HTTP/1.1"), nearly: line("GET /a!b HTTP/1.1"))
            http(
                "version-0.9",
                [
                    "> @0 http.version-0.9: an HTTP/0.9 request, which has no version and no headers",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [.client("GET /\r\n")], nearly: [.client("GET / HTTP/1.0\r\n\r\n")])
            http(
                "version-invalid",
                [
                    "> @6 http.version-invalid: the version HTTP/1.10 is not HTTP, a slash, a digit, a point and a digit",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], line("GET / HTTP/1.10"), nearly: line("GET / HTTP/1.1"))
            http(
                "version-case",
                [
                    "> @33 http.version-case: the protocol name in the version has lower-case letters",
                    "< @0 http.request-unanswered: requests without a response: 2",
                ], [.client(get + "GET / http/1.1\r\nHost: x\r\n\r\n")], nearly: line("GET / HTTP/1.1"))
            http(
                "version-unexpected",
                [
                    "> @6 http.version-unexpected: version 1.2 in the syntax of HTTP/1.1",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], line("GET / HTTP/1.2"), nearly: line("GET / HTTP/1.0"))
            http(
                "status-invalid", ["< @0 http.status-invalid: the status 600 is not from 100 to 599"], answer("600 X"),
                nearly: answer("599 X"))
            http(
                "status-line-space", ["< @0 http.status-line-space: the space after the status code is missing"], answer("204"),
                nearly: answer("204 "))
            http(
                "bare-lf",
                ["> @23 http.bare-lf: a line ends with LF alone", "< @0 http.request-unanswered: requests without a response: 1"],
                [.client("GET / HTTP/1.1\r\nHost: x\n\r\n")], nearly: [.client(get)])
            http(
                "bare-lf",
                ["> @14 http.bare-lf: a line ends with LF alone", "< @0 http.request-unanswered: requests without a response: 1"],
                [.client("GET / HTTP/1.1\nHost: x\r\n\r\n")], nearly: [.client(get)])
            http(
                "bare-lf",
                ["> @25 http.bare-lf: a line ends with LF alone", "< @0 http.request-unanswered: requests without a response: 1"],
                [.client("GET / HTTP/1.1\r\nHost: x\r\n\n")], nearly: [.client(get)])
            http(
                "bare-cr",
                ["> @30 http.bare-cr: a CR stands inside a line", "< @0 http.request-unanswered: requests without a response: 1"],
                [request("X: a\rb\r\n")], nearly: [request("X: a b\r\n")])
            http(
                "head-cut", ["> @0 http.head-cut: the end of the head was not seen"],
                [.client("GET / HTTP/1.1\r\nHo"), .gap(.client, 9, .truncated)],
                nearly: [.client(get), .gap(.client, 9, .truncated)])
            http(
                "head-limit", ["> @0 http.head-limit: a head or trailer section is longer than 40 bytes"],
                [request("X: \(String(repeating: "y", count: 40))\r\n")], nearly: [.client(get)], limits: small)
            http(
                "head-limit", ["< @50 http.head-limit: a head or trailer section is longer than 60 bytes"],
                chunks("0\r\nX: \(String(repeating: "y", count: 60))\r\n\r\n"),
                nearly: chunks("0\r\nX: y\r\n\r\n"),
                limits: {
                    var l = Limits(); l.headBytes = 60; return l
                }())
        }
    }
}
