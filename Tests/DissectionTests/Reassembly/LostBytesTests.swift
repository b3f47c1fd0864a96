import Dissection
import Support
import Testing

/// Bytes that were acknowledged and not seen: they may come a few packets later, or too late, and never stand nowhere.
@Suite struct LostBytesTests {
    /// A server's bytes with a hole from 3 to 6, all acknowledged, and then `others` more packets of the client.
    private func hole(_ others: Int) -> Segments {
        var talk = Segments().handshake().server("abc", at: 0).server("ghi", at: 6).packet(.client, ack: 9)
        for _ in 0..<others { talk = talk.packet(.client, ack: 9) }
        return talk
    }

    @Test func anAcknowledgementBeforeTheBytesThatItAcknowledgesMakesNoGap() {
        for others in 0...7 {
            #expect(
                hole(others).server("def", at: 3).transcript()[1...] == [
                    "< @0 data \"abcdefghi\"", "closed unknown endOfCapture  client open 0 B  server open 9 B",
                ], "\(others)")
        }
    }

    @Test func anAcknowledgedHoleIsToldAfterAFewPackets() {
        let told = hole(8).client("!", at: 0, ack: 9).server("def", at: 3).server("jkl", at: 9).transcript()
        #expect(
            told[1...] == [
                "< @0 data \"abc\"", "< @3 gap 3 missing", "< @6 data \"ghi\"", "> @0 data \"!\"", "< @9 data \"jkl\"",
                "< @3 ! tcp.data-after-gap a=3 b=1", "closed unknown endOfCapture  client open 1 B  server open 9 B 3 missing",
            ])
    }

    @Test func bytesThatComeTooLateAreCountedOnce() {
        var talk = Segments().handshake().server("abc", at: 0).server("wxyz", at: 20).packet(.client, ack: 24)
        for _ in 0..<9 { talk = talk.packet(.client, ack: 24) }
        // From before the gap, a piece inside it, the same again, one over that, and one that ends behind it.
        talk = talk.server("bcdef", at: 1).server("ij", at: 8).server("ij", at: 8).server("hijk", at: 7).server("stwxyz!", at: 18)
        #expect(talk.transcript().contains("< @3 ! tcp.data-after-gap a=9 b=4"), "\(talk.transcript())")
        // Nor is anything told of what only comes again.
        let again = Segments().handshake().server("abc", at: 0).server("abc", at: 0).transcript()
        #expect(!again.contains { $0.contains("data-after-gap") })
    }

    @Test func waitingForManyHolesDoesNotAddUp() {
        // Half of what the server sends is lost, all the time.
        let most = [60, 600].map { rounds in
            var talk = Segments().handshake()
            for index in 0..<rounds { talk = talk.server("ab", at: index * 4).client("?", at: index, ack: index * 4 + 2) }
            var sink = Order()
            var most = 0
            _ = talk.dissect(into: &sink) { most = max(most, $0) }
            #expect(sink.missing == UInt64(rounds - 1) * 2)
            #expect(sink.isInTurn && sink.count == rounds * 2)
            return most
        }
        #expect(most[1] - most[0] < 17_000, "what is remembered of a stream grows, what waits does not: \(most)")
    }

    @Test func whatTheOtherSideSendsMeanwhileComesAfterwards() {
        let talk = Segments().handshake().client("ask", at: 0).server("def", at: 3, ack: 3).client("again", at: 3, ack: 6)
        #expect(
            talk.server("abc", at: 0).server("ghi", at: 6, ack: 8).transcript()[1...] == [
                "> @0 data \"ask\"", "< @0 data \"abcdef\"", "> @3 data \"again\"", "< @6 data \"ghi\"",
                "closed unknown endOfCapture  client open 8 B  server open 9 B",
            ])
        #expect(
            talk.fin(.client, at: 8, ack: 6).transcript()[1...] == [
                "> @0 data \"ask\"", "< @0 gap 3 missing", "< @3 data \"def\"", "> @3 data \"again\"",
                "closed client fin  client fin 8 B  server open 3 B 3 missing",
            ])
        // Each side waits for the other: neither for ever, and all within the limit.
        var both = Segments().handshake()
        both.limits.outOfOrderBytes = 2_000
        for index in 0..<40 {
            both = both.client("ab", at: index * 4 + 2, ack: index * 4 + 4).server("cd", at: index * 4 + 2, ack: index * 4 + 4)
        }
        var sink = Order()
        _ = both.dissect(into: &sink)
        #expect(sink.count == 80)
        #expect(sink.missing == 160)
    }

    @Test func bytesThatComeAfterTheCloseOfTheirGapAreCounted() {
        // The last bytes of the server are captured long after everything else.
        var closed = Segments().handshake().server("abc", at: 0).fin(.server, at: 6).fin(.client, at: 0, ack: 7)
        for _ in 0..<9 { closed = closed.packet(.client, at: 1, ack: 7) }
        #expect(
            closed.server("def", at: 3).server("def", at: 3).transcript()[1...] == [
                "< @0 data \"abc\"", "< @3 gap 3 missing", "closed server fin  client fin 0 B  server fin 3 B 3 missing",
                "! tcp.data-after-close a=3 b=1",
            ])
    }

    @Test func aFinAndItsAcknowledgementBeforeTheBytesMakeNoGap() {
        let whole = ["< @0 data \"abcdef\"", "closed server fin  client fin 0 B  server fin 6 B"]
        let closing = Segments().handshake().server("abc", at: 0).fin(.server, at: 6)
        #expect(closing.packet(.client, ack: 7).server("def", at: 3).fin(.client, at: 0, ack: 7).transcript()[1...] == whole[...])
        #expect(
            closing.fin(.client, at: 0, ack: 7).server("def", at: 3).packet(.server, at: 7, ack: 1).transcript()[1...] == whole[...])
    }

    @Test func whatWasForgottenIsBounded() {
        // More gaps than are remembered, and what is remembered counts against the memory.
        var talk = Segments().handshake()
        talk.limits.outOfOrderBytes = 100
        for index in 0..<1_200 { talk = talk.server("ab", at: 2 + index * 4) }
        for index in 0..<1_200 { talk = talk.server("ab", at: index * 4) }
        #expect(talk.transcript().contains { $0.contains("tcp.data-after-gap a=2048 b=1024") })
    }

    /// Whether the sides are told in turn.
    private struct Order: ConversationSink {
        var count = 0
        var missing: UInt64 = 0
        var isInTurn = true
        private var last: Side?

        mutating func receive(_ event: borrowing ConversationEvent) {
            switch event.fact {
            case .data:
                isInTurn = isInTurn && event.from != last
                last = event.from
                count += 1
            case .gap(let gap): missing += gap.length
            case _: return
            }
        }
    }
}
