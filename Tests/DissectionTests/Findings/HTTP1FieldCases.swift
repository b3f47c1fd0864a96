import Dissection
import Support

/// Header fields and trailers.
extension HTTP1Cases {
    static var fieldCases: [FindingCase] {
        let many = (0..<100).map { "X\($0): \($0)\r\n" }.joined()
        let fewer = (0..<99).map { "X\($0): \($0)\r\n" }.joined()
        return FindingCase.table {
            http(
                "field-space-before-colon",
                [
                    "> @26 http.field-space-before-colon: there is whitespace between a header name and its colon",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [request("X : a\r\n")], nearly: [request("X:  a\r\n")])
            http(
                "field-folded",
                [
                    "> @26 http.field-folded: a header continues on the next line (obsolete line folding)",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [request("X: a\r\n b\r\n")], nearly: [request("X: a\r\nb: c\r\n")])
            http(
                "field-folded",
                [
                    "> @16 http.field-folded: a header continues on the next line (obsolete line folding)",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [.client("GET / HTTP/1.1\r\n Host: x\r\n\r\n")], nearly: [.client(get)])
            http(
                "field-without-colon",
                [
                    "> @26 http.field-without-colon: a header line has no colon",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [request("X\r\n")], nearly: [request("X:\r\n")])
            http(
                "field-name-invalid",
                [
                    "> @26 http.field-name-invalid: a header name is not a valid token",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [request("X{}: a\r\n")], nearly: [request("X-$_~: a\r\n")])
            http(
                "field-name-invalid",
                [
                    "> @26 http.field-name-invalid: a header name is not a valid token",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [request(": a\r\n")], nearly: [request("A: \r\n")])
            http(
                "field-value-control",
                [
                    "> @30 http.field-value-control: a header value has the control character 0x00",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [request("X: a\u{0}b\r\n")], nearly: [request("X: a\tb\u{E9}\r\n")])
            http(
                "fields-many", ["> @0 http.fields-many: 101 header lines", "< @0 http.request-unanswered: requests without a response: 1"],
                [request(many)], nearly: [request(fewer)])
            http(
                "host-missing",
                ["> @0 http.host-missing: the request has no Host header", "< @0 http.request-unanswered: requests without a response: 1"],
                [.client("GET / HTTP/1.1\r\n\r\n")], nearly: [.client("GET / HTTP/1.0\r\n\r\n")])
            http(
                "host-duplicate",
                [
                    "> @32 http.host-duplicate: the request has more than one Host header",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [request("Host: y\r\n")], nearly: [request("Hosts: y\r\n")])
            http(
                "host-invalid",
                [
                    "> @22 http.host-invalid: the value of Host is not a valid host",
                    "> @33 http.host-duplicate: the request has more than one Host header",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], line("GET / HTTP/1.1\r\nHost: a/b"), nearly: line("GET / HTTP/1.1\r\nX: a/b"))
            http(
                "host-invalid",
                [
                    "> @22 http.host-invalid: the value of Host is not a valid host",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [.client("GET / HTTP/1.1\r\nHost: a@b\r\n\r\n")],
                nearly: [.client("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n")])
            http(
                "trailer-forbidden", ["< @50 http.trailer-forbidden: header not allowed in trailers"],
                chunks("0\r\nContent-Length: 1\r\n\r\n"), nearly: chunks("0\r\nServer-Timing: 1\r\n\r\n"))
        }
    }
}
