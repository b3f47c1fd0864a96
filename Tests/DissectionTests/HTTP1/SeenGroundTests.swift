import Dissection
import Support
import Testing

/// After a loss, or from the middle on, a rule is held against nobody unless the bytes that were seen whole show that it was broken.
@Suite struct SeenGroundTests {
    private static let webSocket =
        "GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    private static let switching =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
    private static let toHead = "HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n"
    private static let closing = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + String(repeating: "z", count: 400)
    private static let post = "POST /o HTTP/1.1\r\nHost: o\r\nContent-Length: 30\r\n\r\n"
    private static let chunk = "1e\r\n" + String(repeating: "q", count: 30) + "\r\n0\r\n\r\n"
    private static let change =
        "REQMOD icap://i/req ICAP/1.0\r\nHost: i\r\nAllow: 204\r\nEncapsulated: req-hdr=0, req-body=\(post.utf8.count)\r\n\r\n"
    private static let unchanged = "ICAP/1.0 204 No Content\r\nISTag: \"a\"\r\nEncapsulated: null-body=0\r\n\r\n"
    private static let changed =
        "ICAP/1.0 200 OK\r\nISTag: \"a\"\r\nEncapsulated: req-hdr=0, req-body=\(post.utf8.count)\r\n\r\n"

    private static func request(_ index: Int, _ method: String = "GET", _ fields: String = "") -> String {
        "\(method) /\(index) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
    }
    private static func response(_ index: Int) -> String { "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nr\(index)" }
    private static func rest(_ text: String, from start: Int) -> String { String(text.dropFirst(start)) }

    /// A talk whose packets 0 to 2 are the handshake and the others what is said, each with one line.
    private static func talk(_ name: String, _ said: (Side, String)...) -> CleanTalk {
        said.reduce(CleanTalk(name)) { $0.says($1.0, $1.1, isAcknowledged: false) }
    }

    private static func frames(_ talk: CleanTalk, _ count: Int, first: [UInt8] = []) -> CleanTalk {
        var talk = talk
        for _ in 0..<count {
            talk = talk.says(.client, [0x81, 0x85, 1, 2, 3, 4] + Array("hello".utf8).enumerated().map { $1 ^ UInt8($0 % 4 + 1) })
            talk = talk.says(.server, [0x81, 5] + Array("world".utf8))
        }
        return talk
    }

    private static func ends(_ talk: CleanTalk) -> CleanTalk {
        talk.sends(.server, [.fin, .ack]).sends(.client, .ack).sends(.client, [.fin, .ack]).sends(.server, .ack)
    }

