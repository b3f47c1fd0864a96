import Dissection
import Support
import Testing

/// What comes for a connection after it has closed: late copies say nothing new, whatever the clock says, and what was played again does.
@Suite struct AfterCloseTests {
    private let closed = Segments().handshake().client("ask", at: 0, ack: 0).server("answer", at: 0, ack: 3).fin(.client, at: 3, ack: 6)
        .fin(.server, at: 6, ack: 4)

    private func openings(_ talk: Segments) -> Int { talk.transcript().filter { $0.hasPrefix("opened") }.count }

    @Test(arguments: [-3_600, 1, 300, 100_000_000] as [Int64]) func aClockThatJumpsOpensNothing(seconds: Int64) {
        let truth = closed.packet(.client, at: 4, ack: 7).transcript()
        let jumped = closed.pause(seconds: seconds)
        #expect(jumped.packet(.client, at: 4, ack: 7).transcript() == truth)
        #expect(jumped.fin(.server, at: 6, ack: 4).packet(.client, at: 4, ack: 7).transcript() == truth)
        #expect(jumped.client("ask", at: 0, ack: 0).server("answer", at: 0, ack: 3).transcript() == truth)
        #expect(jumped.reset(.client, at: 4).packet(.server, at: 7, flags: [.rst, .ack], ack: 4).transcript() == truth)
        #expect(jumped.packet(.client, flags: .syn).packet(.server, flags: [.syn, .ack], ack: 0).transcript() == truth)
        let reset = Segments().handshake().client("ask", at: 0).reset(.server, at: 0)
        #expect(reset.pause(seconds: seconds).packet(.server, at: 0, ack: 3).transcript() == reset.transcript())
    }

    @Test func whatGoesBeyondTheEndMuchLaterIsAnother() {
        let jumped = closed.pause(seconds: 300)
        #expect(openings(jumped.client("more", at: 4, ack: 7)) == 2)
        #expect(openings(jumped.packet(.client, at: 70_000, ack: 7)) == 2)
        #expect(openings(jumped.packet(.client, at: 4, ack: 70_000)) == 2)
    }

    @Test func aHandshakeThatCameAgainOpensNothing() {
        let truth = closed.transcript()
        let (syn, answer) = (
            { (s: Segments) in s.packet(.client, flags: .syn) }, { (s: Segments) in s.packet(.server, flags: [.syn, .ack], ack: 0) }
        )
        let third = { (s: Segments) in s.packet(.client, ack: 0) }
        for again in [
            answer(syn(closed)), answer(answer(syn(closed))), syn(answer(closed)), answer(syn(syn(closed))), third(answer(syn(closed))),
        ] {
            #expect(again.transcript() == truth)
            #expect(again.packet(.client, at: 4, ack: 7).transcript() == truth)
        }
        // Nor do they with one more copy that is not of its beginning.
        #expect(third(answer(syn(closed))).fin(.client, at: 3, ack: 6).transcript() == truth)
    }

    @Test func aConversationThatWasPlayedAgainIsToldAgain() {
        let truth = closed.transcript()
        let again = closed.handshake().client("ask", at: 0, ack: 0).server("answer", at: 0, ack: 3).fin(.client, at: 3, ack: 6)
            .fin(.server, at: 6, ack: 4)
        #expect(again.transcript() == truth + truth)
        // A server that speaks first.
        let greeting = Segments().handshake().server("hello", at: 0, ack: 0).reset(.client, at: 0)
        #expect(
            greeting.handshake().server("hello", at: 0, ack: 0).reset(.client, at: 0).transcript() == greeting.transcript()
                + greeting.transcript())
    }

    @Test func theSameSynWithAnotherAnswerIsAnotherConnectionFromItsSyn() {
        var second = closed
        second.serverInitial = 700_000_000
        var sink = Openings()
        _ = second.handshake().client("ask", at: 0, ack: 0).dissect(into: &sink)
        #expect(sink.packets == [1, 8])
    }

    /// The packets by which conversations were opened.
    private struct Openings: ConversationSink {
        var packets: [UInt64] = []
        mutating func receive(_ event: borrowing ConversationEvent) {
            if case .opened = event.fact { packets.append(event.place.packets?.lowest ?? 0) }
        }
    }

    @Test func anAnswerBesideTheClosedConnectionBegins() {
        // Neither its number nor what it acknowledges is of the closed one, though both lie little behind it.
        var second = closed
        (second.clientInitial, second.serverInitial) = (4_000, 9_000)
        #expect(openings(second.packet(.server, flags: [.syn, .ack], ack: 0).client("two", at: 0, ack: 0)) == 2)
    }
}
