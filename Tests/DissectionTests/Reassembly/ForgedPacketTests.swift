import Dissection
import Support
import Testing

/// One packet that is not of the connection, or cannot be told from such a one: it neither hides bytes nor makes losses.
@Suite struct ForgedPacketTests {
    private let end = "closed unknown endOfCapture  client open 6 B  server open 6 B"

    /// Two exchanges, with `forged` between them.
    private func talk(_ forged: (Segments) -> Segments) -> [String] {
        forged(Segments().handshake().client("abc", at: 0).server("uvw", at: 0, ack: 3))
            .client("def", at: 3, ack: 3).server("xyz", at: 3, ack: 6).packet(.client, at: 6, ack: 6).transcript()
    }

    @Test func nothingIsForged() {
        #expect(talk { $0 }[1...] == ["> @0 data \"abc\"", "< @0 data \"uvw\"", "> @3 data \"def\"", "< @3 data \"xyz\"", end])
    }

    @Test(arguments: [1 << 20, 100 << 20, 512 << 20, (1 << 31) - 100, -(100 << 20), -(1 << 30) - 50] as [Int])
    func aStraySegmentIsToldAndLeftOut(distance: Int) {
        for side in [Side.client, .server] {
            let told = talk { $0.packet(side, Array("JUNKJUNK".utf8), at: 3 + distance) }
            let mark = side == .client ? ">" : "<"
            #expect(told.contains("\(mark) @3 ! tcp.segment-ignored a=8 b=\(distance.magnitude)"), "\(told)")
            #expect(told.filter { !$0.contains("!") } == talk { $0 })
        }
    }

    @Test func aStrayFinIsIgnored() {
        let told = talk { $0.packet(.client, at: 3 + 512 << 20, flags: [.fin, .ack]) }
        #expect(told.contains { $0.contains("tcp.fin-ignored") })
        #expect(told.filter { !$0.contains("!") } == talk { $0 })
        // In the window as well, when bytes come at its place.
        let inside = talk { $0.packet(.client, at: 5, flags: [.fin, .ack]) }
        #expect(inside.contains("> @6 ! tcp.fin-ignored a=1 b=0"))
        #expect(inside.filter { !$0.contains("!") } == talk { $0 })
    }

    @Test func aStrayAcknowledgementMakesNoLoss() {
        for ahead in [500, 50_000, 10 << 20, 512 << 20] {
            let told = talk { $0.packet(.server, at: 3, ack: 3 + ahead).packet(.server, at: 3, ack: 3) }
            #expect(told.contains("< @3 ! tcp.ack-ignored a=\(ahead) b=0"))
            #expect(told.filter { !$0.contains("!") } == talk { $0 })
        }
    }

    @Test func anAcknowledgementDoesNotReleaseWhatIsStillToCome() {
        // A hole of the client, then a forged acknowledgement far behind it, then the missing bytes.
        let talk = Segments().handshake().client("def", at: 3).packet(.server, ack: 512 << 20).packet(.server, ack: 0).client("abc", at: 0)
        #expect(talk.transcript().contains("> @0 data \"abcdef\""))
        #expect(!talk.transcript().contains { $0.contains("gap") })
    }

    @Test func acknowledgementsInAnotherOrderAccuseNobody() {
        // Both acknowledge bytes that come next in the capture.
        let talk = Segments().handshake().client("abc", at: 0).packet(.server, at: 0, ack: 9).packet(.server, at: 0, ack: 6)
            .client("def", at: 3).client("ghi", at: 6).server("uvw", at: 0, ack: 9)
        #expect(!talk.transcript().contains { $0.contains("!") || $0.contains("gap") }, "\(talk.transcript())")
    }

