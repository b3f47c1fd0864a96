import Dissection
import Support
import Testing

/// What a side did not send is held against the other side only where all that it sent was seen.
@Suite struct SightTests {
    private let request = "GET /chat HTTP/1.1\r\nHost: a\r\n\r\n"
    private let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private let offer =
        "GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    private let switching =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

    private func findings(_ segments: Segments) -> [String] { segments.transcript().filter { $0.contains("!") } }

    @Test func anUnaskedResponseIsFoundWhereTheClientWasSeen() {
        let unasked = Segments().handshake().server(response, at: 0, ack: 0).fin(.server, at: response.utf8.count).fin(.client, at: 0)
        #expect(findings(unasked) == ["< @0 ! http.response-unasked a=0 b=0"], "\(unasked.transcript())")
        let second = Segments().handshake().client(request, at: 0).server(response + response, at: 0, ack: request.utf8.count)
            .fin(.server, at: 2 * response.utf8.count).fin(.client, at: request.utf8.count, ack: 2 * response.utf8.count + 1)
        #expect(findings(second) == ["< @\(response.utf8.count) ! http.response-unasked a=0 b=0"], "\(second.transcript())")
    }

    @Test func aCaptureOfTheServerAloneAccusesItOfNothing() {
        for text in [response, switching] {
            let alone = Segments().packet(.server, flags: [.syn, .ack]).server(text, at: 0, ack: 100).fin(.server, at: text.utf8.count)
            #expect(findings(alone).isEmpty, "\(alone.transcript())")
            #expect(alone.transcript()[1].hasPrefix("< @0 response"), "\(alone.transcript())")
        }
    }

    @Test func aRequestThatTheCaptureLacksAccusesNobody() {
        for text in [response, switching] {
            let count = request.utf8.count
            let lost = Segments().handshake().server(text, at: 0, ack: count).packet(.client, at: count, ack: text.utf8.count)
                .fin(.server, at: text.utf8.count, ack: count).fin(.client, at: count, ack: text.utf8.count + 1)
            #expect(findings(lost).isEmpty, "\(lost.transcript())")
            #expect(lost.transcript().contains("> @0 gap \(count) missing"), "\(lost.transcript())")
            // Nothing else of the client follows, so that only acknowledgements tell of it.
            let bare = Segments().handshake().server(text, at: 0, ack: count).fin(.server, at: text.utf8.count, ack: count)
            #expect(findings(bare).isEmpty, "\(bare.transcript())")
        }
    }

    @Test func anAnswerToHeadWhoseRequestIsNotKnownHasNoBody() {
        for field in ["Content-Encoding: gzip\r\nContent-Length: 900", "Transfer-Encoding: chunked"] {
            let head = "HTTP/1.1 200 OK\r\n\(field)\r\n\r\n"
            let alone = Segments().packet(.server, flags: [.syn, .ack]).server(head + response, at: 0, ack: 100)
                .fin(.server, at: head.utf8.count + response.utf8.count)
            let lines = alone.transcript()
            #expect(findings(alone).isEmpty, "\(lines)")
            #expect(lines.filter { $0.contains("response 200") }.count == 2 && lines.contains { $0.contains("body 1 final") }, "\(lines)")
            // Nearly: with the request in sight it is what its head says.
            let seen = Talk([.client(request), .server(head + response), .finish(.server)])
            #expect(seen.transcript().contains { $0.contains("!") }, "\(seen.transcript())")
        }
    }

    @Test func aGapBeforeTheFirstByteIsNoBrokenStartLine() {
        let body = String(repeating: "a", count: 50)
        let lost = Segments().handshake().client(request, at: 0)
            .server(body, at: 100, ack: request.utf8.count).server(response, at: 150).packet(.client, at: request.utf8.count, ack: 190)
            .fin(.server, at: 150 + response.utf8.count)
        #expect(findings(lost).isEmpty, "\(lost.transcript())")
        #expect(lost.transcript().contains { $0.contains("response 200") }, "\(lost.transcript())")
    }

    @Test func framesBehindAnAnswerThatTheCaptureLacksAreRead() {
        let frames: [UInt8] = (0..<6).flatMap { (index: Int) -> [UInt8] in [0x81, 12] + Array("message \(index) ok".utf8) }
        let count = offer.utf8.count
        // No SYN of the server, no 101.
        let lost = Segments().packet(.client, flags: .syn).client(offer, at: 0)
            .packet(.server, frames, at: switching.utf8.count, flags: [.psh, .ack], ack: count)
            .fin(.server, at: switching.utf8.count + frames.count)
        let lines = lost.transcript()
        #expect(findings(lost).allSatisfy { $0.contains("resynchronised") }, "\(lines)")
        #expect(lines.filter { $0.contains("message text 12 B") }.count == 6, "\(lines)")
    }

    @Test func aClientAloneIsReadOnBehindItsOffer() {
        let frame: [UInt8] = [0x81, 0x85, 0, 0, 0, 0] + Array("hello".utf8)
        let alone = Segments().packet(.client, flags: .syn).packet(.client, ack: 0).client(offer, at: 0)
            .packet(.client, frame + frame, at: offer.utf8.count, flags: [.psh, .ack], ack: 200)
            .packet(.client, frame, at: offer.utf8.count + 22, flags: [.psh, .ack], ack: 240)
        let lines = alone.transcript()
        #expect(lines.filter { $0.contains("message text 5 B \"hello\"") }.count == 3, "\(lines)")
        #expect(findings(alone).isEmpty, "\(lines)")
    }

    @Test func aPongIsUnsolicitedOnlyWhereAPingWouldHaveBeenSeen() {
        let pong: [UInt8] = [0x8A, 0x80, 0, 0, 0, 0]
        let both = Talk([.client(offer), .server(switching), .bytes(.client, pong)])
        #expect(both.transcript().contains { $0.hasSuffix("pong \"\" unsolicited") }, "\(both.transcript())")
        let lossy = Talk([.client(offer), .server(switching), .gap(.server, 20, .missing), .bytes(.client, pong)])
        #expect(lossy.transcript().contains { $0.hasSuffix("pong \"\"") }, "\(lossy.transcript())")
    }

    @Test func aLongResponseAheadOfItsRequestIsNotHeldToTheEnd() {
        // More than is held for packets that have changed places, in a capture that lacks the request.
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n"
        var segments = Segments().handshake().server(head, at: 0, ack: 50)
        let part = [UInt8](repeating: 0x61, count: 16_000)
        for index in 0..<125 {
            segments = segments.packet(.server, part, at: head.utf8.count + index * part.count, flags: [.psh, .ack])
        }
        let lines = segments.transcript()
        #expect(!lines.contains { $0.contains("limit") || $0.contains("!") }, "\(lines.prefix(4))")
        #expect(lines.contains { $0.contains("body 1 ") })
    }
}
