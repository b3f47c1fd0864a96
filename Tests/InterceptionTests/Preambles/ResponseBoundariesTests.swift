import Interception
import Testing

/// Where answers end, seen through the machine that is told of the requests.
@Suite("Ends of answers")
struct ResponseBoundariesTests {
    /// Whether a request for another server may go behind this answer.
    private func ends(_ answer: String, to method: String = "GET", _ cutting: Cutting) -> Bool {
        let told = ProxyDialogue.play(
            [
                .client("\(method) http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"), .server(answer),
                .client("GET http://b/ HTTP/1.1\r\nHost: b\r\n\r\n"),
            ], cutting)
        return told.contains("opens b:80")
    }

    @Test("an answer ends where RFC 9112 (section 6.3) says, and not a byte before", arguments: Cutting.allCases)
    func ends(cutting: Cutting) {
        for answer in [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.0 200\nContent-Length: 0\n\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\nContent-Length: 1\r\n\r\n5;x=y\r\nhello\r\n0\r\nTrailer: 1\r\n\r\n",
            "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\n\r\nabc",
            "\r\n\r\nHTTP/1.1 204 No Content\r\nContent-Length: x\r\n\r\n",
        ] {
            #expect(ends(answer, cutting), "\(answer)")
            #expect(!ends(String(answer.unicodeScalars.dropLast()), cutting), "\(answer)")
        }
        #expect(ends("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", to: "HEAD", cutting))
        #expect(ends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", to: "HEAD", cutting))
        // Methods have case.
        #expect(!ends("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", to: "head", cutting))
    }

    @Test("an answer without a length, or with a false one, ends with its connection", arguments: Cutting.allCases)
    func endless(cutting: Cutting) {
        for answer in [
            "HTTP/1.1 200 OK\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n0\r\n\r\n",
            "garbage\r\n\r\n",
            "HTTP/1.1 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        ] {
            #expect(!ends(answer, cutting), "\(answer)")
        }
    }

    @Test("a head without an end is given up at 64 KiB", arguments: [Cutting.whole, .random1])
    func longHead(cutting: Cutting) {
        #expect(!ends("HTTP/1.1 200 OK\r\n" + String(repeating: "a: b\r\n", count: 12_000) + "Content-Length: 0\r\n\r\n", cutting))
        #expect(ends("HTTP/1.1 200 OK\r\n" + String(repeating: "a: b\r\n", count: 10_000) + "Content-Length: 0\r\n\r\n", cutting))
    }

    @Test("an answer to nothing makes the connection its server's", arguments: Cutting.allCases)
    func unasked(cutting: Cutting) {
        let answer = "HTTP/1.1 204 No Content\r\n\r\n"
        #expect(ends(answer, cutting))
        let steps: [ProxyDialogue.Step] = [
            .client("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"), .server(answer + answer),
            .client("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
            .client("GET http://b/ HTTP/1.1\r\nHost: b\r\n\r\n"),
        ]
        #expect(ProxyDialogue.play(steps, cutting).last?.hasPrefix("close [] ") == true)
    }
}
