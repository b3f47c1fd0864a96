import Dissection
import Support
import Testing

/// WebSocket as browsers of 2010 spoke it (draft-ietf-hybi-thewebsocketprotocol-00), whose frames are not those of RFC 6455.
@Suite struct WebSocketDraftTests {
    private static let keys =
        "GET /chat HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\nOrigin: http://h\r\n"
        + "Sec-WebSocket-Key1: 18x 6]8vM;54 *(5:  {   U1]8  z [  8\r\nSec-WebSocket-Key2: 1_ tx7X d  <  nw  334J702) 7]o}` 0\r\n\r\n"
    private static let agreed =
        "HTTP/1.1 101 WebSocket Protocol Handshake\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Origin: http://h\r\nSec-WebSocket-Location: ws://h/chat\r\n\r\n"
    private static let frame: [UInt8] = [0x00, 0x68, 0x69, 0xFF]

    @Test func itsHandshakeIsNamedAndItsFramesAreData() {
        let talk = Talk([
            .client(Array((Self.keys + "Tm[K T2u").utf8)), .server(Array((Self.agreed + "fQJ,fN/4F4!~K~MH").utf8)), .client(Self.frame),
            .server(Self.frame + Self.frame), .finish(.client), .finish(.server),
        ])
        let told = talk.transcript()
        #expect(told.filter { $0.contains(" ! ") }.map { $0.split(separator: " ")[3] } == ["websocket.draft"], "\(told)")
        #expect(told.contains { $0.contains("body 1 final 8/8 B \"Tm[K T2u\"") }, "\(told)")
        #expect(told.contains("< @\(Self.agreed.utf8.count) data \"fQJ,fN/4F4!~K~MH\""), "\(told)")
        #expect(told.contains { $0.hasSuffix("data 00 68 69 ff") } && !told.contains { $0.contains(" message ") }, "\(told)")
        #expect(talk.difference(from: told) == nil)
    }

    @Test func aRefusedOneLeavesNoBytesOver() {
        let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
        let talk = Talk([
            .client(Self.keys + "\u{1}2345678"), .server("HTTP/1.1 404 N\r\nContent-Length: 0\r\n\r\n"), .client(get),
            .server("HTTP/1.1 204 N\r\n\r\n"),
        ])
        let told = talk.transcript()
        #expect(!told.contains { $0.contains("start-line") } && told.filter { $0.contains(" request ") }.count == 2, "\(told)")
    }

    @Test func anAnswerAloneNamesItToo() {
        for answer in [
            Self.agreed, "HTTP/1.1 101 W\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\nWebSocket-Location: ws://h/\r\n\r\n",
        ] {
            let ask = "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n"
            let told = Talk([.client(ask), .server(Array(answer.utf8) + Self.frame)]).transcript()
            #expect(told.contains { $0.contains("websocket.draft") } && told.contains { $0.hasSuffix("data 00 68 69 ff") }, "\(told)")
            #expect(!told.contains { $0.contains("accept-missing") }, "\(told)")
        }
    }

    @Test func draftsWithOtherOpcodesAreDataToo() {
        func talk(_ version: Int) -> [String] {
            let ask =
                "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: \(version)\r\n\r\n"
            let agree =
                "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
            return Talk([.client(ask), .server(Array(agree.utf8) + [0x84, 0x02, 0x68, 0x69])]).transcript()
        }
        #expect(talk(6).contains { $0.contains("websocket.draft") } && talk(6).contains { $0.hasSuffix("data 84 02 68 69") }, "\(talk(6))")
        // Nearly: from version 7 on frames are as in RFC 6455.
        #expect(!talk(8).contains { $0.contains("websocket.draft") || $0.contains(" data ") }, "\(talk(8))")
        #expect(!talk(13).contains { $0.contains("websocket.draft") })
    }

    @Test func theOldestOneIsHeldToNoLaterRule() {
        func told(_ fields: String, answer: String) -> [String] {
            let ask = "GET /demo HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\n\(fields)\r\n"
            let talk = Talk([.client(ask), .server(Array(answer.utf8) + Self.frame), .client(Self.frame)])
            return talk.transcript()
        }
        let agree =
            "HTTP/1.1 101 Web Socket Protocol Handshake\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\n"
            + "WebSocket-Origin: http://h\r\nWebSocket-Location: ws://h/demo\r\n\r\n"
        let bare = "HTTP/1.1 101 S\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\n\r\n"
        for answer in [agree, bare] {
            let lines = told("Upgrade: WebSocket\r\nOrigin: http://h\r\n", answer: answer)
            #expect(lines.filter { $0.contains(" ! ") }.map { $0.split(separator: " ")[3] } == ["websocket.draft"], "\(lines)")
            #expect(lines.contains { $0.hasSuffix("data 00 68 69 ff") } && !lines.contains { $0.contains(" message ") }, "\(lines)")
        }
        // Nearly: other letters, no origin, or a field that it does not have.
        for fields in [
            "Upgrade: websocket\r\nOrigin: http://h\r\n", "Upgrade: WebSocket\r\n",
            "Upgrade: WebSocket\r\nOrigin: http://h\r\nSec-WebSocket-Version: 13\r\n",
        ] {
            let lines = told(fields, answer: bare)
            #expect(lines.contains { $0.contains("websocket.key-missing") }, "\(lines)")
        }
    }

    @Test func aKeyOfADraftBesideTheOtherKeyOrWithoutAnOfferTakesNoBytes() {
        let key = "Sec-WebSocket-Key1: 18x 6]8vM;54\r\n"
        let offer =
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        for fields in [key, key + offer] {
            let told = Talk([.client("GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n")]).transcript()
            // With the offer what follows waits for a response, and none comes.
            let next = fields == key ? "request GET /next HTTP/1.1" : "data \"GET /next HTTP/1.1"
            #expect(told.contains { $0.contains(next) } && !told.contains { $0.contains(" body ") }, "\(told)")
        }
    }
}
