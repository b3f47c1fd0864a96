import Dissection
import Support

/// Where a body ends.
extension HTTP1Cases {
    static var framingCases: [FindingCase] {
        let both = "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"
        let expecting: [Talk.Step] = [
            request("Content-Length: 9\r\nExpect: 100-continue\r\n"), .server("HTTP/1.1 417 E\r\nContent-Length: 0\r\n\r\n"),
        ]
        return FindingCase.table {
            http(
                "body-omitted",
                [
                    "> @69 http.body-omitted: the client left out the body of its request after a final response",
                    "< @37 http.request-unanswered: requests without a response: 1",
                ], expecting + [.client(get)], nearly: expecting + [.client("POST / it")])
            http(
                "length-and-coding",
                [
                    "> @70 http.length-and-coding: the message has both Transfer-Encoding and Content-Length",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [request(both, body: "0\r\n\r\n")], nearly: [request("Content-Length: 3\r\n", body: "abc")]
            )
            http(
                "content-length-invalid", ["> @42 http.content-length-invalid: Content-Length is not a decimal number"],
                [request("Content-Length: 3x\r\n")], nearly: [request("Content-Length: 0\r\n")])
            http(
                "content-length-invalid", ["> @42 http.content-length-invalid: Content-Length is not a decimal number"],
                [request("Content-Length: -1\r\n")], nearly: [request("Content-Length: 00\r\n")])
            http(
                "content-length-too-large", ["> @42 http.content-length-too-large: Content-Length is a number of more than 64 bits"],
                [request("Content-Length: 18446744073709551616\r\n")],
                nearly: [request("Content-Length: 18446744073709551615\r\n")])
            http(
                "content-length-differs", ["> @61 http.content-length-differs: two different values of Content-Length, 1 and 2"],
                [request("Content-Length: 1\r\nContent-Length: 2\r\n", body: "ab")],
                nearly: [request("Content-Length: 1\r\nContent-Length: 1\r\n", body: "a")])
            http(
                "content-length-repeated",
                [
                    "> @42 http.content-length-repeated: duplicate Content-Length with the same value",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [request("Content-Length: 1, 1\r\n", body: "a")],
                nearly: [request("Content-Length: 1\r\n", body: "a")])
            http(
                "transfer-coding-in-1.0",
                [
                    "> @45 http.transfer-coding-in-1.0: Transfer-Encoding in an HTTP/1.0 message",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [request("Transfer-Encoding: chunked\r\n", body: "0\r\n\r\n", line: "POST / HTTP/1.0")],
                nearly: [request("Transfer-Encoding: chunked\r\n", body: "0\r\n\r\n")])
            http(
                "transfer-coding-unknown",
                [
                    "> @45 http.transfer-coding-unknown: a transfer coding is not registered",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [request("Transfer-Encoding: zip, chunked\r\n", body: "0\r\n\r\n")],
                nearly: [request("Transfer-Encoding: compress, chunked\r\n", body: "0\r\n\r\n")])
            http(
                "chunked-not-last", ["> @45 http.chunked-not-last: the last transfer coding is not chunked"],
                [request("Transfer-Encoding: chunked, gzip\r\n")],
                nearly: [request("Transfer-Encoding: gzip, chunked\r\n", body: "0\r\n\r\n")])
            http(
                "chunked-not-last", ["> @45 http.chunked-not-last: the last transfer coding is not chunked"],
                [request("Transfer-Encoding: gzip\r\n")],
                nearly: answer("200 OK\r\nTransfer-Encoding: gzip"))
            http(
                "chunked-twice",
                [
                    "> @45 http.chunked-twice: chunked is applied more than once",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], [request("Transfer-Encoding: chunked, chunked\r\n", body: "0\r\n\r\n")],
                nearly: [request("Transfer-Encoding: chunked\r\n", body: "0\r\n\r\n")])
            http(
                "chunk-size-invalid", ["< @47 http.chunk-size-invalid: expected a chunk size, found other data"], chunks("x\r\n"),
                nearly: chunks("A\r\n0123456789\r\n0\r\n\r\n"))
            http(
                "chunk-size-invalid", ["< @49 http.chunk-size-invalid: expected a chunk size, found other data"], chunks("1\rx"),
                nearly: chunks("FFFFFFFFFFFFFFFF\r\n"))
            http(
                "chunk-size-space", ["< @48 http.chunk-size-space: there is whitespace after a chunk size"], chunks("1 \r\na\r\n0\r\n\r\n"),
                nearly: chunks("1\r\n \r\n0\r\n\r\n"))
            http(
                "chunk-extension", ["< @48 http.chunk-extension: a chunk has an extension"], chunks("1;a\r\na\r\n0\r\n\r\n"),
                nearly: chunks("1\r\n;\r\n0\r\n\r\n"))
            http(
                "chunk-extension-invalid",
                [
                    "< @48 http.chunk-extension: a chunk has an extension",
                    "< @49 http.chunk-extension-invalid: a chunk extension breaks the grammar",
                ], chunks("1;\r\na\r\n0\r\n\r\n"), nearly: chunks("1; a=\"b;\\\"\"\r\na\r\n0\r\n\r\n"))
            http(
                "chunk-extension-invalid",
                [
                    "< @48 http.chunk-extension: a chunk has an extension",
                    "< @51 http.chunk-extension-invalid: a chunk extension breaks the grammar",
                ], chunks("1;a\rb\r\na\r\n0\r\n\r\n"), nearly: chunks("1;a\r\nb\r\n0\r\n\r\n"))
            http(
                "chunk-extension-invalid",
                [
                    "< @48 http.chunk-extension: a chunk has an extension",
                    "< @50 http.chunk-extension-invalid: a chunk extension breaks the grammar",
                ], chunks("1;a\u{1}\r\na\r\n0\r\n\r\n"), nearly: chunks("1;a\r\n\u{1}\r\n0\r\n\r\n"))
            http(
                "chunk-extension-long",
                [
                    "< @48 http.chunk-extension: a chunk has an extension",
                    "< @4145 http.chunk-extension-long: a chunk extension is longer than 4096 bytes",
                ], chunks("1;\(String(repeating: "a", count: 4_097))\r\na\r\n0\r\n\r\n"),
                nearly: chunks("1;\(String(repeating: "a", count: 4_000))\r\na\r\n0\r\n\r\n"))
            http(
                "chunk-terminator-missing", ["< @51 http.chunk-terminator-missing: no line end after the data of a chunk"],
                chunks("1\r\nab\r\n"), nearly: chunks("1\r\na\n0\r\n\r\n"))
        }
    }
}
