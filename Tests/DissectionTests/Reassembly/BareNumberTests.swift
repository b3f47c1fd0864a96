import Dissection
import Support
import Testing

/// Bytes that only numbers tell of, because the capture lacks every segment with them.
@Suite struct BareNumberTests {
    private let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private var asked: Segments { Segments().handshake().client(request, at: 0, ack: 0) }
    private var lost: [String] {
        [
            "> @0 request GET / HTTP/1.1 {Host: a}", "< @0 gap 40 missing",
            "closed unknown endOfCapture  client open 27 B  server open 0 B 40 missing",
        ]
    }

    @Test func anAcknowledgementTellsOfALostResponse() {
        #expect(asked.packet(.client, at: 27, ack: 40).transcript()[1...] == lost[...])
        #expect(asked.packet(.client, at: 27, ack: 40).packet(.client, at: 27, ack: 40).transcript()[1...] == lost[...])
    }

    @Test func theNumberOfItsOwnAcknowledgementTellsOfALostResponse() {
        #expect(asked.packet(.server, at: 40, ack: 27).transcript()[1...] == lost[...])
        // One that comes after it and has a lower number contradicts it, unless it is a probe.
        #expect(asked.packet(.server, at: 40, ack: 27).packet(.server, at: 39, ack: 27).transcript()[1...] == lost[...])
        let forged = asked.packet(.server, at: 40, ack: 27).packet(.server, at: 0, ack: 27).transcript()
        #expect(!forged.contains { $0.contains("gap") })
        // What came after all is not missing, and a number in another order than sent changes nothing.
        let late = asked.packet(.server, at: 40, ack: 27).server(String(repeating: "x", count: 40), at: 0, ack: 27).transcript()
        #expect(!late.contains { $0.contains("gap") || $0.contains("tcp.") })
    }

    @Test func aLostRequestIsNoLossOfItsResponse() {
        let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        let talk = Segments().handshake().packet(.server, ack: 27).server(response, at: 0, ack: 27)
        #expect(talk.transcript()[1] == "> @0 gap 27 missing")
        #expect(!talk.transcript().contains { $0.contains("!") }, "\(talk.transcript())")
    }

    /// However many segments the response has, whether the client acknowledges them or not: the gap is told ahead of it, and nobody is accused.
    @Test(arguments: 1...13, [false, true]) func aLostRequestIsToldAheadOfItsResponse(segments: Int, acknowledges: Bool) {
        let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        let long = "HTTP/1.1 200 OK\r\nContent-Length: \(100 * segments)\r\n\r\n" + String(repeating: "b", count: 100 * segments)
        var talk = asked.server(ok, at: 0, ack: 27)
        // The second request is lost, and takes bytes 27 to 53.
        var position = ok.utf8.count
        let step = (long.utf8.count + segments - 1) / segments
        for start in stride(from: 0, to: long.utf8.count, by: step) {
            let piece = String(long.dropFirst(start).prefix(step))
            talk = talk.server(piece, at: position, ack: 54)
            position += piece.utf8.count
            if acknowledges { talk = talk.packet(.client, at: 54, ack: position) }
        }
        talk = talk.client(request, at: 54, ack: position).server(ok, at: position, ack: 81)
        let told = talk.transcript().filter { $0.contains("request") || $0.contains("response") || $0.contains("gap") || $0.contains("!") }
        #expect(
            told.map { $0.prefix(6).last == nil ? "" : String($0.split(separator: " ")[2]) }
                == ["request", "response", "gap", "response", "request", "response"], "\(told)")
    }

    @Test func whatIsLostBeforeTheFirstSegmentOfASideIsAGap() {
        // The capture begins with the handshake's last packet; the first 39 bytes of the server are lost.
        let talk = Segments().packet(.client, at: 0, ack: 0).client(request, at: 0, ack: 0).packet(.client, at: 27, ack: 39)
            .server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", at: 39, ack: 27)
        #expect(talk.transcript().contains("< @0 gap 39 missing"), "\(talk.transcript())")
        #expect(!talk.transcript().contains { $0.contains("!") }, "\(talk.transcript())")
    }

    @Test func aResetTellsOfALostTail() {
        let part = "HTTP/1.1 200 OK\r\nContent-Length: 600\r\n\r\n" + String(repeating: "x", count: 400)
        let told = asked.server(part, at: 0, ack: 27).reset(.server, at: part.utf8.count + 200).transcript()
        #expect(told.contains { $0.contains("gap 200 missing") }, "\(told)")
        #expect(!told.contains { $0.contains("!") }, "\(told)")
    }

    @Test func aLostFinBeforeAResetIsNoLostByte() {
        let ended = asked.server("HTTP/1.1 204 N\r\n\r\n", at: 0, ack: 27)
        let told = ended.reset(.server, at: 19).transcript()
        #expect(told.last == "closed server reset  client open 27 B  server reset 18 B", "\(told)")
        #expect(ended.reset(.server, at: 20).transcript().contains("< @18 gap 2 missing"))
    }

    @Test func aFinThatWasLostMayHaveComeBeforeTheEndOfAResponse() {
        let part = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + String(repeating: "x", count: 500)
        let sent = asked.server(part, at: 0, ack: 27)
        // The server has received one number more than the client was seen to send.
        let lines = sent.fin(.server, at: part.utf8.count, ack: 28).transcript()
        #expect(lines.contains { $0.contains("http.message-unfinished") }, "\(lines)")
        #expect(!lines.contains { $0.contains("http.message-incomplete") }, "\(lines)")
        let alone = sent.fin(.server, at: part.utf8.count, ack: 27).transcript()
        #expect(alone.contains { $0.contains("http.message-incomplete") }, "\(alone)")
    }

    @Test func aClientWhoseAnswerWasLostMayStop() {
        let put = "PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\n\r\n"
        let length = put.utf8.count
        let told = Segments().handshake().client(put, at: 0, ack: 0).fin(.client, at: length, ack: 66).fin(.server, at: 66, ack: length + 1)
            .packet(.client, at: length + 1, ack: 67).transcript()
        #expect(!told.contains { $0.contains("message-incomplete") }, "\(told)")
        #expect(told.contains { $0.contains("gap 66 missing") }, "\(told)")
    }

    @Test func aNumberThatWasBelievedOnceIsNoNews() {
        // KakaoTalk_chat: a FIN again and again, and the client that has 1,230 more bytes acknowledges them each time.
        var talk = Segments()
        for _ in 0..<7 { talk = talk.fin(.server, at: 0, ack: 0).packet(.client, at: 222, ack: 1_231) }
        #expect(!talk.transcript().contains { $0.contains("ack-ignored") }, "\(talk.transcript())")
        // One alone is.
        #expect(
            Segments().fin(.server, at: 0, ack: 0).packet(.client, at: 222, ack: 1_231).transcript().contains { $0.contains("ack-ignored") }
        )
    }
}