    @Test func aSideThatHasOnlyBeenAcknowledgedIsWhereThatSays() {
        func talk(_ forged: (Segments) -> Segments) -> [String] {
            forged(Segments().client("abc", at: 0, ack: 0)).server("uvw", at: 0, ack: 3).client("def", at: 3, ack: 3)
                .server("xyz", at: 3, ack: 6).transcript()
        }
        let truth = talk { $0 }
        for distance in [3_000_000, -3_000_000, 105 << 20] {
            for flags: TCPFlags in [.rst, [.fin, .ack], [.psh, .ack]] {
                let told = talk { $0.packet(.server, flags == [.psh, .ack] ? Array("JUNK".utf8) : [], at: distance, flags: flags, ack: 3) }
                #expect(told.filter { !$0.contains("!") } == truth, "\(distance) \(flags): \(told)")
                let isTold = told.contains { $0.contains("tcp.reset-outside-window a=\(distance.magnitude) ") }
                #expect(flags != .rst || isTold, "\(told)")
            }
        }
    }

    @Test func aSynOfNowhereIsIgnored() {
        for distance in [70_000, 100 << 20, -(100 << 20)] {
            let told = talk { $0.packet(.client, at: distance, flags: .syn) }
            #expect(told.contains { $0.contains("> @") && $0.contains("tcp.syn-ignored") })
            #expect(told.filter { !$0.contains("!") } == talk { $0 })
            let answer = talk { $0.packet(.server, at: distance, flags: [.syn, .ack]) }
            #expect(answer.contains { $0.contains("tcp.syn-ignored") })
            #expect(answer.filter { !$0.contains("!") } == talk { $0 })
        }
    }