    /// Some 300 bytes in one frame, and where its header would be lost with what is before `cut`.
    private static let longFrame: [UInt8] = {
        let key: [UInt8] = [0xA1, 0x32, 0x53, 0x94]
        return [0x82, 0xFE, 1, 44] + key + (0..<300).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) ^ key[$0 % 4] }
    }()

    private static let offer = "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\nConnection: Upgrade, HTTP2-Settings\r\n"
    private static let connect = "CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n"

    private static let lossy: [(talk: CleanTalk, lost: Set<Int>)] = [
        (
            ends(
                talk(
                    "a pipeline with an offer after a lost response", (.client, request(0)), (.server, response(0)),
                    (.client, request(1) + request(2, "GET", offer) + request(3)), (.server, response(1) + response(2) + response(3)))),
            [4]
        ),
        (
            ends(
                frames(
                    talk("a request cut in its line", (.client, "GET /chat"), (.client, rest(webSocket, from: 9)), (.server, switching)), 4)
            ),
            [4, 5]
        ),
        (
            ends(frames(talk("a switch cut in its line", (.client, webSocket), (.server, "HTT"), (.server, rest(switching, from: 3))), 4)),
            [3, 5]
        ),
        (
            ends(
                frames(
                    talk("a request without its first byte", (.client, "G"), (.client, rest(webSocket, from: 1)), (.server, switching)), 4)),
            [3]
        ),
        (
            ends(
                talk(
                    "HEAD without its first byte", (.client, "H"), (.client, rest(request(0, "HEAD"), from: 1)), (.server, toHead),
                    (.client, request(1)), (.server, response(1)))),
            [0, 1, 2, 3]
        ),
        (
            ends(
                talk(
                    "a lost response to HEAD and a lost request", (.client, request(0)), (.server, response(0)),
                    (.client, request(1, "HEAD")), (.server, toHead), (.client, request(2)), (.server, closing))),
            [6, 7]
        ),
        (
            ends(
                talk(
                    "the same in a pipeline", (.client, request(0) + request(1, "HEAD")), (.server, response(0)), (.server, toHead),
                    (.client, request(2)), (.server, closing))),
            [5, 6]
        ),
        (ends(talk("HTTP/0.9 without SYN", (.client, "GET /old\r\n"), (.server, "<html>old</html>\n"))), [0]),
        (
            ends(
                talk(
                    "ICAP without its first head", (.client, change), (.client, post + chunk), (.server, unchanged),
                    (.client, change + post + chunk), (.server, unchanged))),
            [3]
        ),
        (
            ends(
                talk(
                    "ICAP from the middle", (.client, change), (.client, post + chunk), (.server, unchanged),
                    (.client, change + post + chunk), (.server, unchanged))),
            [0, 1, 2, 3]
        ),
        (
            ends(
                talk(
                    "ICAP from the middle of a response", (.client, change + post + chunk), (.server, changed), (.server, post + chunk),
                    (.client, change + post + chunk), (.server, unchanged))),
            [0, 1, 2, 3, 4]
        ),
        (
            talk(
                "ICAP that ends in what seems a message", (.client, change), (.client, post + "a\r\n0123456789\r\n0\r\n\r\n"),
                (.server, unchanged)
            ).sends(.client, [.rst, .ack]),
            [3]
        ),
        (
            ends(
                talk(
                    "a tunnel whose switch is cut, as a frame is", (.client, connect), (.server, "HTT"), (.server, "P"),
                    (.server, "/1.1 200 OK\r\n\r\n"), (.client, webSocket), (.server, switching)
                ).says(.client, Array(longFrame.prefix(20))).says(.client, Array(longFrame.dropFirst(20)))
                    .says(.server, [0x81, 5] + Array("world".utf8))),
            [5, 9, 10]
        ),
        (
            ends(
                talk(
                    "a lost request, and a part of the response before", (.client, request(0, "POST", "Content-Length: 0\r\n")),
                    (.server, response(0)), (.client, webSocket), (.server, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"),
                    (.server, "de"), (.client, webSocket), (.server, switching))),
            [7, 8]
        ),
    ]

    private struct Accusations: ConversationSink {
        var found: [String] = []

        mutating func receive(_ event: borrowing ConversationEvent) {
            guard case .finding(let finding) = event.fact, finding.row.severity == .violation else { return }
            found.append(finding.row.id)
        }
    }

    private static func accusations(_ talk: CleanTalk, without lost: Set<Int> = []) -> [String] {
        var sink = Accusations()
        _ = talk.segments.reordered { $0.removeAll { lost.contains($0) } }.dissect(into: &sink)
        return sink.found
    }

    @Test(arguments: lossy.indices) func aLossAccusesNobody(_ row: Int) {
        let (talk, lost) = Self.lossy[row]
        #expect(Self.accusations(talk, without: lost) == [], "\(talk)")
    }

    /// What is seen whole is judged, also after a loss and from the middle on.
    @Test func whatIsSeenWholeIsJudged() {
        let post = Self.rest(Self.webSocket, from: 3)
        #expect(Self.accusations(Self.talk("from the start", (.client, "ET" + post))) == ["websocket.method-not-get"])
        #expect(
            Self.accusations(Self.talk("from the middle", (.client, "POST" + post)), without: [0, 1, 2]) == ["websocket.method-not-get"])
        #expect(
            Self.accusations(Self.talk("the rest of none", (.client, "JET" + post)), without: [0, 1, 2]) == ["websocket.method-not-get"])
        // Two messages that follow each other bear out the first, where it was answered: a body quotes no response to what it quotes.
        let two = Self.talk(
            "two", (.client, Self.request(0)), (.server, Self.response(0)), (.client, Self.request(1)), (.client, "\u{1}\u{2}\r\n\r\n"))
        #expect(Self.accusations(two, without: [0, 1, 2]) == ["http.start-line-invalid"])
        #expect(Self.accusations(two, without: [0, 1, 2, 3]) == [])
        #expect(Self.accusations(two, without: [0, 1, 2, 4]) == [])
        // Where nothing was in a pipeline, a loss is over with the next exchange.
        let later = Self.talk(
            "later", (.client, Self.request(0)), (.server, Self.response(0)), (.client, Self.request(1)), (.server, Self.response(1)),
            (.client, Self.request(2)), (.server, Self.response(2) + Self.response(3)))
        #expect(Self.accusations(later, without: [4]) == ["http.response-unasked"])
    }
}
