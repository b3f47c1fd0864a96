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
