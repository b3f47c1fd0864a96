import Dissection
import Support
import Testing

/// A response belongs to a request that its server had received, whatever the order of the capture and whatever it lacks.
@Suite struct ReceivedRequestTests {
    private static let offer =
        "GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    private static let switching =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
    private static let nothing = "HTTP/1.1 204 No Content\r\n\r\n"
    private static let hello: [UInt8] = [0x81, 0x85, 1, 2, 3, 4] + Array("hello".utf8).enumerated().map { $1 ^ UInt8($0 % 4 + 1) }

    private static func request(_ target: Int, _ method: String = "GET") -> String { "\(method) /\(target) HTTP/1.1\r\nHost: a\r\n\r\n" }

    /// What the two sides say in turn, each acknowledging all that came before; `late` are captured after what follows them, `lost` never.
    private func said(_ start: Segments, _ parts: [(Side, String)], late: Set<Int> = [], lost: Set<Int> = []) -> Segments {
        var (capture, counts) = (start, (client: 0, server: 0))
        var waiting: (side: Side, text: String, at: Int, ack: Int)?
        for (index, (side, text)) in parts.enumerated() {
            let (at, ack) = side == .client ? (counts.client, counts.server) : (counts.server, counts.client)
            if side == .client { counts.client += text.utf8.count } else { counts.server += text.utf8.count }
            if late.contains(index) {
                waiting = (side, text, at, ack)
                continue
            }
            if !lost.contains(index) { capture = capture.packet(side, Array(text.utf8), at: at, flags: [.psh, .ack], ack: ack) }
            if let kept = waiting {
                capture = capture.packet(kept.side, Array(kept.text.utf8), at: kept.at, flags: [.psh, .ack], ack: kept.ack)
                waiting = nil
            }
        }
        return capture
    }

    private func findings(_ lines: [String]) -> [String] { lines.filter { $0.contains("!") && !$0.contains("resynchronised") } }

