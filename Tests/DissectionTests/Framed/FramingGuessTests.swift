import Dissection
import Support
import Testing

/// Raw bytes of which nobody said how they are cut: what is guessed, and what is not.
@Suite struct FramingGuessTests {
    private func request(_ text: String, _ width: LengthPrefix.Width = .u32be) -> Talk.Step { .client(FramedMessages.length(text, width)) }
    private func answer(_ text: String, _ width: LengthPrefix.Width = .u32be) -> Talk.Step { .server(FramedMessages.length(text, width)) }

    /// What was guessed, in words, and how many messages there were.
    private func guessed(_ steps: [Talk.Step]) -> String? {
        let talk = Talk(steps)
        let lines = FramedMessages.told(talk)
        guard lines.contains(where: { $0.contains("! framing.guessed") }) else {
            #expect(!lines.contains { $0.contains(" message") }, "\(lines)")
            return nil
        }
        return talk.findings().first { $0.contains("framing.guessed") }?.split(separator: "framing.guessed: ").last.map(String.init)
    }

    // MARK: - Lengths

    @Test func aLengthOfFourBytesThatFitsOnBothSidesIsBelieved() {
        let told = FramedMessages.told(Talk([request("hello"), answer("ok"), request("bye"), .finish(.client), .finish(.server)]))
        #expect(
            told == [
                "> @0 message guessed 5/9 B \"hello\"", "< @0 message guessed 2/6 B \"ok\"", "> @9 message guessed 3/7 B \"bye\"",
                "< @6 ! framing.guessed a=3 b=3",
            ])
    }

    @Test(arguments: [
        (LengthPrefix.Width.u32be, "looks like a 4-byte big-endian length: 4 of 4 fit"),
        (.u32le, "looks like a 4-byte little-endian length: 4 of 4 fit"),
    ]) func eitherByteOrder(_ width: LengthPrefix.Width, _ words: String) {
        #expect(guessed([request("hello", width), answer("ok", width), request("a", width), answer("b", width)]) == words)
    }

    @Test(arguments: [
        (LengthPrefix.Width.u16be, "looks like a 2-byte big-endian length: 6 of 6 fit"),
        (.u16le, "looks like a 2-byte little-endian length: 6 of 6 fit"), (.varint, "looks like a varint length: 6 of 6 fit"),
    ]) func shorterLengthsTakeMoreTurns(_ width: LengthPrefix.Width, _ words: String) {
        // As protobuf begins: a field number that is no printable character.
        let texts = ["\u{8}\u{1}hello", "\u{8}\u{2}ok", "\u{8}\u{3}what", "\u{8}\u{4}this", "\u{8}\u{5}more", "\u{8}\u{6}end"]
        let steps = texts.enumerated().map { $0.offset % 2 == 0 ? request($0.element, width) : answer($0.element, width) }
        #expect(guessed(steps) == words)
        #expect(guessed(Array(steps.prefix(3))) == nil)
    }

    @Test func aLengthThatCountsItself() {
        func own(_ text: String) -> [UInt8] { FramedMessages.number(text.utf8.count + 4, .u32le) + text.utf8 }
        #expect(
            guessed([.client(own("hello")), .server(own("ok")), .client(own("bye"))])
                == "looks like a 4-byte little-endian length that counts itself: 3 of 3 fit")
    }

    @Test func severalMessagesOfOneSideAreEnoughWhereTheLastEndsWithIt() {
        let steps = ["one", "two", "three", "four"].map { request($0) }
        #expect(guessed(steps + [.finish(.client)]) == "looks like a 4-byte big-endian length: 4 of 4 fit")
        #expect(guessed(Array(steps.prefix(2)) + [.finish(.client)]) == nil)
    }

    @Test func aTurnThatEndsInsideOfAMessageDoesNotFit() {
        #expect(guessed([.client([0, 0, 0, 9, 1, 2]), answer("ok"), request("hello"), answer("ok")]) == nil)
        // Afterwards it only fits less well.
        let told = FramedMessages.told(
            Talk([
                request("hello"), answer("ok"), request("a"), .client([0, 0, 0, 2, 0x62]), answer("c"), .client([0x64]), .finish(.client),
                .finish(.server),
            ]))
        #expect(told.last == "< @11 ! framing.guessed a=5 b=6", "\(told)")
    }

    @Test func aGuessThatNoLongerFitsIsGivenUp() {
        let told = FramedMessages.told(
            Talk([request("hello"), answer("ok"), request("a"), .client([0xFF, 0xFF, 0xFF, 0xFF, 1]), answer("b")]))
        #expect(
            told.suffix(4) == [
                "> @9 message guessed 1/5 B \"a\"", "> @14 ! framing.guess-dropped a=3 b=0", "> @14 data ff ff ff ff 01",
                "< @6 data 00 00 00 01 62",
            ], "\(told)")
    }

    @Test func whatIsNotCertainIsShownAsItIs() {
        let zeros = [UInt8](repeating: 0, count: 400)
        #expect(guessed([.client(zeros), .server(zeros), .client(zeros)]) == nil)
        #expect(guessed([request("hello"), .server("ok"), request("bye"), .server("ok")]) == nil)
        // Both sides fit, but a turn does not end with a message.
        #expect(guessed([request("a"), .server(FramedMessages.length("b") + [0, 0]), request("c")]) == nil)
        #expect(guessed([.client("hello"), .server("ok"), .client("bye")]) == nil)
        // SOCKS, PostgreSQL and MySQL agree on more before what follows.
        #expect(
            guessed([
                .client([5, 1, 0]), .server([5, 0]), .client([5, 1, 0, 1, 10, 0, 0, 1, 0, 80]), .server([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
            ]) == nil)
        #expect(guessed([.client([0, 0, 0, 8, 4, 0xD2, 0x16, 0x2F]), .server("N"), .client([0, 0, 0, 8, 0, 3, 0, 0])]) == nil)
        #expect(guessed([.server([2, 0, 0, 0, 1, 2]), .client([1, 0, 0, 1, 3]), .server([1, 0, 0, 2, 0])]) == nil)
        var random = SplitMix(seed: 5)
        for _ in 0..<200 {
            let steps = (0..<12).map { turn in
                let bytes = (0..<1 + Int(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                return Talk.Step.bytes(turn % 2 == 0 ? .client : .server, bytes)
            }
            #expect(!Talk(steps).transcript().contains { $0.contains("message") })
        }
    }

    @Test func manyBytesAreNotWaitedFor() {
        let talk = Talk([.client([0, 0, 0x80, 0] + [UInt8](repeating: 7, count: 20_000)), .server("x")])
        #expect(FramedMessages.told(talk).count == 2)
        // A message alone waits for the other side, or the end.
        #expect(FramedMessages.told(Talk([request("hello")])) == ["> @0 data 00 00 00 05 68 65 6c 6c 6f"])
    }

    @Test func textIsShownAtOnce() {
        let endpoint = Endpoint(address: IPAddress(ipv4: 1), port: 1)
        var conversation = Conversation(
            number: 1, first: endpoint, second: endpoint, sideOfFirst: .client, start: .handshake, forced: nil, limits: Limits(),
            place: Place())
        var sink = Transcript()
        conversation.open(sink: &sink)
        for text in ["hi", "\n"] {
            conversation.receive(.bytes(Array(text.utf8).rawBytes), direction: .first, place: Place(), sink: &sink)
        }
        let told = sink.finished()
        #expect(told.last == "> @0 data \"hi\\n\"", "\(told)")
        #expect(conversation.heldBytes < 2_048)
    }

    @Test(arguments: [
        (LengthPrefix.Width.u64be, false, "looks like an 8-byte big-endian length: 8 of 8 fit"),
        (.u64le, false, "looks like an 8-byte little-endian length: 8 of 8 fit"),
        (.u64be, true, "looks like an 8-byte big-endian length that counts itself: 8 of 8 fit"),
        (.u64le, true, "looks like an 8-byte little-endian length that counts itself: 8 of 8 fit"),
        (.u24be, false, "looks like a 3-byte big-endian length: 8 of 8 fit"),
        (.u24le, false, "looks like a 3-byte little-endian length: 8 of 8 fit"),
        (.u24be, true, "looks like a 3-byte big-endian length that counts itself: 8 of 8 fit"),
        (.u24le, true, "looks like a 3-byte little-endian length that counts itself: 8 of 8 fit"),
    ]) func eightAndThreeBytes(_ width: LengthPrefix.Width, _ countsItself: Bool, _ words: String) {
        let steps = (0..<8).map { number -> Talk.Step in
            let text = [UInt8](repeating: UInt8(ascii: "x"), count: 20 + number)
            let bytes = FramedMessages.number(text.count + (countsItself ? width.bytes ?? 0 : 0), width) + text
            return number % 2 == 0 ? .client(bytes) : .server(bytes)
        }
        #expect(guessed(steps) == words)
    }

    @Test func aHeaderThatBeginsAlikeAndHasItsLengthAfterFourBytes() {
        func steps(_ magic: [UInt8]) -> [Talk.Step] {
            (0..<8).map { number -> Talk.Step in
                let text = [UInt8](repeating: 7, count: 3 + number)
                let bytes = magic + [0, UInt8(number % 2)] + FramedMessages.number(text.count, .u32be) + text
                return number % 2 == 0 ? .client(bytes) : .server(bytes)
            }
        }
        #expect(guessed(steps([0xca, 0xfe])) == "looks like a 4-byte big-endian length after 4 bytes: 8 of 8 fit")
        // Nothing says that these are one header.
        #expect(guessed(steps([0, 0])) == nil)
        var other = steps([0xca, 0xfe])
        other[1] = .server([9, 0xfe, 0, 1, 0, 0, 0, 1, 7])
        #expect(guessed(other) == nil)
    }

    /// A payload behind its length and what stands before it.
    private func message(_ head: [UInt8], _ text: String, _ width: LengthPrefix.Width) -> [UInt8] {
        head + FramedMessages.number(text.utf8.count, width) + text.utf8
    }

    private static let texts = [
        "\u{8}\u{1}hello there", "\u{8}\u{2}it is me", "\u{8}\u{3}what is it", "\u{8}\u{4}this is what", "\u{8}\u{5}and more of it",
        "\u{8}\u{6}and the end",
    ]

    @Test(arguments: [
        (0, LengthPrefix.Width.u8, "looks like a 1-byte length: 12 of 12 fit"),
        (1, .u8, "looks like a 1-byte length after 1 byte: 12 of 12 fit"),
        (1, .u16be, "looks like a 2-byte big-endian length after 1 byte: 16 of 16 fit"),
        (1, .u16le, "looks like a 2-byte little-endian length after 1 byte: 16 of 16 fit"),
        (2, .u16be, "looks like a 2-byte big-endian length after 2 bytes: 16 of 16 fit"),
        (1, .u32be, "looks like a 4-byte big-endian length after 1 byte: 16 of 16 fit"),
        (2, .u32be, "looks like a 4-byte big-endian length after 2 bytes: 16 of 16 fit"),
        (2, .u32le, "looks like a 4-byte little-endian length after 2 bytes: 16 of 16 fit"),
    ]) func lengthsOfOneByteAndAfterATypeAreFollowedWhileDataIsShown(_ offset: Int, _ width: LengthPrefix.Width, _ words: String) {
        let steps = (0..<20).map { number in
            let type = [UInt8](repeating: UInt8(1 + number * 7 % 5), count: offset)
            // Of 128 bytes and more, what is less may be a varint.
            let text = Self.texts[number * 5 % 6] + (width == .u8 ? String(repeating: "x", count: 120 + number % 3) : "")
            return Talk.Step.bytes(number % 2 == 0 ? .client : .server, message(type, text, width))
        }
        let lines = FramedMessages.told(Talk(steps))
        let fits = guessed(steps)
        #expect(fits?.hasPrefix(String(words.prefix { $0 != ":" })) == true, "\(fits ?? "nothing") \(lines)")
        // Nothing has waited: the first ones are data.
        #expect(lines.first?.contains(" data ") == true, "\(lines)")
        // A few are not enough.
        #expect(guessed(Array(steps.prefix(3))) == nil)
    }

    @Test func `a type that is always 1 before a length of two bytes is no varint`() {
        let steps = (0..<20).map { number in
            Talk.Step.bytes(number % 2 == 0 ? .client : .server, message([1], Self.texts[number * 5 % 6], .u16be))
        }
        #expect(guessed(steps)?.hasPrefix("looks like a 2-byte big-endian length after 1 byte") == true, "\(guessed(steps) ?? "nothing")")
        // Varints stay, with a message of one byte now and then.
        let varints = (0..<20).map { number in
            Talk.Step.bytes(
                number % 2 == 0 ? .client : .server, message([], number % 3 == 0 ? "\u{8}" : Self.texts[number * 5 % 6], .varint))
        }
        #expect(guessed(varints)?.hasPrefix("looks like a varint length") == true, "\(guessed(varints) ?? "nothing")")
    }

    @Test func whatLooksLikeAShortLengthByChanceIsNotGuessed() {
        var random = SplitMix(seed: 11)
        func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
        for round in 0..<300 {
            let kind = round % 4
            let steps = (0..<24).map { turn in
                let count = 1 + below(kind == 2 ? 6 : 40)
                let bytes: [UInt8] = (0..<count).map { index in
                    switch kind {
                    // Any bytes; small numbers; structures of small numbers; text after a control character.
                    case 0: UInt8(truncatingIfNeeded: random.next())
                    case 1: UInt8(below(4))
                    case 2: index % 2 == 0 ? 0 : UInt8(below(8))
                    case _: index == 0 ? 9 : UInt8(0x20 + below(0x5F))
                    }
                }
                return Talk.Step.bytes(turn % 2 == 0 ? .client : .server, bytes)
            }
            let lines = Talk(steps).transcript()
            #expect(!lines.contains { $0.contains("message") }, "\(round): \(lines)")
        }
    }

    @Test func aVarintBeforeJSONIsNoText() {
        let steps = (0..<8).map { number -> Talk.Step in
            let text = #"{"type":"text","t":"\#(String(repeating: "y", count: 20 + number * 9))"}"#
            return number % 2 == 0 ? request(text, .varint) : answer(text, .varint)
        }
        #expect(guessed(steps) == "looks like a varint length: 8 of 8 fit")
        // JSON in JSON, and a character before it, are text.
        #expect(guessed([.client("[{\"a\":1}]"), .server("[{\"b\":2}]")]) == nil)
        #expect(guessed([.client("x{\"a\":1}"), .server("y{\"b\":2}")]) == nil)
    }

    // MARK: - Times

    @Test func bytesThatComeLateAreJudgedByWhenTheyBeginHoweverTheyAreCut() {
        let steps = [
            request(#"{"login":"ada"}"#),
            .server(FramedMessages.length(#"{"ok":true}"#) + FramedMessages.length(#"{"hello":"ada"}"#) + FramedMessages.length("[]")),
            request(#"{"join":"room"}"#), answer(#"{"joined":true}"#),
        ]
        var talk = Talk(steps)
        talk.milliseconds = [0, 2_600, 3_000, 3_010]
        let told = FramedMessages.told(talk)
        #expect(told.count { $0.contains(" data ") } == 2, "\(told)")
        #expect(told.contains { $0.hasPrefix("> @19 message guessed 15/19 B") }, "\(told)")
    }

    /// What is told of messages of one side that come one by one.
    private func feed(_ messages: [[UInt8]], every milliseconds: Int) -> (data: Int, messages: Int, told: [String]) {
        var talk = Talk(messages.map { .bytes(.server, $0) })
        talk.milliseconds = messages.indices.map { Int64($0 * milliseconds) }
        let told = FramedMessages.told(talk)
        return (told.count { $0.contains(" data ") }, told.count { $0.contains(" message guessed") }, told)
    }

    @Test("a feed of one side whose messages come one by one is cut from its first message on, once four of them fit")
    func slowFeed() {
        let messages = (0..<20).map { FramedMessages.length(String(repeating: "h", count: 5 + $0)) }
        for pause in [60, 900, 5_000, 9_000] {
            let all = feed(messages, every: pause)
            #expect(all.data == 0 && all.messages == 20, "\(pause): \(all.told)")
        }
        // Four messages take longer than the first may wait: they are shown as they come.
        let slower = feed(messages, every: 20_000)
        #expect(slower.data >= 1 && slower.messages == 16, "\(slower.told)")
        // So are three, of which no fourth comes.
        let three = feed(Array(messages.prefix(3)), every: 5_000)
        #expect(three.data >= 1 && three.messages == 0, "\(three.told)")
    }

    @Test("bytes with pauses inside of what may be messages are not guessed from the pauses")
    func brokenPauses() {
        // Each message comes in two parts, a second apart: sixteen have to fit.
        let messages = (0..<10).flatMap { number -> [[UInt8]] in
            let message = FramedMessages.length(String(repeating: "h", count: 8 + number))
            return [Array(message.prefix(6)), Array(message.dropFirst(6))]
        }
        let told = feed(messages, every: 1_000)
        #expect(told.messages == 0, "\(told.told)")
        // Structures that are no messages: their first four bytes are no length.
        let structures = (0..<20 as Range<UInt8>).map { [0, 0, 0, 9, $0, 1, 2, 3] as [UInt8] }
        #expect(feed(structures, every: 1_000).messages == 0)
    }

    // MARK: - Lines

    private func chat(_ end: String, turns: Int = 10) -> [Talk.Step] {
        (0..<turns).map { $0 % 2 == 0 ? .client("say \($0)\(end)") : .server("heard \($0)\(end)") }
    }

    @Test(arguments: [
        ("\n", "looks like lines: 2 of 2 fit"), ("\r\n", "looks like lines: 2 of 2 fit"),
        ("\0", "looks like messages that end with a NUL byte: 2 of 2 fit"),
    ]) func linesAreMessagesOnceSeveralTurnsWere(_ end: String, _ words: String) {
        let talk = Talk(chat(end))
        let told = FramedMessages.told(talk)
        #expect(told.count { $0.contains("data") } == 8 && told.count { $0.contains("message guessed") } == 2, "\(told)")
        #expect(talk.findings().last?.hasSuffix(words) == true, "\(talk.findings())")
    }

    @Test func linesThatAreNoTextAnyMoreAreNone() {
        let told = FramedMessages.told(Talk(chat("\n", turns: 10) + [.client("a\nb\u{1}\n"), .server("c\n")]))
        #expect(
            told.suffix(4) == [
                "> @30 message guessed 1/2 B \"a\"", "> @32 ! framing.guess-dropped a=3 b=0", "> @32 data 62 01 0a", "< @40 data \"c\\n\"",
            ], "\(told)")
    }

    @Test func whatIsMoreThanLinesStaysAsItIs() {
        for first in ["220 ready\r\n", "+OK ready\r\n", "* OK ready\r\n", "220-ready\r\n", "SSH-2.0-x\r\n"] {
            #expect(guessed([.server(first)] + chat("\r\n")) == nil)
        }
        #expect(guessed(chat("\n", turns: 8)) == nil)
        #expect(guessed([.client("a\n\nb\n")] + chat("\n")) == nil)
        #expect(guessed([.client("prompt")] + chat("\n").dropFirst()) == nil)
        #expect(guessed([.client("\u{1b}[1m\n")] + chat("\n").dropFirst()) == nil)
        #expect(guessed((0..<12).map { $0 % 2 == 0 ? .client("get \($0)\r\n") : .server("VALUE a\r\nb\r\nEND\r\n") }) == nil)
    }
}