    @Test func aSynBeforeTheAnswerIsNotTheOneAnswered() {
        let told = Segments().packet(.client, flags: .syn).packet(.client, at: 100 << 20, flags: .syn)
            .packet(.server, flags: [.syn, .ack], ack: 0).client("abc", at: 0).transcript()
        #expect(
            told[1...] == [
                "> @0 data \"abc\"", "> @3 ! tcp.syn-ignored a=104857599 b=0",
                "closed unknown endOfCapture  client open 3 B  server open 0 B",
            ])
    }

    @Test(arguments: [2_048, -2_048, 100 << 20, -(100 << 20)] as [Int])
    func aSynThatTheAnswerDoesNotMeanBeginsNothing(distance: Int) {
        let told = Segments().packet(.client, at: distance, flags: .syn).packet(.server, flags: [.syn, .ack], ack: 0)
            .packet(.client, at: 0, ack: 0).client("abc", at: 0, ack: 0).server("uvw", at: 0, ack: 3).client("def", at: 3, ack: 3)
            .transcript()
        #expect(
            told[1...].filter { !$0.contains("!") } == [
                "> @0 data \"abc\"", "< @0 data \"uvw\"", "> @3 data \"def\"",
                "closed unknown endOfCapture  client open 6 B  server open 3 B",
            ], "\(told)")
    }

    @Test func anAnswerThatMeansAnotherSynChangesNothing() {
        for distance in [2_048, -2_048, 100 << 20, -(100 << 20)] {
            let told = Segments().packet(.client, flags: .syn).packet(.server, at: 77, flags: [.syn, .ack], ack: distance)
                .packet(.server, flags: [.syn, .ack], ack: 0)
                .packet(.client, at: 0, ack: 0).client("abc", at: 0, ack: 0).server("uvw", at: 0, ack: 3).transcript()
            #expect(
                told[1...].filter { !$0.contains("!") } == [
                    "> @0 data \"abc\"", "< @0 data \"uvw\"", "closed unknown endOfCapture  client open 3 B  server open 3 B",
                ], "\(told)")
        }
    }

    @Test func aResetInTheWindowIsRefutedByWhatFollows() {
        for distance in [1, 100, 30_000] {
            let told = talk { $0.reset(.server, at: 3 + distance) }
            #expect(told.contains("< @6 ! tcp.reset-outside-window a=\(distance) b=0"), "\(told)")
            #expect(told.filter { !$0.contains("!") } == talk { $0 })
        }
    }

    @Test func aResetWithTheNumberOfALaterEndIsRefutedByWhatFollows() {
        let told = Segments().handshake().client("abc", at: 0).reset(.client, at: 6).client("def", at: 3).server("uvw", at: 0, ack: 6)
            .client("ghi", at: 6).transcript()
        #expect(told.contains("> @6 data \"ghi\""), "\(told)")
        #expect(told.contains { $0.contains("tcp.reset-outside-window") })
    }

    @Test func aResetShortlyBeforeTheCloseIsNotTheEnd() {
        let told = Segments().handshake().client("abc", at: 0).server("uvw", at: 0, ack: 3).fin(.client, at: 3, ack: 3)
            .reset(.server, at: 43).fin(.server, at: 3, ack: 4).packet(.client, at: 4, ack: 4).transcript()
        #expect(told.last == "closed client fin  client fin 3 B  server fin 3 B")
        #expect(told.contains { $0.contains("< @3 ! tcp.reset-outside-window a=40") }, "\(told)")
    }

    @Test func aSecondAnswerIsTold() {
        let syn = Segments().packet(.client, flags: .syn)
        let rest = { (talk: Segments) in
            talk.packet(.client, ack: 0).client("abc", at: 0, ack: 0).server("uvw", at: 0, ack: 3).transcript()
        }
        let plain = rest(syn.packet(.server, flags: [.syn, .ack], ack: 0))
        for distance in [1_000, -1_000, 100 << 20] {
            let after = rest(syn.packet(.server, flags: [.syn, .ack], ack: 0).packet(.server, at: distance, flags: [.syn, .ack], ack: 0))
            let before = rest(syn.packet(.server, at: distance, flags: [.syn, .ack], ack: 0).packet(.server, flags: [.syn, .ack], ack: 0))
            for told in [after, before] {
                #expect(told.filter { !$0.contains("!") } == plain, "\(distance): \(told)")
                #expect(told.filter { $0.contains("tcp.syn-ignored") }.count == 1, "\(distance): \(told)")
            }
        }
    }

    @Test func anAnswerInTheMiddleIsTold() {
        let plain = { (forged: (Segments) -> Segments) in
            forged(Segments().client("abc", at: 0, ack: 0)).server("uvw", at: 0, ack: 3).client("def", at: 3, ack: 3).transcript()
        }
        for distance in [1, -1, 1_000, 100 << 20] {
            let told = plain { $0.packet(.server, at: distance, flags: [.syn, .ack], ack: 3) }
            #expect(told.filter { !$0.contains("!") } == plain { $0 }, "\(distance): \(told)")
            #expect(told.contains { $0.contains("tcp.syn-ignored") }, "\(distance): \(told)")
            #expect(!told.contains { $0.contains("before-syn") })
        }
    }

    @Test func anExactResetIsTheEnd() {
        let told = talk { $0.reset(.server, at: 3) }
        #expect(told.contains("closed server reset  client open 3 B  server reset 3 B"))
        #expect(told.last == "closed server reset  client open 3 B  server reset 3 B")
        #expect(told.filter { $0.contains("data afterClose 3 B") }.count == 2)
    }

    // MARK: - What was real after all

    @Test func aResetAfterLostBytesIsTheEndWhereNothingFollows() {
        let told = Segments().handshake().client("abc", at: 0).reset(.server, at: 400).transcript()
        #expect(told.last == "closed server reset  client open 3 B  server reset 0 B 400 missing")
        // The bytes before it were only late.
        let late = Segments().handshake().reset(.server, at: 3).server("abc", at: 0).transcript()
        #expect(late[1...] == ["< @0 data \"abc\"", "closed server reset  client open 0 B  server reset 3 B"])
    }

    @Test func aJumpThatTheNextSegmentGoesOnFromIsFollowed() {
        let far = 200 << 20
        let told = Segments().handshake().server("abc", at: 0).server("ghi", at: far).server("jkl", at: far + 3).transcript()
        #expect(
            told[1...] == [
                "< @0 data \"abc\"", "< @3 ! tcp.jump-followed a=\(far - 3) b=0", "< @3 gap \(far - 3) missing",
                "< @\(far) data \"ghijkl\"", "closed unknown endOfCapture  client open 0 B  server open 9 B \(far - 3) missing",
            ])
    }

    @Test func aJumpThatTheOtherSideAcknowledgesIsFollowed() {
        for far in [200 << 20, (1 << 31) - 100, 3_000_000_000] {
            let told = Segments().handshake().server("abc", at: 0).server("ghi", at: far).packet(.client, ack: far + 3).transcript()
            #expect(told.contains("< @3 gap \(far - 3) missing"), "\(told)")
            #expect(told.contains("< @\(far) data \"ghi\""))
        }
    }

    @Test func aNewConnectionOverAnOpenOneIsFollowedWhenAnswered() {
        let first = Segments().handshake().client("one", at: 0)
        var second = first
        (second.clientInitial, second.serverInitial) = (90_000_000, 120_000)
        let told = second.packet(.client, flags: .syn).packet(.server, flags: [.syn, .ack], ack: 0).client("two", at: 0).transcript()
        #expect(told[2...4] == ["> @3 ! tcp.port-reused a=0 b=0", "closed unknown timeout  client open 3 B  server open 0 B", told[0]])
        #expect(told[5] == "> @0 data \"two\"")
    }

    @Test func twoAcknowledgementsOfWhatIsMissingAreBelieved() {
        let told = Segments().handshake().server("abc", at: 0).packet(.client, ack: 9).packet(.client, ack: 9).server("jkl", at: 9)
        #expect(told.transcript().contains("< @3 gap 6 missing"))
    }

    // MARK: - Before the answer to a SYN

    @Test func aSegmentBetweenSynAndAnswerIsHeld() {
        let syn = Segments().packet(.client, flags: .syn)
        let rest = { (talk: Segments) in
            talk.packet(.server, flags: [.syn, .ack], ack: 0).packet(.client).client("abc", at: 0).server("uvw", at: 0, ack: 3)
                .client("def", at: 3, ack: 3).transcript()
        }
        let plain = rest(syn)
        for distance in [-(100 << 20), -1_000, 0, 1, 1_000, 65_000, 100 << 20, (1 << 31) - 100] {
            let told = rest(syn.packet(.server, Array("FORGED!!".utf8), at: distance, flags: [.psh, .ack], ack: 0))
            #expect(told.filter { !$0.contains("!") || $0.contains("\"!\"") } == plain, "\(distance): \(told)")
            #expect(told.contains { $0.hasSuffix("! tcp.segment-ignored a=8 b=\(distance.magnitude)") }, "\(distance): \(told)")
            let fin = rest(syn.fin(.server, at: distance, ack: 0))
            #expect(fin.filter { !$0.contains("!") } == plain, "\(distance): \(fin)")
        }
    }

    @Test func aConnectionWithoutTheAnswerToItsSynIsRead() {
        let syn = Segments().packet(.client, flags: .syn)
        let told = ["< @0 data \"uvw\"", "closed unknown endOfCapture  client open 0 B  server open 3 B"]
        let one = syn.server("uvw", at: 0, ack: 0)
        // The client acknowledged before, does so after, or nothing else comes at all.
        #expect(syn.packet(.client, ack: 0).server("uvw", at: 0, ack: 0).transcript()[1...] == told[...])
        #expect(one.packet(.client, ack: 3).transcript()[1...] == told[...])
        #expect(one.transcript()[1...] == told[...])
        // A second segment in sequence, in either order.
        for both in [one.server("xyz", at: 3), syn.server("xyz", at: 3, ack: 0).server("uvw", at: 0)] {
            #expect(both.transcript()[1] == "< @0 data \"uvwxyz\"")
        }
        // The answer was captured after the data.
        let late = one.packet(.server, flags: [.syn, .ack], ack: 0).packet(.client)
        #expect(late.transcript()[1...] == told[...])
        #expect(late.packet(.client, ack: 3).server("xyz", at: 3).transcript()[1] == "< @0 data \"uvwxyz\"")
    }

    // MARK: - Odd bytes

    @Test func aByteOnTheNumberOfTheSynIsTold() {
        #expect(
            Segments().handshake().client("xabc", at: -1).transcript()[1...] == [
                "> @0 ! tcp.before-syn a=1 b=0", "> @0 data \"abc\"",
                "closed unknown endOfCapture  client open 3 B  server open 0 B",
            ])
        // A keep-alive probe lies there too.
        #expect(Segments().handshake().packet(.client, [0], at: -1).client("abc", at: 0).transcript()[1] == "> @0 data \"abc\"")
    }

    @Test func zerosThatFillAnAcknowledgementAreNoData() {
        let zeros = [UInt8](repeating: 0, count: 6)
        let padded = Segments().handshake().packet(.client, zeros, at: 0).client("abcdefgh", at: 0).packet(.server, zeros, at: 0, ack: 8)
            .packet(.server, zeros, at: 0, ack: 8).server("answer", at: 0).packet(.client, zeros, at: 8, ack: 6)
        #expect(
            padded.transcript()[1...] == [
                "> @0 ! tcp.ack-padding a=6 b=0", "> @0 data \"abcdefgh\"", "< @0 ! tcp.ack-padding a=6 b=0", "< @0 data \"answer\"",
                "closed unknown endOfCapture  client open 8 B  server open 6 B",
            ])
        // Zeros that the next segment goes on from are data, as are those that are acknowledged.
        #expect(
            Segments().handshake().packet(.client, zeros, at: 0).client("abc", at: 6).transcript().contains(
                "closed unknown endOfCapture  client open 9 B  server open 0 B"))
        #expect(
            Segments().handshake().packet(.client, zeros, at: 0).packet(.server, ack: 6).transcript()[1] == "> @0 data 00 00 00 00 00 00")
    }

    @Test func paddingNeverStandsInForData() {
        let zeros = [UInt8](repeating: 0, count: 6)
        let padding = "! tcp.ack-padding a=6 b=0"
        func told(_ segments: Segments) -> [String] { Array(segments.transcript()[1...].dropLast()) }
        let open = Segments().handshake().client("abc", at: 0)
        // Last of all; before the bytes that were captured late; after what it acknowledges; after the end.
        let doubtful = ["> @0 data 61 62 63 00 00 00 00 00 00", "> @3 ! connection.doubtful-bytes a=6 b=0"]
        #expect(told(open.packet(.client, zeros, at: 3)) == doubtful, "\(told(open.packet(.client, zeros, at: 3)))")
        #expect(told(open.packet(.client, zeros, at: 0).packet(.client, zeros, at: 3)) == ["> @0 data \"abc\"", "> @3 \(padding)"])
        let late = open.server("x", at: 0, ack: 9).packet(.client, zeros, at: 9, ack: 1).client("defghi", at: 3, ack: 0)
        #expect(told(late).prefix(2) == ["> @0 data \"abcdefghi\"", "< @0 data \"x\""], "\(told(late))")
        #expect(told(open.packet(.client, zeros, at: 0)) == ["> @0 data \"abc\"", "> @3 \(padding)"])
        let closed = open.fin(.client, at: 3).packet(.server, ack: 4).packet(.client, zeros, at: 4).server("x", at: 0)
        #expect(!told(closed).contains { $0.contains("data-after-fin") }, "\(told(closed))")
        // First of all.
        for first in [Segments(), Segments().packet(.server, ack: 0), Segments().server("x", at: 0, ack: 0)] {
            let lines = told(first.packet(.client, zeros, at: 0).client("abc", at: 0).client("def", at: 3))
            #expect(lines.contains { $0.contains("> @0 data \"abcdef\"") }, "\(lines)")
            #expect(!lines.contains { $0.contains("conflict") || $0.contains("00 00") }, "\(lines)")
        }
        // Nearly: the stream goes on from them, and a zero that fills no frame.
        #expect(told(Segments().packet(.client, zeros, at: 0).client("abc", at: 6)).joined().contains("00 00 00 00 00 00 61 62 63"))
        let alone = Segments().handshake().client("abc", at: 0).client("de", at: 4).packet(.client, [0], at: 3).packet(.client, at: 6)
        #expect(told(alone) == ["> @0 data 61 62 63 00 64 65"], "\(told(alone))")
    }

    @Test func whatComesAfterACloseStandsInAFinding() {
        let closed = Segments().handshake().client("abc", at: 0).reset(.server, at: 0).pause(seconds: 3)
        #expect(closed.client("abc", at: 0).transcript().last?.hasPrefix("closed") == true)
        let told = closed.client("cdef", at: 2).client("cdef", at: 2).client("gh", at: 6).transcript()
        #expect(told.last == "! tcp.data-after-close a=5 b=2")
        // It is told when another conversation takes the place.
        #expect(closed.client("d", at: 3).packet(.client, at: 1 << 28, flags: .syn).transcript()[3] == "! tcp.data-after-close a=1 b=1")
    }

    @Test func aResetMayCarryASentence() {
        let told = Segments().handshake().packet(.server, Array("go away".utf8), at: 0, flags: .rst).transcript()
        #expect(told[1] == "< @0 ! tcp.reset-data a=7 b=0")
    }
}