    @Test func fromTheMiddleOnAResponseAheadOfItsRequestTakesNoOther() {
        let (r, n) = (Self.request, Self.nothing)
        let talk: [(Side, String)] = [
            (.server, "the end of a body\r\n"), (.client, r(3, "GET")), (.server, n), (.client, Self.offer), (.server, Self.switching),
        ]
        for parts in [talk, Array(talk.dropFirst())] {
            let lines = said(Segments(), parts, late: [parts.count - 4]).transcript()
            #expect(findings(lines).isEmpty && lines.contains { $0.contains("upgrade websocket accepted") }, "\(lines)")
        }
        // The one before is answered twice over, otherwise.
        let head: [(Side, String)] = [
            (.server, "tail\r\n"), (.client, r(3, "GET")), (.server, n), (.client, r(4, "HEAD")),
            (.server, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"), (.client, r(5, "GET")), (.server, n),
        ]
        let lines = said(Segments(), head, late: [1]).transcript()
        #expect(findings(lines).isEmpty && lines.filter { $0.contains("response") }.count == 3, "\(lines)")
        #expect(!lines.contains { $0.contains("body") }, "\(lines)")
    }

    @Test("a 408 that crosses the next request does not answer it", arguments: [true, false])
    func timeoutOfAnIdleConnection(hasCrossed: Bool) {
        let (first, second, timeout) = (
            Self.request(1), Self.request(2), "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        )
        let had = Self.nothing.utf8.count
        let lines = Segments().handshake()
            .packet(.client, Array(first.utf8), at: 0, flags: [.psh, .ack], ack: 0)
            .packet(.server, Array(Self.nothing.utf8), at: 0, flags: [.psh, .ack], ack: first.utf8.count)
            .packet(.client, Array(second.utf8), at: first.utf8.count, flags: [.psh, .ack], ack: had)
            .packet(
                .server, Array(timeout.utf8), at: had, flags: [.psh, .ack], ack: first.utf8.count + (hasCrossed ? 0 : second.utf8.count)
            )
            .packet(.server, [], at: had + timeout.utf8.count, flags: [.fin, .ack], ack: first.utf8.count + second.utf8.count).transcript()
        let isUnanswered = lines.contains { $0.contains("http.request-unanswered") }
        #expect(isUnanswered == hasCrossed, "\(lines)")
        #expect(findings(lines).count == (hasCrossed ? 1 : 0), "\(lines)")
    }

    @Test func aRequestThatOnlyItsResponseAcknowledgesAccusesNobody() {
        let (r, n) = (Self.request, Self.nothing)
        for start in [Segments(), Segments().handshake()] {
            let switched: [(Side, String)] = [(.client, r(1, "GET")), (.server, n), (.client, Self.offer), (.server, Self.switching)]
            let answered = switched.dropLast() + [(.server, n)]
            for parts in [switched, Array(answered)] {
                let lines = said(start, parts, lost: [2]).transcript()
                #expect(findings(lines).isEmpty, "\(lines)")
            }
        }
        // Nearly: it acknowledges nothing but what was seen.
        let unasked = said(Segments().handshake(), [(.client, r(1, "GET")), (.server, n), (.server, n)]).transcript()
        #expect(findings(unasked).map { String($0.dropFirst(6)) } == ["! http.response-unasked a=0 b=0"], "\(unasked)")
    }

    @Test func theResponseToALostHeadHasNoBody() {
        let (r, n) = (Self.request, Self.nothing)
        let parts: [(Side, String)] = [
            (.client, r(1, "GET")), (.server, n), (.client, r(2, "HEAD")), (.server, "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n"),
            (.client, r(3, "GET")), (.server, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfour"), (.client, r(4, "GET")), (.server, n),
        ]
        for start in [Segments(), Segments().handshake()] {
            let lines = said(start, parts, lost: [2]).transcript()
            #expect(findings(lines).isEmpty && lines.filter { $0.contains("response") }.count == 4, "\(lines)")
            #expect(lines.contains { $0.contains("body") && $0.contains("four") }, "\(lines)")
        }
        // Nearly: the body has that letter first, and the client has not asked again.
        let body: [(Side, String)] = parts[0...3] + [(.server, "Hello, and so on, in all fifty bytes of it, no less."), (.client, "")]
        let lines = said(Segments().handshake(), Array(body), lost: [2]).transcript()
        #expect(lines.contains { $0.contains("body") && $0.contains("Hello") }, "\(lines)")
    }

    @Test func theRestOfAnUpgradeRequestAfterItsResponseIsNoFrame() {
        let (first, rest) = (String(Self.offer.prefix(70)), String(Self.offer.dropFirst(70)))
        let count = Self.offer.utf8.count
        // So late that the response does not wait for it; or on a SYN that was captured after the response.
        var late = Segments().handshake().client(first, at: 0, ack: 0).server(Self.switching, at: 0, ack: count)
        for _ in 0..<12 { late = late.packet(.server, at: Self.switching.utf8.count, ack: count) }
        late = late.packet(.client, Self.hello, at: count, ack: Self.switching.utf8.count)
        let fast = Segments().packet(.server, flags: [.syn, .ack], ack: count).server(Self.switching, at: 0, ack: count)
            .packet(.client, Array(Self.offer.utf8), at: 0, flags: .syn, ack: 0).packet(.client, Self.hello, at: count)
        for capture in [late.client(rest, at: 70), fast] {
            let lines = capture.transcript()
            #expect(findings(lines).allSatisfy { $0.contains("tcp.data-after-gap") || $0.contains("head-cut") }, "\(lines)")
            #expect(lines.contains { $0.contains("message text") && $0.contains("hello") }, "\(lines)")
        }
    }

    @Test func theEndOfABodyBeforeAMethodIsNoPartOfIt() {
        let request = Self.request(1, "GET")
        for rest in ["12345", "AAAA-BBBB-1234", "QUJD"] {
            let lines = said(Segments(), [(.client, rest + request), (.server, Self.nothing)]).transcript()
            #expect(lines.contains { $0.contains("request GET /1") } && findings(lines).isEmpty, "\(rest): \(lines)")
            #expect(lines.contains("> @0 data \"\(rest)\""), "\(rest): \(lines)")
        }
        // Nearly: with a start in sight, or a method that ends with no other.
        let whole = said(Segments().handshake(), [(.client, "12345" + request), (.server, Self.nothing)]).transcript()
        #expect(whole.contains { $0.contains("request 12345GET /1") }, "\(whole)")
        let other = said(Segments(), [(.client, Self.request(1, "M-POKE")), (.server, Self.nothing)]).transcript()
        #expect(other.contains { $0.contains("request M-POKE /1") }, "\(other)")
    }

    @Test func messagesThatABodyQuotesAccuseNobody() {
        let quoted =
            Self.request(1, "GET") + Self.request(2, "GET") + "GET /3 HTTP/1.1\r\n2c\r\nHo\r\n st: x\r\n\r\n5\r\nab: c\r\n0\r\n\r\n"
        let lines = said(Segments(), [(.client, "st: x\r\n\r\n" + quoted)]).transcript()
        #expect(findings(lines).isEmpty && lines.filter { $0.contains("request GET") }.count == 3, "\(lines)")
        let message = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
        let responses = said(Segments(), [(.server, "th: 3\r\n\r\nabc" + message + message + "HTTP/1.1 200 OK\r\n6f\r\nServer\r\n\r\n")])
            .transcript()
        #expect(findings(responses).isEmpty, "\(responses)")
        // Nearly: the first was answered.
        let spoken = said(
            Segments(), [(.client, Self.request(1, "GET")), (.server, Self.nothing), (.client, "GET /3 HTTP/1.1\r\n2c\r\nHost: x\r\n\r\n")]
        ).transcript()
        #expect(findings(spoken).contains { $0.contains("http.field-without-colon") }, "\(spoken)")
    }
}
