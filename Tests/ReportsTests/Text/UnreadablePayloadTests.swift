import Dissection
import Support
import Testing

@testable import Reports

/// Payloads that are not what they should be: text shows them as they came, and why they cannot be read.
@Suite struct UnreadablePayloadTests {
    typealias Script = RecordScript

    private func lines(
        subprotocol: String = "", target: String = "/", rules: [String] = [], isFull: Bool = false, follows: Bool = false,
        _ talk: (inout Dialogue<TextReport>) -> Void
    ) throws -> [String] {
        var settings = TextSettings(width: 120, payload: isFull ? .full : .preview, follows: follows, isFull: isFull)
        settings.payloads = try PayloadTable.standard.with(rules: rules)
        let shown = Dialogue.text(settings) {
            $0.say(0, nil, .opened(Script.opening))
            let (bytes, parts) = Script.content(target.bytes, subprotocol.bytes)
            var upgrade = Upgrade(protocolName: ByteRange(), accepted: true)
            (upgrade.target, upgrade.subprotocol) = (parts[0], parts[1])
            $0.say(1, .server, .upgrade(upgrade), bytes)
            talk(&$0)
            $0.say(900, nil, .closed(Closing(by: .client, how: .fin)))
        }
        let all = shown.split(separator: "\n").map(String.init)
        let first = all.firstIndex { $0.contains("upgrade") } ?? 0
        return Array(all[(first + 1)...].prefix { !$0.contains("closed by") })
    }

