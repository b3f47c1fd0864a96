import Dissection
import Support
import Testing

/// Values of JSON one after another.
@Suite("JSON framing") struct JSONFramingTests {
    private static func told(_ text: String) -> [String] { FramedMessages.told(Talk(.json, [.client(text), .finish(.client)])) }

    @Test("values end where their brackets and quotes do, with or without white space between them")
    func values() {
        #expect(
            Self.told("{\"a\":[1,\"}\\\"]\"]}[{}]\n {\"b\":-1.5e+3,\"c\":null}\u{1E}[\"\u{e9}\"]\r\n") == [
                "> @0 message 16 B \"{\"a\":[1,\"}\\\"]\"]}\"", "> @16 message 4 B \"[{}]\"",
                "> @20 message 22/24 B \"{\"b\":-1.5e+3,\"c\":null}\"", "> @44 message 6/7 B \"[\"\u{e9}\"]\"", "> @51 data \"\\r\\n\"",
            ])
    }

    @Test("numbers, words and strings are values too, and a number may end with the side")
    func scalars() {
        #expect(
            Self.told("1 \"two\"true[]\nnull{}-4.5") == [
                "> @0 message 1 B \"1\"", "> @1 message 5/6 B \"\"two\"\"", "> @7 message 4 B \"true\"", "> @11 message 2 B \"[]\"",
                "> @13 message 4/5 B \"null\"", "> @18 message 2 B \"{}\"", "> @20 message 4 B \"-4.5\"",
            ])
        #expect(
            Self.told("[] tru")
                == ["> @0 message 2 B \"[]\"", "> @2 message 4/4 B \"tru\"", "> @2 ! framing.message-cut a=0 b=0"].map {
                    $0.replacing("4/4 B", with: "3/4 B")
                })
    }

    @Test("a value that does not end is cut")
    func unfinished() {
        #expect(
            Self.told("[1]{\"a\":{\"b\":1}") == [
                "> @0 message 3 B \"[1]\"", "> @3 message 12 B \"{\"a\":{\"b\":1}\"", "> @3 ! framing.message-cut a=0 b=0",
            ])
    }

    @Test("white space alone is no message, however much comes")
    func whiteSpace() {
        let told = Self.told("{}" + String(repeating: " ", count: 3_000) + "[]")
        #expect(told.count == 3 && told[0] == "> @0 message 2 B \"{}\"" && told[1].hasPrefix("> @2 data "), "\(told)")
        #expect(told[2] == "> @2050 message 2/954 B \"[]\"", "\(told)")
    }

    @Test("deep brackets are counted")
    func depth() {
        let deep = String(repeating: "[{\"a\":", count: 200) + "1" + String(repeating: "}]", count: 200)
        let told = Self.told(deep + "[1]")
        #expect(told.count == 2 && told[1] == "> @\(deep.utf8.count) message 3 B \"[1]\"", "\(told)")
    }

    @Test("the place of a message is that of its first byte, white space before it left out")
    func place() {
        var sink = Times()
        var talk = Talk(.json, [.client("{}\n"), .client("{\"a\":"), .client("1}\n")])
        talk.milliseconds = [0, 10, 20]
        talk.play(into: &sink)
        #expect(sink.times == [0, 20])
        var first = PacketSink()
        first.play()
        #expect(first.packets == [1...1, 2...3])
    }

    private struct Times: ConversationSink {
        var times: [Int64] = []
        mutating func receive(_ event: borrowing ConversationEvent) {
            if case .message = event.fact { times.append((event.place.time?.nanoseconds ?? -1) / 1_000_000) }
        }
    }

    private struct PacketSink: ConversationSink {
        var packets: [ClosedRange<UInt64>] = []

        mutating func receive(_ event: borrowing ConversationEvent) {
            if case .message = event.fact, let range = event.place.packets { packets.append(range.lowest...range.highest) }
        }

        mutating func play() {
            let endpoint = Endpoint(address: IPAddress(ipv4: 1), port: 1)
            var conversation = Conversation(
                number: 1, first: endpoint, second: endpoint, sideOfFirst: .client, start: .handshake,
                forced: DecodeRule(port: 1, framing: StreamFraming.json.both), limits: Limits(), place: Place())
            conversation.open(sink: &self)
            for (index, text) in ["{}\n", "{\"a\":", "1}\n"].enumerated() {
                let place = Place(time: nil, packets: PacketRange(UInt64(index + 1)))
                conversation.receive(.bytes(Array(text.utf8).rawBytes), direction: .first, place: place, sink: &self)
            }
        }
    }

    // MARK: - Trouble

    @Test(
        "what no value can have is a finding, and the next value is found",
        arguments: [
            "GET / HTTP/1.1\n", "{\"a\":\"x\n", "{]\n", "{'a':1}\n", "[1,\u{0}]\n", "trap\n", "}\n",
        ])
    func resynchronises(_ wrong: String) {
        let told = Self.told("[1]" + wrong + "{\"b\":2}\n[3]")
        let begin = 3 + wrong.utf8.count
        #expect(told.first == "> @0 message 3 B \"[1]\"" && told[1] == "> @3 ! framing.length-wrong a=0 b=0", "\(told)")
        #expect(
            Array(told.suffix(3)) == [
                "> @\(begin) ! framing.resynchronised a=\(wrong.utf8.count) b=0", "> @\(begin) message 7 B \"{\"b\":2}\"",
                "> @\(begin + 7) message 3/4 B \"[3]\"",
            ], "\(told)")
    }

    @Test("after a loss a value is found that is inside of none")
    func loss() {
        let told = FramedMessages.told(
            Talk(.json, [.client("[0]"), .gap(.client, 9, .missing), .client("{\"b\":1},\"c\":[2],\"d\":{}}{\"e\":{}}\n[3]")]))
        #expect(
            told == [
                "> @0 message 3 B \"[0]\"", "> @3 gap 9 missing", "> @12 data \"{\"b\":1},\"c\":[2],\"d\":{}}\"",
                "> @35 ! framing.resynchronised a=23 b=0", "> @35 message 8 B \"{\"e\":{}}\"", "> @43 message 3/4 B \"[3]\"",
            ])
    }

    // MARK: - Recognition

    @Test(
        "values are not guessed: text and templates have brackets too",
        arguments: [
            ["{\"a\":1}{\"b\":2}", "{\"c\":3}"],
            ["{\"a\":1}\n{\"b\":2}\n", "{\"c\":3}\n"], ["{\"a\":1}", ""], ["[info][main] started", "[info][main] ended"], ["{}{}", "{}"],
            ["{\"a\":1} and more", "{\"b\":2}"], ["{\"a\":1}\0{\"b\":2}\0", "{\"c\":3}\0"], ["{'a':1}{'b':2}", "{'c':3}"],
        ])
    func notRecognised(_ texts: [String]) {
        let told = FramedMessages.told(Talk([.client(texts[0]), .server("ok"), .client(texts[1])]))
        #expect(!told.contains { $0.contains(" message ") }, "\(told)")
    }

    @Test("lines of JSON stay lines")
    func lines() {
        let steps = (0..<12).map { $0 % 2 == 0 ? Talk.Step.client("{\"n\":\($0)}\n") : .server("{\"ok\":\($0)}\n") }
        let told = FramedMessages.told(Talk(steps + [.finish(.client), .finish(.server)]))
        #expect(told.contains { $0.contains("message guessed 8/9 B \"{\"n\":8}\"") || $0.contains("message guessed 7/8 B") }, "\(told)")
        let words = Talk(steps + [.finish(.client), .finish(.server)]).findings()
        #expect(words.contains { $0.contains("looks like lines") }, "\(words)")
    }

    // MARK: - Cost

    @Test("what is searched costs no more than its bytes", arguments: ["{", "{\"a\":1}\n,", "[}\n", "}{", "\n{\"a\n", "[] x\n"])
    func cost(_ unit: String) { #expect(FramedMessages.costsItsBytes(.json, unit)) }
}
