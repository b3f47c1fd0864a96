import Dissection
import Support
import Testing

/// What follows a request with `Expect: 100-continue` that got its final response at once (RFC 9110, section 10.1.1).
@Suite struct HTTP1ExpectationTests {
    private static func ask(_ framing: String = "Content-Length: 40") -> String {
        "POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\(framing)\r\n\r\n"
    }
    private static let refusal = "HTTP/1.1 417 E\r\nContent-Length: 0\r\n\r\n"
    private static let again = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"
    private static let done = "HTTP/1.1 204 N\r\n\r\n"

    @Test func aBodyThatIsLeftOutDoesNotSwallowTheNextRequest() {
        let talk = Talk([
            .client(Self.ask()), .server(Self.refusal), .client(Self.again), .server(Self.done), .finish(.client), .finish(.server),
        ])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "> @0 request POST /a HTTP/1.1 {Host: x} {Expect: 100-continue} {Content-Length: 40}",
                "< @0 response 417 E {Content-Length: 0}",
                "> @71 ! http.body-omitted a=0 b=0",
                "> @71 request POST /a HTTP/1.1 {Host: x} {Content-Length: 2}",
                "> @119 body 1 final 2/2 B \"hi\"",
                "< @37 response 204 N",
                "closed client fin  client fin 121 B  server fin 55 B",
            ]) == nil)
    }

    @Test(arguments: ["Content-Length: 40", "Content-Length: 4", "Transfer-Encoding: chunked"])
    func theNextRequestIsReadHoweverTheBodyWasFramed(_ framing: String) {
        for lead in ["", "\r\n"] {
            let talk = Talk([.client(Self.ask(framing)), .server(Self.refusal), .client(lead + Self.again), .server(Self.done)])
            let told = talk.transcript()
            #expect(told.filter { $0.contains(" request ") }.count == 2, "\(told)")
            #expect(told.filter { $0.contains(" ! ") && !$0.contains("empty-line") }.count == 1, "\(told)")
            #expect(talk.difference(from: told) == nil)
        }
    }

    @Test(arguments: [
        "{\"a\": \"POST /a HTTP/1.1\", \"b\": [1, 2]}..", "GET is a method, / is a path: HTTP/1.1\n.",
        "GET /a HTTP/1.1\r\nand so it goes, on and.",
        "POST POST POST POST POST POST POST POST ", "\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n",
        "GET /a HTTP/1.1\r\n\tfolded: yes 8901234567",
    ])
    func aBodyThatComesAfterAllIsTheBody(_ body: String) {
        #expect(body.utf8.count == 40)
        let talk = Talk([.client(Self.ask()), .server(Self.refusal), .client(body + Self.again), .server(Self.done)])
        let told = talk.transcript()
        #expect(told.contains { $0.hasPrefix("> @71 body 1 final 40/40 B") }, "\(told)")
        #expect(told.contains { $0.hasPrefix("> @111 request ") }, "\(told)")
        #expect(!told.contains { $0.contains(" ! ") }, "\(told)")
        #expect(talk.difference(from: told) == nil)
    }

    @Test func aShortBodyIsTheBodyThoughItBeginsLikeARequest() {
        for body in ["POST", "GET ", "\r\nGE", "G\r\n\r"] {
            let talk = Talk([
                .client(Self.ask("Content-Length: 4")), .server(Self.refusal), .client(body + Self.again), .server(Self.done),
            ])
            let told = talk.transcript()
            #expect(talk.difference(from: told) == nil)
            #expect(
                told.contains { $0.hasPrefix("> @70 body 1 final 4/4 B") } && told.contains { $0.hasPrefix("> @74 request") }, "\(told)")
        }
        let chunks = Talk([
            .client(Self.ask("Transfer-Encoding: chunked")), .server(Self.refusal), .client("3\r\nGET\r\n0\r\n\r\n" + Self.again),
        ])
        #expect(chunks.transcript().contains { $0.contains("body 1 final 3/3 B \"GET\"") }, "\(chunks.transcript())")
        #expect(chunks.difference(from: chunks.transcript()) == nil)
    }

    @Test func afterContinueOrWithoutWaitingTheBodyComes() {
        let body = "POST /a HTTP/1.1\r\nHost: x\r\nA: 678901234\r\n"
        for steps: [Talk.Step] in [
            [.client(Self.ask()), .server("HTTP/1.1 100 C\r\n\r\n"), .client(body), .server(Self.refusal)],
            [.client(Self.ask() + body), .server(Self.refusal)],
            [.client(Self.ask() + "P"), .server(Self.refusal), .client(String(body.dropFirst()))],
        ] {
            let told = Talk(steps).transcript()
            #expect(told.contains { $0.hasPrefix("> @71 body 1 final 40/40 B") }, "\(told)")
        }
    }

    @Test func aClientThatLeavesInsteadOwesNothing() {
        let told = Talk([.client(Self.ask()), .server(Self.refusal), .finish(.client), .finish(.server)]).transcript()
        #expect(told.filter { $0.contains(" ! ") } == ["> @71 ! http.body-omitted a=0 b=0"], "\(told)")
        let capture = Talk([.client(Self.ask()), .server(Self.refusal)]).transcript()
        #expect(!capture.contains { $0.contains(" ! ") || $0.contains(" body ") }, "\(capture)")
        // Nearly: the response belongs to the request before.
        let early = Talk([.client("GET / HTTP/1.1\r\nHost: x\r\n\r\n" + Self.ask()), .server(Self.done), .finish(.client)]).transcript()
        #expect(early.contains { $0.contains("http.message-incomplete") }, "\(early)")
    }

    @Test func aRequestThatIsCutIsToldAsFarAsItCame() {
        for cut in ["POST /b HTTP/1.1\r\n", "POST /b HTTP/1.1\r\nHo"] {
            let talk = Talk([.client(Self.ask()), .server(Self.refusal), .client(cut), .gap(.client, 30, .truncated)])
            let told = talk.transcript()
            #expect(told.contains { $0.hasPrefix("> @71 request POST /b") } && told.contains { $0.contains("head-cut") }, "\(told)")
            #expect(talk.difference(from: told) == nil)
        }
        let body = Talk([.client(Self.ask()), .server(Self.refusal), .client("POST /b HT"), .gap(.client, 30, .truncated)])
        #expect(body.transcript().contains { $0.contains("body 1 10/10 B \"POST /b HT\"") }, "\(body.transcript())")
    }
}