/// A clean exchange with one forged packet of any kind at any place: all bytes are told, and none is missing.
@Suite struct RandomForgeryTests {
    private struct Streams: ConversationSink {
        var bytes: [UInt8] = []
        var answers: [UInt8] = []
        var missing: UInt64 = 0
        var isReset = false

        mutating func receive(_ event: borrowing ConversationEvent) {
            switch event.fact {
            case .data:
                if event.from == .client { bytes += Transcript.copy(event.content) } else { answers += Transcript.copy(event.content) }
            case .gap(let gap): missing += gap.length
            case .closed(let closing): isReset = isReset || closing.how == .reset
            case _: return
            }
        }
    }

    @Test(arguments: 1...400) func oneForgedPacketChangesNothing(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let initial = (UInt32(truncatingIfNeeded: random.next()), UInt32(truncatingIfNeeded: random.next()))
        var talk = Segments(clientInitial: initial.0, serverInitial: initial.1).handshake()
        var (asked, answered): ([UInt8], [UInt8]) = ([], [])
        let rounds = 12
        let forgedAt = Int(random.next() % UInt64(rounds - 2))
        var number: UInt8 = 128
        func run() -> [UInt8] {
            (0..<8 + Int(random.next() % 200)).map { _ in
                number = number == 255 ? 128 : number + 1
                return number
            }
        }
        for round in 0..<rounds {
            var piece = run()
            talk = talk.packet(.client, piece, at: asked.count, flags: [.psh, .ack], ack: answered.count)
            asked += piece
            if round == forgedAt { talk = forge(talk, asked.count, answered.count, &random) }
            piece = run()
            talk = talk.packet(.server, piece, at: answered.count, flags: [.psh, .ack], ack: asked.count)
            answered += piece
        }
        talk = talk.fin(.client, at: asked.count, ack: answered.count).fin(.server, at: answered.count, ack: asked.count + 1)
        var sink = Streams()
        talk.rules = [DecodeRule(port: 8_080, layer: .data)]
        _ = talk.dissect(into: &sink)
        #expect(sink.bytes == asked)
        #expect(sink.answers == answered)
        #expect(sink.missing == 0)
        #expect(!sink.isReset)
    }

    /// One packet that a receiver would not take: payload outside the window, and any other kind at any number but the very
    /// one that is expected.
    private func forge(_ talk: Segments, _ asked: Int, _ answered: Int, _ random: inout SplitMix) -> Segments {
        let side: Side = random.next() % 2 == 0 ? .client : .server
        let here = side == .client ? asked : answered
        let (near, far) = (1 + Int(random.next() % 60_000), 100_000 + Int(random.next() % (1 << 31 - 200_000)))
        let sign = random.next() % 2 == 0 ? 1 : -1
        switch random.next() % 8 {
        case 0: return talk.packet(side, [1, 2, 3, 4, 5, 6, 7, 8], at: here + sign * far)
        case 1: return talk.packet(side, at: here + sign * far, flags: [.fin, .ack])
        case 2: return talk.reset(side, at: here + near)
        case 3: return talk.reset(side, at: here + sign * far)
        case 4: return talk.packet(side, at: here + far, flags: .syn)
        case 5: return talk.packet(side, at: here + sign * far, flags: [.syn, .ack])
        case 6: return talk.packet(side, at: here, ack: (side == .client ? answered : asked) + near)
        default: return talk.packet(side, at: here, ack: (side == .client ? answered : asked) + far)
        }
    }
}
