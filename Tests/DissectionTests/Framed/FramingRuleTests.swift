import Dissection
import Support
import Testing

/// Raw bytes cut into messages as the user said.
@Suite struct FramingRuleTests {
    @Test(arguments: LengthPrefix.Width.allCases)
    func aLengthOfEachWidthCutsMessages(_ width: LengthPrefix.Width) {
        let bytes = FramedMessages.length("hello", width) + FramedMessages.length("", width) + FramedMessages.length("world!", width)
        let header = FramedMessages.number(5, width).count
        let told = FramedMessages.told(Talk(.length(LengthPrefix(width)), [.client(bytes), .server(FramedMessages.length("ok", width))]))
        #expect(
            told == [
                "> @0 message 5/\(5 + header) B \"hello\"", "> @\(5 + header) message 0/\(header) B \"\"",
                "> @\(5 + 2 * header) message 6/\(6 + header) B \"world!\"", "< @0 message 2/\(2 + header) B \"ok\"",
            ])
    }

    @Test func aLengthMayCountItselfAndStandInsideAHeader() {
        let own = LengthPrefix(.u16be, countsItself: true)
        #expect(
            FramedMessages.told(Talk(.length(own), [.client([0, 4, 0x68, 0x69, 0, 2, 0, 3, 0x21])]))
                == ["> @0 message 2/4 B \"hi\"", "> @4 message 0/2 B \"\"", "> @6 message 1/3 B \"!\""])
        let inside = LengthPrefix(.u16le, offset: 2, header: 6)
        let message: [UInt8] = [0x4D, 0x56, 2, 0, 9, 9, 0x68, 0x69]
        #expect(
            FramedMessages.told(Talk(.length(inside), [.server(message + message)]))
                == ["< @0 message 2/8 B \"hi\"", "< @8 message 2/8 B \"hi\""])
    }

    @Test func aDelimiterCutsMessagesHoweverItIsCutItself() {
        let talk = Talk(.ended(by: "\r\n\r\n"), [.client("a\r\nb\r\n\r\n\r\n\r\r\n\r\n"), .client("\r\n\r\n"), .server("x\r\n\r\n")])
        #expect(
            FramedMessages.told(talk) == [
                "> @0 message 4/8 B \"a\\r\\nb\"", "> @8 message 3/7 B \"\\r\\n\\r\"", "> @15 message 0/4 B \"\"",
                "< @0 message 1/5 B \"x\"",
            ])
        // A beginning of the delimiter that is its own end: aab in aaab.
        #expect(
            FramedMessages.told(Talk(.ended(by: "aab"), [.client("aaabxaab")])) == ["> @0 message 1/4 B \"a\"", "> @4 message 1/4 B \"x\""])
    }

    @Test func linesEndWithEitherLineEnd() {
        #expect(
            FramedMessages.told(Talk(.lines, [.client("one\r\ntwo\n\nthr\ree\r\n")])) == [
                "> @0 message 3/5 B \"one\"", "> @5 message 3/4 B \"two\"", "> @9 message 0/1 B \"\"", "> @10 message 6/8 B \"thr\\ree\"",
            ])
    }

    @Test func oneLengthAndTypeLengthValue() {
        #expect(
            FramedMessages.told(Talk(.fixed(3), [.client("abcdefg")])) == [
                "> @0 message 3 B \"abc\"", "> @3 message 3 B \"def\"", "> @6 message 3/1 B cut \"g\"",
                "> @6 ! framing.message-cut a=2 b=0",
            ])
        #expect(
            FramedMessages.told(Talk(.tlv(type: .u8, length: .u16be), [.client([7, 0, 2, 0x68, 0x69, 8, 0, 0])]))
                == ["> @0 message 2/5 B \"hi\"", "> @5 message 0/3 B \"\""])
    }

    @Test func theTypeAndTheRestOfAHeaderGoWithTheMessage() {
        var sink = Frames()
        Talk(.tlv(type: .u16be, length: .u8), [.client([1, 2, 1, 0x21])]).play(into: &sink)
        #expect(sink.headers == [[1, 2, 1]])
        sink = Frames()
        Talk(.length(LengthPrefix(.u32be)), [.client([0, 0, 0, 1, 0x21])]).play(into: &sink)
        #expect(sink.headers == [[]])
    }

    private struct Frames: ConversationSink {
        var headers: [[UInt8]] = []

        mutating func receive(_ event: borrowing ConversationEvent) {
            if case .message(let message) = event.fact, let frame = message.frame { headers.append(frame.header.array) }
        }
    }

    // MARK: - Long and unfinished messages

    @Test func aLongMessageIsKeptUpToTheLimitAndCounted() {
        var limits = Limits()
        limits.messageBytes = 4
        let talk = Talk(
            .length(LengthPrefix(.u32be)), [.client(FramedMessages.length("hello world") + FramedMessages.length("next"))], limits: limits)
        #expect(FramedMessages.told(talk) == ["> @0 message 11/15 B cut \"hell\"", "> @15 message 4/8 B \"next\""])
    }

    @Test func whatDoesNotEndIsToldAsCut() {
        let talk = Talk(.length(LengthPrefix(.u32be)), [.client(FramedMessages.length("hello").dropLast(2) + []), .finish(.client)])
        #expect(FramedMessages.told(talk) == ["> @0 message 5/7 B cut \"hel\"", "> @0 ! framing.message-cut a=2 b=0"])
        // Of a header alone nothing is known.
        #expect(FramedMessages.told(Talk(.length(LengthPrefix(.u32be)), [.client([0, 0, 0])])) == ["> @0 data 00 00 00"])
        #expect(
            FramedMessages.told(Talk(.lines, [.client("half"), .finish(.client)]))
                == ["> @0 message 4 B \"half\"", "> @0 ! framing.message-cut a=0 b=0"])
    }

    @Test func aMessageThatIsCutForMemoryKeepsItsLength() {
        let endpoint = Endpoint(address: IPAddress(ipv4: 1), port: 1)
        var conversation = Conversation(
            number: 1, first: endpoint, second: endpoint, sideOfFirst: .client, start: .handshake,
            forced: DecodeRule(port: 1, framing: StreamFraming.length(LengthPrefix(.u32be)).both), limits: Limits(), place: Place())
        var sink = Transcript()
        conversation.open(sink: &sink)
        func client(_ bytes: [UInt8]) {
            conversation.receive(.bytes(bytes.rawBytes), direction: .first, place: Place(), sink: &sink)
        }
        client([0, 1, 0, 0] + [UInt8](repeating: 7, count: 65_000))
        #expect(conversation.heldBytes > 65_000)
        let isCut = conversation.cutAssembly(sink: &sink)
        #expect(isCut && conversation.heldBytes < 4_096)
        client([UInt8](repeating: 8, count: 536) + FramedMessages.length("next"))
        let told = sink.finished()
        #expect(
            told.dropFirst() == [
                "> @65004 ! limits.assembly-cut a=0 b=0", "> @0 message 65536/65540 B cut \"\"", "> @65540 message 4/8 B \"next\"",
            ], "\(told)")
        let isCutAgain = conversation.cutAssembly(sink: &sink)
        #expect(!isCutAgain)
    }

    // MARK: - Losses

    @Test func aLossInsideAMessageLosesNoBoundary() {
        let talk = Talk(
            .length(LengthPrefix(.u32be)),
            [
                .client([0, 0, 0, 8, 0x61, 0x62]), .gap(.client, 4, .missing), .client([0x67, 0x68] + FramedMessages.length("next")),
            ])
        #expect(
            FramedMessages.told(talk) == [
                "> @0 message 8/6 B cut \"ab\"", "> @0 ! framing.message-cut a=6 b=0", "> @6 gap 4 missing", "> @10 data \"gh\"",
                "> @12 message 4/8 B \"next\"",
            ])
    }

    @Test func afterALossSeveralLengthsInARowShowTheNextMessage() {
        let messages = (1...5).flatMap { FramedMessages.length("message \($0)") }
        let talk = Talk(
            .length(LengthPrefix(.u32be)),
            [.client(FramedMessages.length("one")), .gap(.client, 100, .missing), .client(Array("rest".utf8) + messages)])
        #expect(
            FramedMessages.told(talk) == [
                "> @0 message 3/7 B \"one\"", "> @7 gap 100 missing", "> @107 data \"rest\"", "> @111 ! framing.resynchronised a=4 b=0",
            ] + (0..<5).map { "> @\(111 + 13 * $0) message 9/13 B \"message \($0 + 1)\"" })
        // Two are too few.
        let few = Talk(
            .length(LengthPrefix(.u32be)),
            [.gap(.client, 100, .missing), .client(Array("rest".utf8) + FramedMessages.length("one") + FramedMessages.length("two"))])
        #expect(!FramedMessages.told(few).contains { $0.contains("message") })
    }

    @Test func afterALossADelimiterOrTheOtherSideShowsTheNextMessage() {
        #expect(
            FramedMessages.told(Talk(.lines, [.gap(.client, 9, .missing), .client("rest\none\ntwo\n")])) == [
                "> @0 gap 9 missing", "> @9 data \"rest\\n\"", "> @14 ! framing.resynchronised a=5 b=0", "> @14 message 3/4 B \"one\"",
                "> @18 message 3/4 B \"two\"",
            ])
        let varint = LengthPrefix(.varint)
        #expect(
            FramedMessages.told(
                Talk(.length(varint), [.gap(.client, 9, .missing), .client("rest"), .server([1, 0x21]), .client([2, 0x68, 0x69])])) == [
                    "> @0 gap 9 missing", "> @9 data \"rest\"", "< @0 message 1/2 B \"!\"", "> @13 message 2/3 B \"hi\"",
                ])
        #expect(
            FramedMessages.told(Talk(.fixed(4), [.client("abcdef"), .gap(.client, 5, .missing), .client("lmnop")])) == [
                "> @0 message 4 B \"abcd\"", "> @4 message 4/2 B cut \"ef\"", "> @4 ! framing.message-cut a=2 b=0", "> @6 gap 5 missing",
                "> @11 data \"l\"", "> @12 message 4 B \"mnop\"",
            ])
    }

    // MARK: - Lengths that lie

    @Test func aLengthThatLiesIsFoundAndMessagesAreFoundAgain() {
        let messages = (1...4).flatMap { FramedMessages.length("message \($0)") }
        let talk = Talk(
            .length(LengthPrefix(.u32be)), [.client(FramedMessages.length("one") + [0x7F, 0xFF, 0xFF, 0xFF, 0x41] + messages)])
        #expect(
            Array(FramedMessages.told(talk).prefix(5)) == [
                "> @0 message 3/7 B \"one\"", "> @7 ! framing.length-wrong a=2147483647 b=0", "> @7 data 7f ff ff ff 41",
                "> @12 ! framing.resynchronised a=5 b=0", "> @12 message 9/13 B \"message 1\"",
            ])
    }

    @Test func aMessageWithoutADelimiterEndsAtTheBound() {
        let talk = Talk(.ended(by: "\r\n", most: 8), [.client("12345678\r\n123456789 and more\r\nnext\r\n")])
        #expect(
            FramedMessages.told(talk) == [
                "> @0 message 8/10 B \"12345678\"", "> @10 ! framing.length-wrong a=9 b=0", "> @10 data \"123456789 and more\\r\\n\"",
                "> @30 ! framing.resynchronised a=20 b=0", "> @30 message 4/6 B \"next\"",
            ])
    }

    @Test func everyWayToLieEndsInData() {
        var random = SplitMix(seed: 11)
        for framing in [
            StreamFraming.length(LengthPrefix(.u32be)), .length(LengthPrefix(.u16le, countsItself: true)), .length(LengthPrefix(.u64le)),
            .length(LengthPrefix(.varint)), .tlv(type: .u16be, length: .u24be), .ended(by: "ab", most: 40), .fixed(7), .lines,
            .contentLength, .json, .protocol(.redis), .protocol(.stomp), .protocol(.xmpp), .protocol(.nats), .protocol(.mqtt),
            .protocol(.amqp), .protocol(.irc),
        ] {
            for size in [1, 40, 400] {
                let bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next() >> 60) }
                _ = FramedMessages.told(
                    Talk(framing, [.client(bytes), .gap(.client, 9, .missing), .client(bytes), .server(bytes), .client(bytes)]),
                    "\(framing) \(size)")
            }
        }
    }

    @Test func manyLiesInOneRunAreReadInOneLoop() {
        let long = (0..<20_000).flatMap { _ in Array("123456789\n".utf8) }
        let lies = (0..<8_000).flatMap { _ in [0, 0, 0, 1, 9, 0, 0, 0, 1, 9, 0, 0, 0, 1, 9, 0xFF, 0xFF] as [UInt8] }
        for talk in [Talk(.ended(by: "\n", most: 4), [.client(long)]), Talk(.length(LengthPrefix(.u32be)), [.client(lies)])] {
            var sink = CheckingSink(limits: talk.limits)
            talk.play(into: &sink)
            sink.finish()
            #expect(sink.complaints == [])
        }
    }

    // MARK: - Cost

    /// A length that is always wrong, and lengths that nearly fit: each place is looked at so many times, however many there are.
    @Test(arguments: [[0x7F, 0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 1], [0, 0, 0, 4, 1, 1, 1, 1, 0, 0, 0, 3, 2, 2, 0x7F]] as [[UInt8]])
    func lengthsThatLieCostNoMoreThanTheirBytes(_ unit: [UInt8]) {
        func steps(_ count: Int) -> Int {
            let endpoint = Endpoint(address: IPAddress(ipv4: 1), port: 1)
            var conversation = Conversation(
                number: 1, first: endpoint, second: endpoint, sideOfFirst: .client, start: .handshake,
                forced: DecodeRule(port: 1, framing: StreamFraming.length(LengthPrefix(.u32be)).both), limits: Limits(), place: Place())
            var sink = Transcript()
            conversation.open(sink: &sink)
            for index in 0..<count {
                conversation.receive(.bytes([unit[index % unit.count]].rawBytes), direction: .first, place: Place(), sink: &sink)
                #expect(conversation.heldBytes < 4 << 20)
            }
            return conversation.searchSteps
        }
        let (once, fourfold) = (steps(10_000), steps(40_000))
        #expect(fourfold <= once * 9 / 2 + 256 && once < 40_000, "\(once) \(fourfold)")
    }
}
