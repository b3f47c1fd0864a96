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
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nTrailer: 1\r\n\r\n",
            "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\n\r\nabc",
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
            // Some clients take the interim response for the final one, and end a line at a bare CR.
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nX: a\rContent-Length: 0\r\nContent-Length: 3\r\n\r\nabc",
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

    private static let get = "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let other = "GET http://b/ HTTP/1.1\r\nHost: b\r\n\r\n"

    @Test(
        "what follows the response to the last request goes nowhere, and the client goes on on a new connection",
        arguments: Cutting.allCases)
    func excess(cutting: Cutting) {
        let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        for (request, answer) in [
            (Self.get, "HTTP/1.1 204 No Content\r\n\r\n"), (Self.get, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            (Self.get, "HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n"),
            (Self.get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            ("HEAD" + Self.get.dropFirst(3), "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"),
            (Self.get + Self.get, "HTTP/1.1 204 No Content\r\n\r\n\r\n\nHTTP/1.1 204 No Content\r\n\r\n"),
        ] {
            for steps: [ProxyDialogue.Step] in [
                // At once, after a while, before the next request is whole, and while the next server waits.
                [.client(request), .server(answer + evil), .client(Self.other)],
                [.client(request), .server(answer), .server(evil), .client(Self.other)],
                [.client(request), .server(answer), .client("GET http://b"), .server("evil"), .client(String(Self.other.dropFirst(12)))],
            ] {
                let dialogue = ProxyDialogue.run(steps, cutting)
                #expect(dialogue.surpluses == [.response])
                #expect(dialogue.passed == Array(answer.utf8), "\(answer)")
                #expect(dialogue.told.suffix(2) == ["opens b:80", "relayed GET / HTTP/1.1\\r\\nHost: b\\r\\n\\r\\n"])
            }
            let waiting = ProxyDialogue.run([.client(request + Self.other), .server(answer + evil)], cutting)
            #expect(waiting.passed == Array(answer.utf8) && waiting.told.suffix(2).first == "opens b:80")
        }
        // The same server is reached anew as well.
        #expect(
            ProxyDialogue.play([.client(Self.get), .server("HTTP/1.1 204 Fine\r\n\r\n!"), .client(Self.get)], cutting).filter {
                $0 == "opens a:80"
            }.count == 2)
        // A response to a request that is here already is not too much.
        let pair = ProxyDialogue.run([.client(Self.get), .client(Self.get), .server(evil + evil)], cutting)
        #expect(pair.surpluses.isEmpty && pair.passed == Array((evil + evil).utf8))
        // The rest of a body has nowhere to go.
        let post = "POST http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nbody"
        #expect(
            ProxyDialogue.play([.client(post), .server("HTTP/1.1 204 Fine\r\n\r\n!"), .client("body" + Self.other)], cutting).last == "ends"
        )
    }

    @Test("after a response with two lengths no other server is reached on the connection", arguments: Cutting.allCases)
    func ambiguous(cutting: Cutting) {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        let told = ProxyDialogue.play([.client(Self.get), .server(answer), .client(Self.get + Self.other)], cutting)
        #expect(told.count == 4 && told.last == "close [] (the end of a response of a:80 was ambiguous: it has two lengths)")
    }

    @Test("nor when the server sent something that is not passed on after such a response", arguments: Cutting.allCases)
    func ambiguousWithExcess(cutting: Cutting) {
        let ok = "HTTP/1.1 200 OK\r\n"
        for answer in [
            ok + "Content-Length: 47\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\n\r\n" + ok + "Content-Length: 0\r\n\r\n",
            ok + "Transfer-Encoding: chunked\r\n\r\n1;\rx\r\na\r\n0\r\n\r\n",
            ok + "Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n",
            ok + "A: \rContent-Length: 47\r\nContent-Length: 0\r\n\r\n",
        ] {
            for steps: [ProxyDialogue.Step] in [
                [.client(Self.get), .server(answer + "x"), .client(Self.other)],
                [.client(Self.get), .server(answer), .server("x"), .client(Self.other)],
                [.client(Self.get + Self.other), .server(answer + "x")],
            ] {
                let dialogue = ProxyDialogue.run(steps, cutting)
                #expect(!dialogue.told.contains("opens b:80"), "\(answer)")
                #expect(dialogue.passed == Array(answer.utf8), "\(answer)")
            }
        }
    }

    @Test("a response that clients may end elsewhere than we is passed on no further, and its client is left", arguments: Cutting.allCases)
    func faulty(cutting: Cutting) {
        let head = "HTTP/1.1 200 OK\r\n"
        for (answer, passed) in [
            (head + "Content-Length: 2\r\nContent-Length: 60\r\n\r\nok", ""), (head + "Content-Length: +2\r\n\r\nok", ""),
            (head + "Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\nok", ""),
            (head + "Transfer-Encoding:\u{B}chunked\r\nContent-Length: 2\r\n\r\nok", ""),
            (head + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0x2\r\nok", head + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0"),
        ] {
            let dialogue = ProxyDialogue.run([.client(Self.get), .server(answer), .client(Self.other)], cutting)
            // In pieces, what has come of a head is on its way when it turns out to be faulty.
            let got = dialogue.passed
            let isCut = answer.utf8.starts(with: got) && got.count < answer.utf8.count - 2
            #expect(cutting == .whole ? got == Array(passed.utf8) : isCut, "\(answer)")
            #expect(dialogue.surpluses.count == 1 && dialogue.told.last == "ends", "\(answer)")
            guard case .faulty? = dialogue.surpluses.first else {
                Issue.record("\(dialogue.surpluses)")
                continue
            }
        }
        // Where nothing says otherwise, the end of the connection is the end; and the response before is whole.
        let plain = ProxyDialogue.run([.client(Self.get), .server(head + "Transfer-Encoding: gzip\r\n\r\nok")], cutting)
        #expect(plain.surpluses.isEmpty && plain.passed.suffix(2) == Array("ok".utf8))
        let second = ProxyDialogue.run(
            [.client(Self.get + Self.get), .server(head + "Content-Length: 2\r\n\r\nok" + head + "Content-Length: x\r\n\r\nno")], .whole)
        #expect(String(decoding: second.passed, as: UTF8.self) == head + "Content-Length: 2\r\n\r\nok")
    }

    @Test("interim responses without number are part of the response, and none after the last", arguments: [Cutting.whole, .random1])
    func interim(cutting: Cutting) {
        let flood = String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 5_000)
        let dialogue = ProxyDialogue.run(
            [.client(Self.get), .server(flood + "HTTP/1.1 204 Fine\r\n\r\n" + flood), .client(Self.other)], cutting)
        #expect(dialogue.passed.count == flood.utf8.count + 21 && dialogue.surpluses == [.response])
        // Some clients take one of them for the final response, and so nothing of another server may follow.
        #expect(dialogue.told.last == "ends")
    }
}
