import Dissection
import Support
import Testing

/// What becomes of the segments of a connection, told as the stream that came out.
@Suite struct ReassemblyTests {
    @Test func bytesInOrderAreDeliveredAtOnce() {
        #expect(
            Segments().handshake().server("hello ", at: 0).server("world", at: 6).fin(.client, at: 0).fin(.server, at: 11).transcript() == [
                "opened handshake by handshake",
                "< @0 data \"hello world\"",
                "closed client fin  client fin 0 B  server fin 11 B",
            ])
    }

    @Test func aSegmentOutOfOrderWaitsForTheOneBefore() {
        #expect(
            Segments().handshake().server("world", at: 6).server("hello ", at: 0).transcript() == [
                "opened handshake by handshake",
                "< @0 data \"hello world\"",
                "closed unknown endOfCapture  client open 0 B  server open 11 B",
            ])
    }

    @Test func aSequenceNumberWraps() {
        let talk = Segments(serverInitial: 0xFFFF_FFFA).handshake().server("world", at: 6).server("hello ", at: 0).fin(.server, at: 11)
        #expect(talk.transcript()[1] == "< @0 data \"hello world\"")
        #expect(talk.transcript()[2] == "closed server fin  client open 0 B  server fin 11 B")
    }

    @Test func aRetransmissionIsNothingNew() {
        #expect(
            Segments().handshake().server("hello ", at: 0).server("hello ", at: 0).server("lo world", at: 3).transcript()[1...] == [
                "< @0 data \"hello world\"",
                "closed unknown endOfCapture  client open 0 B  server open 11 B",
            ])
    }

    @Test func theFirstBytesWinAndDifferingOnesAreAFinding() {
        // After delivery, and while both wait behind a hole.
        #expect(
            Segments().handshake().server("abcdef", at: 0).server("abXYef", at: 0).transcript()[1...] == [
                "< @0 data \"abcdef\"",
                "< @2 ! tcp.overlap-conflict a=2 b=0",
                "closed unknown endOfCapture  client open 0 B  server open 6 B",
            ])
        #expect(
            Segments().handshake().server("def", at: 3).server("cdXfgh", at: 2).server("abc", at: 0).transcript()[1...] == [
                "< @4 ! tcp.overlap-conflict a=4 b=0",
                "< @0 data \"abcdefgh\"",
                "closed unknown endOfCapture  client open 0 B  server open 8 B",
            ])
    }

    @Test func aKeepAliveProbeIsNoConflict() {
        // A probe repeats the last byte with any value, or carries none (RFC 9293, section 3.8.4).
        #expect(
            Segments().handshake().client("abc", at: 0).packet(.client, [0], at: 2).packet(.client, [], at: 2).client("d", at: 3)
                .transcript()[1...] == [
                    "> @0 data \"abcd\"",
                    "closed unknown endOfCapture  client open 4 B  server open 0 B",
                ])
    }

    @Test func anAcknowledgedHoleIsAGap() {
        #expect(
            Segments().handshake().server("abc", at: 0).server("ghi", at: 6).client("!", at: 0, ack: 9).server("jkl", at: 9)
                .transcript()[1...] == [
                    "< @0 data \"abc\"",
                    "< @3 gap 3 missing",
                    "< @6 data \"ghi\"",
                    "> @0 data \"!\"",
                    "< @9 data \"jkl\"",
                    "closed unknown endOfCapture  client open 1 B  server open 9 B 3 missing",
                ])
    }

    @Test func aHoleThatIsNotAcknowledgedIsWaitedFor() {
        #expect(
            Segments().handshake().server("abc", at: 0).server("ghi", at: 6).client("!", at: 0, ack: 3).server("def", at: 3)
                .transcript()[1...] == [
                    "< @0 data \"abc\"",
                    "> @0 data \"!\"",
                    "< @3 data \"defghi\"",
                    "closed unknown endOfCapture  client open 1 B  server open 9 B",
                ])
    }

    @Test func aHoleIsWaitedForNoLongerThanTheLimit() {
        var talk = Segments().handshake().server("abc", at: 0)
        talk.limits.outOfOrderBytes = 1_000
        for index in 0..<20 { talk = talk.server(String(repeating: "x", count: 60), at: 10 + index * 60) }
        let told = talk.transcript()
        #expect(told[1] == "< @0 data \"abc\"")
        #expect(told[2] == "< @3 gap 7 missing")
        #expect(told[3].hasPrefix("< @10 data"))
        #expect(told[4] == "closed unknown endOfCapture  client open 0 B  server open 1203 B 7 missing")
    }

    @Test func theEndTellsWhatWaits() {
        #expect(
            Segments().handshake().server("ghi", at: 6).fin(.server, at: 12).transcript()[1...] == [
                "< @0 gap 6 missing",
                "< @6 data \"ghi\"",
                "< @9 gap 3 missing",
                "closed server fin  client open 0 B  server fin 3 B 9 missing",
            ])
    }

    @Test func aFinWaitsForTheBytesBeforeIt() {
        #expect(
            Segments().handshake().server("def", at: 3).fin(.server, at: 6).server("abc", at: 0).fin(.client, at: 0).transcript()[1...] == [
                "< @0 data \"abcdef\"",
                "closed server fin  client fin 0 B  server fin 6 B",
            ])
    }

    @Test func whatWaitsBehindAnAcknowledgedFinIsLeftOut() {
        // The bytes behind the end came first; those before it were lost.
        let talk = Segments().handshake().server("abc", at: 0).server("ghijkl", at: 6).fin(.server, at: 6)
        #expect(
            talk.packet(.client, ack: 7).transcript()[1...] == [
                "< @0 data \"abc\"",
                "< @3 gap 3 missing",
                "< @6 ! tcp.segment-ignored a=6 b=0",
                "closed server fin  client open 0 B  server fin 3 B 3 missing",
            ])
        // A FIN that nobody acknowledges hides nothing.
        #expect(
            talk.transcript()[1...] == [
                "< @0 data \"abc\"",
                "< @3 ! tcp.fin-ignored a=3 b=0",
                "< @3 gap 3 missing",
                "< @6 data \"ghijkl\"",
                "closed unknown endOfCapture  client open 0 B  server open 9 B 3 missing",
            ])
    }

    @Test func aSynBehindWhatWaitsIsNotItsBeginning() {
        // The client has acknowledged 100 bytes less than the first ones seen, so those wait; then a SYN from elsewhere.
        let talk = Segments().packet(.client, [], at: 0).server("abc", at: 100).packet(.server, [], at: 5_000, flags: [.syn, .ack])
        #expect(talk.transcript().contains("< @0 gap 100 missing"))
        #expect(talk.transcript().contains("< @100 data \"abc\""))
    }

    @Test func oneSideMayGoOnAfterTheOthersFin() {
        #expect(
            Segments().handshake().client("q", at: 0).fin(.client, at: 1).server("long answer", at: 0).fin(.server, at: 11)
                .transcript()[1...] == [
                    "> @0 data \"q\"",
                    "< @0 data \"long answer\"",
                    "closed client fin  client fin 1 B  server fin 11 B",
                ])
    }

    @Test func bytesBehindAFinAreFound() {
        #expect(
            Segments().handshake().client("abc", at: 0).fin(.client, at: 3).client("more", at: 3).transcript()[1...] == [
                "> @0 data \"abcmore\"",
                "> @3 ! tcp.data-after-fin a=4 b=0",
                "closed client fin  client fin 7 B  server open 0 B",
            ])
    }

    @Test func aResetEndsBothSides() {
        #expect(
            Segments().handshake().client("abc", at: 0).reset(.server, at: 0).transcript()[1...] == [
                "> @0 data \"abc\"",
                "closed server reset  client open 3 B  server reset 0 B",
            ])
    }

    @Test func aResetFarFromTheWindowIsIgnored() {
        #expect(
            Segments().handshake().client("abc", at: 0).reset(.server, at: 1 << 28).client("def", at: 3).transcript()[1...] == [
                "> @0 data \"abc\"",
                "< @0 ! tcp.reset-outside-window a=268435456 b=0",
                "> @3 data \"def\"",
                "closed unknown endOfCapture  client open 6 B  server open 0 B",
            ])
    }

    @Test func aResetAtWhatWasAcknowledgedCountsWhateverWasSentBehindIt() {
        #expect(
            Segments().handshake().client("abcd", at: 0).packet(.server, ack: 2).reset(.client, at: 2).transcript()[1...] == [
                "> @0 data \"abcd\"",
                "closed client reset  client reset 4 B  server open 0 B",
            ])
        #expect(
            Segments().handshake().client("abcd", at: 0).packet(.server, ack: 2).reset(.client, at: 1).transcript()[1...] == [
                "> @0 data \"abcd\"",
                "> @4 ! tcp.reset-outside-window a=3 b=0",
                "closed unknown endOfCapture  client open 4 B  server open 0 B",
            ])
    }

    /// The server remembers a connection that the client has forgotten, and acknowledges in it: the RST is for that one.
    @Test func aResetOfAForgottenConnectionIsNotOfThisOne() {
        let forgotten = -(1 << 28)
        #expect(
            Segments().packet(.client, flags: .syn).packet(.server, at: 77, ack: forgotten + (1 << 32)).reset(.client, at: forgotten)
                .packet(.client, flags: .syn).packet(.server, flags: [.syn, .ack], ack: 0).client("abc", at: 0).transcript()[1...] == [
                    "> @0 ! tcp.reset-outside-window a=268435456 b=0",
                    "> @0 data \"abc\"",
                    "closed unknown endOfCapture  client open 3 B  server open 0 B",
                ])
    }

    @Test func aRefusedConnectionIsResetByTheServer() {
        #expect(
            Segments().packet(.client, flags: .syn).packet(.server, at: -1, flags: [.rst, .ack], ack: 0).transcript() == [
                "opened handshake by handshake",
                "closed server reset  client open 0 B  server reset 0 B",
            ])
    }

    @Test func aPacketCutByTheCaptureLeavesAGap() {
        #expect(
            Segments().handshake().packet(.server, Array("abcdef".utf8), at: 0, captured: 4).server("ghi", at: 6).transcript()[1...] == [
                "< @0 data \"abcd\"",
                "< @4 gap 2 truncated",
                "< @6 data \"ghi\"",
                "closed unknown endOfCapture  client open 0 B  server open 7 B 2 missing",
            ])
    }

    @Test func aNewSynBetweenTheSamePortsIsANewConversation() {
        let first = Segments().handshake().client("one", at: 0)
        var second = first
        second.clientInitial = 90_000
        second.serverInitial = 120_000
        #expect(
            second.handshake().client("two", at: 0).transcript() == [
                "opened handshake by handshake",
                "> @0 data \"one\"",
                "> @3 ! tcp.port-reused a=0 b=0",
                "closed unknown timeout  client open 3 B  server open 0 B",
                "opened handshake by handshake",
                "> @0 data \"two\"",
                "closed unknown endOfCapture  client open 3 B  server open 0 B",
            ])
    }

    @Test func latePacketsOfAClosedConnectionOpenNothing() {
        let talk = Segments().handshake().server("abc", at: 0).fin(.server, at: 3).fin(.client, at: 0).packet(.server, at: 4).server(
            "abc", at: 0)
        #expect(
            talk.transcript() == [
                "opened handshake by handshake",
                "< @0 data \"abc\"",
                "closed server fin  client fin 0 B  server fin 3 B",
            ])
        var sink = Transcript()
        let totals = talk.dissect(into: &sink)
        #expect(totals.conversations == 1)
        #expect(totals.skipped[SkipReason.allCases.firstIndex(of: .afterClose) ?? 0] == 1)
    }

    @Test func aConnectionWhoseSynWasNotCapturedIsNoneOfTheClosedOnes() {
        var talk = Segments().handshake().server("abc", at: 0).fin(.server, at: 3).fin(.client, at: 0)
        talk.clientInitial &+= 1 << 30
        talk.serverInitial &+= 1 << 30
        #expect(
            talk.client("again", at: 0).transcript() == [
                "opened handshake by handshake",
                "< @0 data \"abc\"",
                "closed server fin  client fin 0 B  server fin 3 B",
                "opened midstream by ports",
                "> @0 data \"again\"",
                "closed unknown endOfCapture  client open 5 B  server open 0 B",
            ])
    }

    @Test func bothMayOpenAtOnce() {
        #expect(
            Segments().packet(.client, flags: .syn).packet(.server, flags: .syn).packet(.client, flags: [.syn, .ack])
                .packet(.server, flags: [.syn, .ack]).client("a", at: 0).server("b", at: 0).transcript() == [
                    "opened handshake by handshake",
                    "< @0 ! tcp.simultaneous-open a=0 b=0",
                    "> @0 data \"a\"",
                    "< @0 data \"b\"",
                    "closed unknown endOfCapture  client open 1 B  server open 1 B",
                ])
    }

    @Test func aFinThatWasCapturedLateIsNotAnsweredBeforehand() {
        struct Sink: ConversationSink {
            var closings: [Closing] = []
            mutating func receive(_ event: borrowing ConversationEvent) {
                if case .closed(let closing) = event.fact { closings.append(closing) }
            }
        }
        var sink = Sink()
        // The server's FIN comes before its last byte; the client's FIN is told first, though it came later.
        let talk = Segments().handshake().fin(.server, at: 1).fin(.client, at: 0, ack: 2).server("x", at: 0)
        _ = talk.dissect(into: &sink)
        #expect(sink.closings.map(\.by) == [.server])
        #expect(sink.closings.map(\.answered) == [1_000_000])
    }

    @Test func aClosedWindowIsToldOnceEachTime() {
        #expect(
            Segments().handshake().server("abcd", at: 0).packet(.client, ack: 4, window: 0).packet(.client, ack: 4, window: 0)
                .packet(.client, ack: 4, window: 100).packet(.client, ack: 4, window: 0).transcript()[1...] == [
                    "< @0 data \"abcd\"",
                    "> @0 ! tcp.zero-window a=0 b=0",
                    "> @0 ! tcp.zero-window a=0 b=0",
                    "closed unknown endOfCapture  client open 0 B  server open 4 B",
                ])
    }

    @Test func aWindowClosedWithTheFinIsNoSlowReader() {
        #expect(
            Segments().handshake().packet(.server, flags: [.fin, .ack], window: 0).transcript()[1...] == [
                "closed server fin  client open 0 B  server fin 0 B"
            ])
    }

    @Test func dataInTheSynIsTheBeginning() {
        #expect(
            Segments().packet(.client, Array("early".utf8), flags: .syn).packet(.server, flags: [.syn, .ack], ack: 5)
                .client("late", at: 5).transcript()[1...] == [
                    "> @0 data \"earlylate\"",
                    "closed unknown endOfCapture  client open 9 B  server open 0 B",
                ])
    }

    @Test func aStreamWithoutABeginningStartsWhereTheOtherSideHasAcknowledged() {
        // The second segment of the server is seen first.
        #expect(
            Segments().packet(.client, at: 50, ack: 100).server("def", at: 103).server("abc", at: 100).transcript() == [
                "opened midstream by ports",
                "< @0 data \"abcdef\"",
                "closed unknown endOfCapture  client open 0 B  server open 6 B",
            ])
    }

    @Test func bytesFromBeforeTheBeginningAreFoundOnce() {
        // At the very beginning a few packets are waited for, so that its bytes may come in any order.
        #expect(
            Segments().server("def", at: 103).server("abc", at: 100).server("abc", at: 100).server("ghi", at: 106).transcript()[1]
                == "< @0 data \"abcdefghi\"")
        #expect(
            Segments().server("def", at: 103).client("?", at: 0, ack: 106).server("abc", at: 100).server("abc", at: 100)
                .server("ghi", at: 106).transcript() == [
                    "opened midstream by ports",
                    "< @0 ! tcp.before-beginning a=3 b=0",
                    "< @0 data \"def\"",
                    "> @0 data \"?\"",
                    "< @3 data \"ghi\"",
                    "closed unknown endOfCapture  client open 1 B  server open 6 B",
                ])
        // With the beginning in sight the same is a retransmission.
        #expect(Segments().handshake().server("abc", at: 0).server("abc", at: 0).transcript().count == 3)
    }

    @Test func everyPacketTwiceTellsTheSameAsOnce() {
        let once = Segments().handshake().client("ping", at: 0).server("pong", at: 0, ack: 4).fin(.client, at: 4, ack: 4).fin(
            .server, at: 4, ack: 5)
        #expect(once.reordered { $0 = $0.flatMap { [$0, $0] } }.transcript() == once.transcript())
    }
}

/// Whatever the order of the packets of an exchange, what comes out is the stream.
@Suite struct ReassemblyOrderTests {
    @Test(arguments: 1...200) func anyOrderGivesTheSameStream(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var talk = Segments(clientInitial: UInt32(truncatingIfNeeded: random.next())).packet(.client, flags: .syn)
        let text = (0..<200).map { "\($0) " }.joined()
        let bytes = Array(text.utf8)
        // Overlapping pieces that cover everything, in any order; the SYN stays first.
        var position = 0
        while position < bytes.count {
            let from = max(0, position - Int(random.next() % 4))
            let to = min(bytes.count, position + 1 + Int(random.next() % 40))
            talk = talk.packet(.client, Array(bytes[from..<to]), at: from)
            position = to
        }
        talk = talk.fin(.client, at: bytes.count)
        let shuffled = talk.reordered { order in order[1...].shuffle(using: &random) }
        let straight = talk.transcript()
        #expect(straight.count == 3)
        #expect(shuffled.transcript() == straight)
    }
}
