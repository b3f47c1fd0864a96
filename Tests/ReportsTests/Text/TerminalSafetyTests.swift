import Dissection
import Reports
import Testing

/// Nothing that a peer sends can do anything to the terminal.
@Suite struct TerminalSafetyTests {
    typealias Script = RecordScript

    /// What would harm: C0 but the line end, DEL, C1, separators, and what cannot be seen but the joiners and emoji's selectors.
    private func harms(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "\n" || scalar.value == 0x200c || scalar.value == 0x200d || scalar.value & ~1 == 0xfe0e { return false }
        if scalar.properties.isDefaultIgnorableCodePoint { return true }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }

    private static let hostile: [[UInt8]] = [
        "\u{1b}[2J\u{1b}]0;title\u{7}".bytes, "\u{9b}31m".bytes, [0x9b, 0x33, 0x31, 0x6d], "\u{202e}gnp.exe\u{2066}".bytes,
        "a\rb\u{8}\u{7f}\nc".bytes,
        "\u{feff}\u{ad}\u{2028}\u{2029}\u{85}".bytes, [0xed, 0xa0, 0x80, 0xc0, 0xaf, 0xf8], "\u{e0001}\u{e0041}".bytes,
        "a\u{115f}\u{1160}\u{3164}\u{ffa0}\u{34f}\u{180b}\u{e0100}b".bytes, Array(0...255),
    ]

    @Test(arguments: hostile)
    func `hostile bytes reach no line raw`(bytes: [UInt8]) {
        for settings in [TextSettings(width: nil, payload: .full), TextSettings(width: 60), TextSettings(width: nil, follows: true)] {
            let shown = Dialogue.text(settings) {
                let (content, parts) = Script.content(
                    bytes, bytes, bytes,
                    "Host: ".bytes + bytes.filter { $0 != 10 } + "\r\nUpgrade: ".bytes + bytes.filter { $0 != 10 } + [10])
                $0.report.begin(CaptureSource(kind: .interface, name: String(decoding: bytes, as: UTF8.self), tool: "unmask 0.1.0"))
                $0.say(0, nil, .opened(Script.opening))
                $0.say(0, .client, .tls(TLSFacts(serverName: parts[0], alpn: parts[1], offeredALPN: parts[2], secrets: .missing)), content)
                $0.say(
                    0, .client, .request(RequestHead(method: parts[0], target: parts[1], version: parts[2], fields: parts[3], exchange: 1)),
                    content)
                $0.say(
                    0, .server, .response(ResponseHead(status: 101, version: parts[0], reason: parts[1], fields: parts[3], latency: nil)),
                    content)
                $0.say(
                    0, .server,
                    .upgrade(
                        Upgrade(
                            protocolName: parts[0], accepted: true, host: parts[0], target: parts[1], subprotocol: parts[2],
                            extensions: parts[0])), content)
                $0.say(
                    0, .server, .body(BodyPart(length: 400, wireLength: 1, part: 1, final: true, encoding: parts[0], payload: parts[1])),
                    content)
                $0.message(1, .client, bytes)
                $0.message(1, .client, bytes, opcode: 2)
                $0.say(2, .client, .ping, bytes)
                $0.say(2, .client, .pong(Pong(roundTrip: nil, unsolicited: true)), bytes)
                $0.say(2, .client, .data(DataRun(length: UInt64(bytes.count))), bytes)
                $0.finding(2, .client, FindingRow(id: "x.y", severity: .note, reference: "", detail: "saw {text}", explanation: ""), bytes)
                $0.say(3, .client, .close(CloseFrame(code: 4_000)), bytes)
                $0.say(4, nil, .closed(Closing(by: .client, how: .fin)))
            }
            #expect(!shown.unicodeScalars.contains(where: harms))
        }
    }

    @Test func `each kind of harm has its own look`() {
        let shown = Dialogue.text(TextSettings(width: nil)) {
            $0.message(0, .client, "\u{1b}[2J a\nb\u{7f} \u{202e}x \u{9b} ไม้\u{200d}".bytes)
            $0.say(1, .client, .close(CloseFrame(code: 1_000)), [0xff, 0x41])
            $0.say(2, nil, .closed(Closing(by: .server, how: .fin)))
        }
        #expect(shown.contains("␛[2J a␊b␡ \\u{202e}x \\u{9b} ไม้\u{200d}\n"))
        #expect(shown.contains("normal closure: \"\\xffA\"\n"))
    }

    @Test(arguments: ["\u{301}", "\u{200d}", "\u{200c}", "\u{20dd}", "\u{301}\u{200d}"])
    func `characters without a column do not make a line long`(mark: String) {
        func longest(_ text: String) -> Int {
            let shown = Dialogue.text(TextSettings(width: 80, payload: .full)) {
                $0.message(0, .client, text.bytes)
                $0.say(1, .client, .close(CloseFrame(code: 1_000)), text.bytes)
                $0.say(2, nil, .closed(Closing(by: .server, how: .fin)))
            }
            return shown.split(separator: "\n").map(\.utf8.count).max() ?? 0
        }
        // Eighty columns of a character, four marks and an ellipsis each, at most.
        #expect(longest("e" + String(repeating: mark, count: 30_000)) < 200)
        #expect(longest(String(repeating: "e" + String(repeating: mark, count: 9), count: 3_000)) < 80 * 20)
        #expect(longest(String(repeating: mark, count: 30_000)) < 200)
    }

    @Test func `a long name does not make a heading long`() {
        let name = String(repeating: "ä", count: 120)
        func heading(_ width: Int?) -> String {
            let shown = Dialogue.text(TextSettings(width: width)) {
                let (content, parts) = Script.content("GET".bytes, "/\(name)".bytes, "HTTP/1.1".bytes, "Host: \(name)\r\n".bytes)
                $0.say(0, nil, .opened(Script.opening))
                $0.say(
                    0, .client, .request(RequestHead(method: parts[0], target: parts[1], version: parts[2], fields: parts[3], exchange: 1)),
                    content)
                $0.say(1, nil, .closed(Closing(by: .client, how: .fin)))
            }
            return shown.split(separator: "\n").first { $0.contains("ä") }.map(String.init) ?? ""
        }
        #expect(heading(80).contains("   " + String(repeating: "ä", count: 30) + "…   "), "\(heading(80))")
        #expect(heading(80).count < 180)
        #expect(heading(nil).contains("   \(name)   "))
    }

    @Test func `marks as scripts use them stay`() {
        let shown = Dialogue.text(TextSettings(width: nil)) {
            $0.message(0, .client, "e\u{301} שָׁלוֹם ไม้ A\u{300}\u{301}\u{302}\u{303} B\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}C".bytes)
            $0.say(2, nil, .closed(Closing(by: .server, how: .fin)))
        }
        #expect(shown.contains("e\u{301} שָׁלוֹם ไม้ A\u{300}\u{301}\u{302}\u{303} B\u{300}\u{301}\u{302}\u{303}…C\n"))
    }

    @Test func `invalid UTF-8 never leaves`() {
        var dialogue = Dialogue(TextReport(Output(), settings: TextSettings(width: nil)))
        dialogue.message(0, .client, Array(0...255))
        dialogue.say(1, .client, .close(CloseFrame(code: 1_000)), Array(0x80...0xff))
        dialogue.say(2, nil, .closed(Closing(by: .server, how: .fin)))
        #expect(String(validating: dialogue.report.takeBytes(), as: UTF8.self) != nil)
    }
}