    @Test func `what the subprotocol says it is, and is not, has a note under its bytes`() throws {
        let shown = try lines(subprotocol: "mqtt") { $0.message(2, .client, [0x10, 0xff, 0xff, 0xff, 0xff, 0x7f], opcode: 2) }
        #expect(
            shown == [
                "    0.002  >  binary     6 B  10 ff ff ff ff 7f  |......|",
                "              not readable as mqtt: the length of a packet is too long (byte 0)",
            ], "\(shown.joined(separator: "\n"))")
        let xmpp = try lines(subprotocol: "xmpp", follows: true) { $0.message(2, .client, "<message><body>broken".bytes) }
        #expect(xmpp.count == 2 && xmpp[0].hasSuffix("<message><body>broken"), "\(xmpp.joined(separator: "\n"))")
        #expect(xmpp.last?.contains("  1  ") == true && xmpp.last?.contains("not readable as xmpp: ") == true)
    }

    @Test func `so has what was spoken before, and what a rule says`() throws {
        let spoken = try lines(target: "/socket.io/?EIO=4&transport=websocket") { $0.message(2, .client, #"42["bad","#.bytes) }
        #expect(spoken.count == 2 && spoken[1].contains("not readable as socket.io: "), "\(spoken.joined(separator: "\n"))")
        for (text, reason) in [
            ("[1,", "its JSON is not valid or not whole"),
            (String(repeating: "[", count: 10_000), "it is nested deeper than 100 levels"),
        ] {
            let ruled = try lines(rules: ["*=json"]) { $0.message(2, .client, text.bytes) }
            #expect(
                ruled.last?.hasPrefix("              not readable as json: \(reason) (byte ") == true,
                "\(ruled.joined(separator: "\n"))")
            // Without a reason nothing is said.
            #expect(try lines { $0.message(2, .client, text.bytes) }.count == 1)
        }
        #expect(try lines { $0.message(2, .client, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00], opcode: 2) }.count == 1)
    }

    @Test func `a message of JSON is not walked for its line, unless a rule names it`() throws {
        let broken = #"{"a":["# + String(repeating: #"{"b":1},"#, count: 4_000) + "}"
        for (text, isForLines, told) in [
            (broken, true, #"{"as":"json"}"#), (broken, false, nil), (broken + "]", true, nil),
            (#"{"a":[{"b":1},}"#, true, #"{"as":"json"}"#),
            (#"{"a":[{"b":1},}"#, false, nil),
        ] as [(String, Bool, String?)] {
            var talk = MessagingTalk()
            talk.reader.isForLines = isForLines
            #expect(talk.say(text)?.json == told)
        }
        let ruled = try lines(rules: ["*=json"]) { $0.message(2, .client, broken.bytes) }
        #expect(ruled.last?.contains("not readable as json") == true, "\(ruled.last ?? "")")
    }

    @Test func `a body of a content type has a note, whole or in parts`() throws {
        let shown = try lines {
            $0.response(2, 200, "OK", "Content-Type: application/json\r\n", latency: 1_000_000)
            $0.body(3, .server, "{\"a\":")
            $0.response(4, 200, "OK", "Content-Type: application/json\r\n", latency: 1_000_000)
            for number in 1...2 as ClosedRange<UInt32> {
                $0.say(
                    4, .server,
                    .body(BodyPart(length: 4, wireLength: 4, part: number, final: number == 2, payload: ByteRange(0..<4))), "[1, ".bytes)
            }
        }
        let notes = shown.filter { $0.contains("not readable as json: ") }
        #expect(notes.count == 2 && notes[0].hasSuffix("(byte 5)") && notes[1].hasSuffix("(byte 8)"), "\(shown.joined(separator: "\n"))")
    }

    @Test func `a body in parts has the words of its format`() throws {
        let call = Array(#"{"jsonrpc":"2.0","id":1,"method":"list"}"#.utf8)
        let shown = try lines {
            $0.request(2, ("POST", "/", "HTTP/1.1"), "Content-Type: application/json\r\n")
            $0.say(
                3, .client, .body(BodyPart(length: 20, wireLength: 20, part: 1, final: false, payload: ByteRange(0..<20))),
                Array(call[..<20]))
            let rest = Array(call[20...])
            let part = BodyPart(
                length: UInt64(rest.count), wireLength: UInt64(rest.count), part: 2, final: true, payload: ByteRange(0..<rest.count))
            $0.say(4, .client, .body(part), rest)
        }
        #expect(shown.last?.hasSuffix("json-rpc call list") == true && shown.count == 2, "\(shown.joined(separator: "\n"))")
    }

    @Test func `a payload that is too long to be read says so, one that was cut off does not`() throws {
        let bytes: [UInt8] = [0x30, 0xff, 0x7f, 0x00, 0x01]
        func shown(length: UInt64, wireLength: UInt64) throws -> [String] {
            try lines(isFull: false) {
                let frame = MessageFrame(.protocol(.mqtt))
                $0.say(2, .client, .message(Message(cut: frame, length: length, wireLength: wireLength)), bytes)
            }
        }
        let long = try shown(length: 16_386, wireLength: 16_386)
        #expect(
            long.last == "              not readable as mqtt: it is longer than what is kept of a payload (--payload-limit) (byte 5)",
            "\(long.joined(separator: "\n"))")
        let cut = try shown(length: 16_386, wireLength: 5)
        #expect(cut.last?.contains("not readable as mqtt: a packet is longer than the message") == true, "\(cut.joined(separator: "\n"))")
    }

    @Test func `in full, bytes that were announced and never came are not called hidden`() throws {
        func shown(_ frame: MessageFrame, length: UInt64, wireLength: UInt64) throws -> [String] {
            try lines(isFull: true) {
                $0.say(2, .client, .message(Message(cut: frame, length: length, wireLength: wireLength)), [0x30, 0xff, 0xff, 0xff, 0x7f])
            }.filter { $0.contains("…") }.map { String($0.drop { $0 == " " }) }
        }
        let mqtt = MessageFrame(.protocol(.mqtt))
        #expect(try shown(mqtt, length: 268_435_460, wireLength: 5) == ["… 268 MB announced, not received"])
        #expect(try shown(mqtt, length: 1_005, wireLength: 105) == ["… 100 B more not shown", "… 900 B announced, not received"])
        #expect(try shown(mqtt, length: 1_005, wireLength: 1_005) == ["… 1.0 kB more not shown"])
        let prefixed = MessageFrame(.length(LengthPrefix(.u32be)))
        #expect(try shown(prefixed, length: 1_005, wireLength: 9) == ["… 1.0 kB announced, not received"])
        #expect(try shown(prefixed, length: 5, wireLength: 9).isEmpty)
    }
}
