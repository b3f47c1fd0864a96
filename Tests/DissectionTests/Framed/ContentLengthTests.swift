import Dissection
import Support
import Testing

/// Messages after a header with Content-Length, as language servers and debug adapters have them.
@Suite("Content-Length framing") struct ContentLengthTests {
    static func message(_ body: String, _ more: String = "") -> String { "Content-Length: \(body.utf8.count)\r\n\(more)\r\n\(body)" }

    private static let type = "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"

    @Test("the body is the message, and the header counts for its length on the wire")
    func bodies() {
        let told = FramedMessages.told(
            Talk(
                .contentLength,
                [
                    .client(Self.message("{\"a\":1}") + Self.message("[2]", Self.type)), .server("content-LENGTH:\t003 \r\n\r\nabc"),
                    .client("content-length: 0\n\n" + Self.message("x")),
                ]))
        #expect(
            told == [
                "> @0 message 7/28 B \"{\"a\":1}\"", "> @28 message 3/81 B \"[2]\"", "< @0 message 3/27 B \"abc\"",
                "> @109 message 0/19 B \"\"", "> @128 message 1/22 B \"x\"",
            ])
    }

    @Test("a message that does not end is cut, and a header alone is data")
    func unfinished() {
        let cut = "Content-Length: 10\r\n\r\n{\"a\""
        #expect(
            FramedMessages.told(Talk(.contentLength, [.client(cut), .finish(.client)]))
                == ["> @0 message 10/26 B cut \"{\"a\"\"", "> @0 ! framing.message-cut a=6 b=0"])
        #expect(FramedMessages.told(Talk(.contentLength, [.client("Content-Length: 1")])) == ["> @0 data \"Content-Length: 1\""])
    }

    // MARK: - Trouble

    @Test(
        "what is not a header is a finding, and the next header is found",
        arguments: [
            "log line\n", "Content-Length: x\r\n\r\n", "Content-Length: 1 2\r\n\r\n", "A: b\r\n\r\n",
            "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "Content-Length 5\r\n", "Content-Length: 5\r\r\n", "{\"a\":1}", "Content-Length: 5\r\nlog\r\n",
        ])
    func resynchronises(_ wrong: String) {
        let told = FramedMessages.told(Talk(.contentLength, [.client(Self.message("{}") + wrong + Self.message("{\"b\":2}"))]))
        let begin = 23 + wrong.utf8.count
        let shown = wrong.replacing("\r\n", with: "\\r\\n").replacing("\r", with: "\\r").replacing("\n", with: "\\n")
        #expect(
            told == [
                "> @0 message 2/23 B \"{}\"", "> @23 ! framing.length-wrong a=0 b=0", "> @23 data \"\(shown)\"",
                "> @\(begin) ! framing.resynchronised a=\(wrong.utf8.count) b=0", "> @\(begin) message 7/28 B \"{\"b\":2}\"",
            ])
    }

    @Test("a length over the bound is a finding, one at it is not")
    func tooLong() {
        let told = FramedMessages.told(Talk(.contentLength, [.client("Content-Length: 67108865\r\n\r\n" + Self.message("{}"))]))
        #expect(told.first == "> @0 ! framing.length-wrong a=67108865 b=0" && told.last == "> @28 message 2/23 B \"{}\"", "\(told)")
        let most = FramedMessages.told(Talk(.contentLength, [.client("Content-Length: 67108864\r\n\r\n{")]))
        #expect(!most.contains { $0.contains("length-wrong") }, "\(most)")
        let huge = FramedMessages.told(Talk(.contentLength, [.client("Content-Length: 99999999999999999999999\r\n\r\n")]))
        #expect(huge.first == "> @0 ! framing.length-wrong a=\(UInt64.max) b=0", "\(huge)")
    }

    @Test("after a loss the next header is found, also inside of a line")
    func loss() {
        let told = FramedMessages.told(
            Talk(
                .contentLength,
                [
                    .client(Self.message("{}")), .gap(.client, 100, .missing),
                    .client("ConContent-Length: of a body\"}" + Self.message("[1]") + Self.message("[2]")),
                ]))
        #expect(
            told == [
                "> @0 message 2/23 B \"{}\"", "> @23 gap 100 missing", "> @123 data \"ConContent-Length: of a body\"}\"",
                "> @153 ! framing.resynchronised a=30 b=0", "> @153 message 3/24 B \"[1]\"", "> @177 message 3/24 B \"[2]\"",
            ])
    }

    // MARK: - Recognition

    private static func isRecognised(_ steps: [Talk.Step]) -> Bool {
        FramedMessages.told(Talk(steps)).contains { $0.contains(" message ") }
    }

    @Test("it is recognised by the header of one side, and nothing is guessed")
    func recognised() {
        let told = FramedMessages.told(
            Talk([
                .client(Self.message("{\"id\":1}")), .server("content-length: 2\r\n\(Self.type)\r\n[]"), .finish(.client), .finish(.server),
            ]))
        #expect(told == ["> @0 message 8/29 B \"{\"id\":1}\"", "< @0 message 2/80 B \"[]\""])
    }

    @Test("a side that sends something else is shown as it is")
    func otherSide() {
        let told = FramedMessages.told(
            Talk([.client(Self.message("{}")), .server("ok\n"), .client(Self.message("[]")), .server("more\n")]))
        #expect(
            told == ["> @0 message 2/23 B \"{}\"", "< @0 data \"ok\\n\"", "> @23 message 2/23 B \"[]\"", "< @3 data \"more\\n\""])
        // From its first message on it has some, and other bytes are a finding.
        let later = FramedMessages.told(Talk([.client(Self.message("{}")), .server(Self.message("[]") + "no\n")]))
        #expect(later.contains("< @23 ! framing.length-wrong a=0 b=0"), "\(later)")
    }

    @Test(
        "nearly: no length first, none at all, no JSON",
        arguments: [
            "Content-Length: 2\r\n\r\nhi", "Content-Type: a\r\nContent-Length: 2\r\n\r\n{}", "Content-Length: 0\r\n\r\n",
            "Content-Length: 2\r\n{}",
            "Content-Length: two\r\n\r\n{}", "Content-Lengths: 2\r\n\r\n{}", "\"Content-Length: 2\r\n\r\n{}", "Content-Length: 2\r\n\r\n",
        ])
    func notRecognised(_ text: String) { #expect(!Self.isRecognised([.client(text), .server("ok\n")])) }

    // MARK: - Cost

    @Test(
        "what is searched costs no more than its bytes",
        arguments: ["Content-Length: 1\r\n", "Content-Length: 9\r\n\r\n", "c", "a: b\r\n\r\n"])
    func cost(_ unit: String) { #expect(FramedMessages.costsItsBytes(.contentLength, unit)) }
}

extension FramedMessages {
    /// Whether four times as many bytes cost four times as much to search, and not much is held.
    static func costsItsBytes(_ framing: StreamFraming, _ text: String) -> Bool {
        let unit = Array(text.utf8)
        func steps(_ count: Int) -> Int {
            let endpoint = Endpoint(address: IPAddress(ipv4: 1), port: 1)
            var conversation = Conversation(
                number: 1, first: endpoint, second: endpoint, sideOfFirst: .client, start: .handshake,
                forced: DecodeRule(port: 1, framing: framing.both), limits: Limits(), place: Place())
            var sink = CheckingSink(limits: Limits())
            conversation.open(sink: &sink)
            for index in 0..<count {
                conversation.receive(.bytes([unit[index % unit.count]].rawBytes), direction: .first, place: Place(), sink: &sink)
                if conversation.heldBytes > 4 << 20 { return .max }
            }
            return conversation.searchSteps
        }
        let (once, fourfold) = (steps(10_000), steps(40_000))
        return fourfold <= once * 9 / 2 + 256 && once < 40_000
    }
}
