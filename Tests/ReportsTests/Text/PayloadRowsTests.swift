import Dissection
import Reports
import Testing

@testable import Reports

/// Payloads in full, in lines of their own.
@Suite struct PayloadRowsTests {
    typealias Script = RecordScript

    private func shown(_ payload: [UInt8], opcode: UInt8 = 1, width: Int? = 100, follows: Bool = false, length: UInt64? = nil)
        -> [Substring]
    {
        let settings = TextSettings(width: width, payload: .full(limit: 16 << 20), follows: follows, isFull: true)
        let text = Dialogue.text(settings) {
            $0.say(0, nil, .opened(Script.opening))
            let length = length ?? UInt64(payload.count)
            $0.say(
                1, .client,
                .message(Message(opcode: opcode, length: length, wireLength: length, fragments: 1, compressed: false)), payload)
            $0.say(9, nil, .closed(Closing(by: .client, how: .fin)))
        }
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().dropLast(3)
    }

    @Test func `bytes are a hex dump`() {
        let short = shown(Array(0..<16), opcode: 2, width: 120)
        #expect(short.count == 1 && short[0].hasSuffix("B  00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f  |................|"))
        let lines = shown((0..<42).map { UInt8($0 * 7 % 256) }, opcode: 2)
        #expect(
            lines == [
                "    0.001  >  binary    42 B",
                "              000000  00 07 0e 15 1c 23 2a 31  38 3f 46 4d 54 5b 62 69  .....#*18?FMT[bi",
                "              000010  70 77 7e 85 8c 93 9a a1  a8 af b6 bd c4 cb d2 d9  pw~.............",
                "              000020  e0 e7 ee f5 fc 03 0a 11  18 1f                    ..........",
            ], "\(lines.joined(separator: "\n"))")
        // On 80 columns it begins further left, and no line is wider.
        let slim = shown(Array(128..<255), opcode: 2, width: 80)
        #expect(slim[1].hasPrefix("    000000  80 81") && slim.allSatisfy { $0.count <= 80 }, "\(slim.joined(separator: "\n"))")
        let followed = shown(Array(128..<255), opcode: 2, width: 80, follows: true)
        #expect(followed.dropFirst().contains { $0.hasPrefix("  1  000010  90 91") && $0.count <= 80 })
    }

    @Test func `what a payload says stands whole under it`() {
        let envelope = hex("08 96 01 12 05 68 65 6c 6c 6f 1a 08 0a 03 62 6f 62 10 85 4d")
        let lines = shown(envelope, opcode: 2)
        #expect(lines.first == "    0.001  >  binary    20 B" && lines.dropFirst().first?.contains("000000  08 96 01") == true)
        let tree = lines.drop { !$0.hasSuffix("decoded") }
        #expect(
            tree.prefix(7).map { $0.drop { $0 == " " } } == [
                "decoded", "{", "\"as\": \"protobuf\",", "\"fields\": [", "{", "\"number\": 1,", "\"wire\": \"varint\",",
            ], "\(lines.joined(separator: "\n"))")
        let indents = tree.prefix(5).map { $0.prefix { $0 == " " }.count }
        #expect(indents == [14, 14, 16, 16, 18])
        let followed = shown(envelope, opcode: 2, follows: true)
        #expect(followed.contains { $0.hasSuffix("\"value\": \"hello\"") })
        // Without a format nothing is added.
        #expect(!shown(Array("hello".utf8)).contains { $0.hasSuffix("decoded") })
    }

    @Test func `JSON is indented where it parses, and stays as it is on the wire`() {
        let json = #"{"b":1.50E+2,"a":[],"c":{ },"list":[1,"x\u00e9\n",[true,null]],"text":"\#(String(repeating: "w", count: 60))"}"#
        let lines = shown(json.bytes)
        let wanted = #"""
                0.001  >  text     133 B
                          {
                            "b": 1.50E+2,
                            "a": [],
                            "c": {},
                            "list": [
                              1,
                              "x\u00e9\n",
                              [
                                true,
                                null
                              ]
                            ],
                            "text": "\#(String(repeating: "w", count: 60))"
                          }
            """#
        #expect(lines.joined(separator: "\n") == wanted)
        // In one line where it fits.
        #expect(shown(#"{"a":1}"#.bytes) == [#"    0.001  >  text       7 B  {"a":1}"#])
        #expect(!shown((json.dropLast() + ",}").bytes).contains("              {"))
    }

    @Test func `text keeps its line breaks, and nothing harmful`() {
        let lines = shown("first\r\n\u{1b}[2Jsecond\u{202e}\n\nlast".bytes)
        #expect(
            lines == [
                "    0.001  >  text      26 B", "              first", "              ␛[2Jsecond\\u{202e}", "", "              last",
            ], "\(lines.joined(separator: "\n"))")
    }

    @Test func `long lines are folded under their event`() {
        let words = (0..<60).map { "word\($0)" }.joined(separator: " ")
        for width in [80, 100, 200, nil] {
            let lines = shown(words.bytes, width: width)
            #expect(lines.allSatisfy { $0.count <= width ?? TextLine.usualFold }, "\(lines.joined(separator: "\n"))")
            let told = lines.dropFirst().joined(separator: " ").split(separator: " ")
            #expect(told.joined(separator: " ") == words)
        }
    }

    @Test func `what is not kept is said`() {
        #expect(shown([0xff, 0xfe, 0x00], opcode: 2, length: 5_000).last == "              … 5.0 kB more not shown")
    }

    @Test func `a long payload is written line by line, once, in one piece`() {
        var settings = TextSettings(width: 100, payload: .full(limit: 16 << 20), isFull: true)
        settings.blockBytes = 20_000
        var dialogue = Dialogue(TextReport(Output(), settings: settings))
        dialogue.say(0, nil, .opened(Script.opening))
        dialogue.message(1, .client, [UInt8](repeating: 0x80, count: 100_000), opcode: 2)
        #expect(dialogue.report.waitingBytes == 0)
        dialogue.message(2, .client, String(repeating: "é", count: 50_000).bytes)
        dialogue.say(9, nil, .closed(Closing(by: .client, how: .fin)))
        let text = String(decoding: dialogue.report.takeBytes(), as: UTF8.self)
        #expect(text.split(separator: "\n").count { $0.contains("  80 80 80 80 80 80 80 80  ") } == 6_250)
        #expect(text.count { $0 == "é" } == 50_000)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
        #expect(text.split(separator: "\n").count { $0.contains("(continued)") } == 2)
    }

    @Test(arguments: [
        ("{}", true), ("[]", true), (" [1, -0.5e-3, \"a\\\"b\", {\"k\": [false]}]\n", true), ("1", false), ("\"x\"", false),
        ("[1,]", false),
        ("{\"a\"}", false), ("{\"a\":1,}", false), ("{a:1}", false), ("[01]", false), ("[1.]", false), ("[.5]", false), ("[tru]", false),
        ("[1] 2", false), ("[1]{}", false), ("{\"a\":1]", false), ("[\"a\nb\"]", false), ("[\"\\x\"]", false), ("[\"open", false),
        ("[-]", false), ("[1e]", false), ("[", false), ("", false),
        (String(repeating: "[", count: 101) + String(repeating: "]", count: 101), false),
        (String(repeating: "[", count: 100) + String(repeating: "]", count: 100), true),
        (String(repeating: "{\"k\":[", count: 50) + String(repeating: "]}", count: 50), true),
        (String(repeating: "{\"k\":[", count: 50) + String(repeating: "}]", count: 50), false),
    ])
    func `JSON is what RFC 8259 says`(text: String, isDocument: Bool) {
        #expect(JSONTokens.isDocument(text.bytes.rawBytes) == isDocument)
    }

    @Test(arguments: [64, 65, 80, 100, 101, 128, 129])
    func `JSON is indented down to the depth to which it is decoded`(levels: Int) {
        let text = String(repeating: "[", count: levels) + "1" + String(repeating: "]", count: levels)
        var cursor = JSONCursor(text.bytes.rawBytes)
        let isDecoded = cursor.value() != nil && !cursor.isTooDeep
        #expect(JSONTokens.isDocument(text.bytes.rawBytes) == isDecoded && isDecoded == (levels <= 100))
    }
}
