import Dissection
import Support
import Testing

/// A FIN with the very number that is expected: only what comes after it tells whether it was its side's.
@Suite struct ForgedFinTests {
    @Test func aFinAheadThatItsSideDoesNotFollowIsNotItsOwn() {
        func capture(_ acknowledgements: Int) -> Segments {
            var capture = Segments().handshake().client("ask", at: 0).fin(.client, at: 503)
            for index in 0..<acknowledgements { capture = capture.server("x", at: index, ack: 3).packet(.client, at: 3, ack: index + 1) }
            return capture
        }
        let told = capture(10).transcript()
        #expect(told.contains("> @3 ! tcp.fin-ignored a=500 b=0") && !told.contains { $0.contains("gap") }, "\(told)")
        #expect(told.last?.hasPrefix("closed unknown endOfCapture  client open 3 B") == true, "\(told)")
        // Nearly: what came after it may have been captured late.
        let late = capture(4).packet(.client, at: 504, ack: 4).transcript()
        #expect(late.contains("> @3 gap 500 missing"), "\(late)")
    }

    private let talk = Segments().handshake().client("abc", at: 0).server("uvw", at: 0, ack: 3)

    @Test func aFinAfterWhichItsSideGoesOnIsIgnored() {
        let told = talk.fin(.client, at: 3, ack: 3).client("def", at: 3).server("xyz", at: 3, ack: 6).client("ghi", at: 6, ack: 6)
        #expect(
            told.transcript()[1...] == [
                "> @0 data \"abc\"", "< @0 data \"uvw\"", "> @3 data \"def\"", "> @6 ! tcp.fin-ignored a=3 b=0", "< @3 data \"xyz\"",
                "> @6 data \"ghi\"", "closed unknown endOfCapture  client open 9 B  server open 6 B",
            ])
        // With the end of both at last, and the finding as the only difference to a talk without it.
        let ends = { (talk: Segments) in talk.fin(.client, at: 9, ack: 6).fin(.server, at: 6, ack: 10).transcript() }
        let plain = talk.client("def", at: 3).server("xyz", at: 3, ack: 6).client("ghi", at: 6, ack: 6)
        #expect(ends(told).filter { !$0.contains("!") } == ends(plain))
        #expect(ends(plain).last == "closed client fin  client fin 9 B  server fin 6 B")
    }

    @Test func twoSegmentsInSequenceRefuteAFinWithoutAnAcknowledgement() {
        let one = talk.fin(.client, at: 3, ack: 3).client("def", at: 3)
        #expect(
            one.client("ghi", at: 6).transcript()[3...] == [
                "> @3 data \"def\"", "> @6 ! tcp.fin-ignored a=3 b=0", "> @6 data \"ghi\"",
                "closed unknown endOfCapture  client open 9 B  server open 3 B",
            ])
        // In the other order, and where the first of them was lost.
        #expect(
            talk.fin(.client, at: 3, ack: 3).client("ghi", at: 6).client("def", at: 3).transcript().contains(
                "> @6 ! tcp.fin-ignored a=3 b=0"))
        #expect(
            talk.fin(.client, at: 3, ack: 3).client("ghi", at: 6).client("jkl", at: 9).transcript()[3...] == [
                "> @3 ! tcp.fin-ignored a=9 b=0", "> @3 gap 3 missing", "> @6 data \"ghijkl\"",
                "closed unknown endOfCapture  client open 9 B 3 missing  server open 3 B",
            ])
        // One alone does not, nor the same twice.
        for stands in [one, one.client("def", at: 3)] {
            #expect(
                stands.transcript()[3...] == [
                    "> @3 data \"def\"", "> @3 ! tcp.data-after-fin a=3 b=0", "closed client fin  client fin 6 B  server open 3 B",
                ])
        }
    }

    @Test func anAcknowledgedFinStands() {
        let closed = talk.fin(.client, at: 3, ack: 3).packet(.server, at: 3, ack: 4)
        #expect(
            closed.client("def", at: 3).client("ghi", at: 6).server("xyz", at: 3).transcript()[3...] == [
                "> @3 data \"def\"", "> @3 ! tcp.data-after-fin a=3 b=0", "> @6 data \"ghi\"", "> @6 ! tcp.data-after-fin a=3 b=0",
                "< @3 data \"xyz\"", "closed client fin  client fin 9 B  server open 6 B",
            ])
        // What is sent again is shown once.
        #expect(
            closed.client("def", at: 3).client("def", at: 3).client("efghi", at: 4).transcript()[3...] == [
                "> @3 data \"def\"", "> @3 ! tcp.data-after-fin a=3 b=0", "> @6 data \"ghi\"", "> @6 ! tcp.data-after-fin a=3 b=0",
                "closed client fin  client fin 9 B  server open 3 B",
            ])
        // Bytes that came before the acknowledgement are not read either.
        #expect(
            talk.fin(.client, at: 3, ack: 3).client("def", at: 3).packet(.server, at: 3, ack: 4).transcript()[3...4]
                == ["> @3 data \"def\"", "> @3 ! tcp.data-after-fin a=3 b=0"])
    }

    @Test func oneByteInThePlaceOfAFinIsNotItsAcknowledgement() {
        // The number that acknowledges the FIN acknowledges the byte as well.
        let told = talk.fin(.client, at: 3, ack: 3).client("d", at: 3).packet(.server, at: 3, ack: 4)
        #expect(told.client("e", at: 4).transcript().contains("> @3 data \"d\""))
        #expect(told.transcript().last == "closed client fin  client fin 4 B  server open 3 B")
        // A keep-alive probe after the end has that place, and is no data.
        let probed = talk.fin(.client, at: 3, ack: 3).packet(.server, at: 3, ack: 4).packet(.client, [0], at: 3)
        #expect(!probed.transcript().contains { $0.contains("!") })
    }

    @Test func theEndIsToldAsSoonAsItIsCertain() {
        // The one direction of a capture cannot be borne out; the second FIN is answer enough to the first.
        let alone = Segments().packet(.server, flags: [.syn, .ack]).server("abc", at: 0).fin(.server, at: 3).server("def", at: 3)
        #expect(
            alone.transcript()[1...] == [
                "< @0 data \"abcdef\"", "< @3 ! tcp.data-after-fin a=3 b=0", "closed server fin  client open 0 B  server fin 6 B",
            ])
        let crossing = talk.fin(.client, at: 3, ack: 3).fin(.server, at: 3, ack: 3)
        #expect(
            crossing.client("late", at: 3).transcript().suffix(2) == [
                "closed client fin  client fin 3 B  server fin 3 B", "! tcp.data-after-close a=4 b=1",
            ])
        // An acknowledgement that was captured before the FIN.
        let before = talk.packet(.server, at: 3, ack: 4).fin(.client, at: 3, ack: 3).client("late", at: 3)
        #expect(before.transcript()[3...4] == ["> @3 data \"late\"", "> @3 ! tcp.data-after-fin a=4 b=0"])
    }

    @Test func whatLiesBehindAFinIsItsSendersWhoeverThatTurnsOutToBe() {
        // Without a SYN the server, which speaks first, goes as the client until something has to be shown.
        let told = Segments().server("abc", at: 0).fin(.server, at: 3).packet(.client, at: 0, ack: 4).server("def", at: 3).transcript()
        #expect(
            told == [
                "opened midstream by ports", "< @0 data \"abcdef\"", "< @3 ! tcp.data-after-fin a=3 b=0",
                "closed server fin  client open 0 B  server fin 6 B",
            ])
    }

    @Test func whatWaitsBehindAFinIsBounded() {
        var told = talk.fin(.client, at: 3, ack: 3)
        told.limits.outOfOrderBytes = 1_000
        // Never two in sequence.
        for index in 0..<40 { told = told.client("xx", at: 3 + index * 4) }
        let lines = told.transcript()
        #expect(lines.contains { $0.hasPrefix("> @3 ! tcp.data-after-fin") })
        #expect(lines.last == "closed client fin  client fin 83 B  server open 3 B")
    }

    @Test func whatGoesOnBehindAForgedEndIsShown() {
        // A FIN with the expected number and its acknowledgement, both forged: the true talk goes on in its place.
        let forged = talk.fin(.server, at: 3, ack: 3).packet(.client, at: 3, ack: 4)
        let told = forged.server("one", at: 3).client("def", at: 3, ack: 6).server("two", at: 6, ack: 6).transcript()
        #expect(
            told[2...] == [
                "< @0 data \"uvwone\"", "< @3 ! tcp.data-after-fin a=3 b=0", "> @3 data \"def\"", "< @6 data \"two\"",
                "< @6 ! tcp.data-after-fin a=3 b=0", "closed server fin  client open 6 B  server fin 9 B",
            ])
    }
}
