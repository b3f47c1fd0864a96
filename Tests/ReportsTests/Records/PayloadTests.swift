import Dissection
import Foundation
import Reports
import Testing

/// What of a payload stands in a record, and how.
@Suite(.holdsLogSchema) struct PayloadTests {
    private func message(_ content: [UInt8], length: Int? = nil, _ payload: PayloadPolicy = .full) -> String {
        let length = UInt64(length ?? content.count)
        let record = RecordScript.record(
            .message(Message(opcode: 2, length: length, wireLength: length, fragments: 1, compressed: false)), content,
            settings: RecordSettings(payload: payload))
        guard let start = record.range(of: #""compressed":false"#) else { return record }
        return String(record[start.upperBound...].dropLast())
    }

    @Test func `valid UTF-8 is text whatever the opcode says`() {
        #expect(message("héllo 🎈\u{2028}".bytes) == ",\"text\":\"héllo 🎈\u{2028}\"")
        #expect(message([0xff, 0xfe, 0x41]) == #","base64":"//5B""#)
    }

    @Test func `controls are escaped, so that a log on a terminal is harmless`() {
        #expect(message([0x00, 0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x1b, 0x7f]) == #","text":"\u0000\b\t\n\f\r\u001b\u007f""#)
        #expect(message("\u{80}\u{9b}\u{a0}".bytes) == ",\"text\":\"\\u0080\\u009b\u{a0}\"")
    }

    @Test func `content with many control characters is not written as text`() {
        let zeros = [UInt8](repeating: 0, count: 65)
        #expect(message(zeros) == #","base64":""# + String(repeating: "A", count: 87) + "=\"")
        #expect(message([UInt8](repeating: 0x7f, count: 17)).hasPrefix(#","base64""#))
        // A few are text in any content, and so is an eighth, and what lays out lines.
        #expect(message([UInt8](repeating: 0, count: 16)).hasPrefix(#","text""#))
        #expect(message([UInt8](repeating: 1, count: 50) + [UInt8](repeating: 0x61, count: 350)).hasPrefix(#","text""#))
        #expect(message([UInt8](repeating: 1, count: 51) + [UInt8](repeating: 0x61, count: 350)).hasPrefix(#","base64""#))
        #expect(message([UInt8](repeating: 0x61, count: 350) + [UInt8](repeating: 1, count: 51)).hasPrefix(#","base64""#))
        #expect(message("\t\r\n\t".bytes + [UInt8](repeating: 9, count: 60)).hasPrefix(#","text""#))
        #expect(message([UInt8](repeating: 0, count: 20_000)).count < 20_000 * 3 / 2)
    }

    @Test func `a preview ends at a character boundary`() {
        #expect(message("aé".bytes, .preview(limit: 2)) == #","text":"a","truncated":true"#)
        #expect(message("aé".bytes, .preview(limit: 3)) == #","text":"aé""#)
        #expect(message("🎈🎈".bytes, .full(limit: 7)) == #","text":"🎈","truncated":true"#)
        #expect(message([0xff] + "abc".bytes, .preview(limit: 3)) == #","base64":"/2Fi","truncated":true"#)
    }

    @Test func `content that was kept only in part is cut, whole content that ends badly is not text`() {
        #expect(message([0x61, 0xc3], length: 3) == #","text":"a","truncated":true"#)
        #expect(message([0x61, 0xc3]) == #","base64":"YcM=""#)
        #expect(message([0x61, 0xe0, 0x80], length: 4) == #","base64":"YeCA","truncated":true"#)
    }

    @Test func `without payloads the length stays`() {
        #expect(message("abc".bytes, .none) == #","truncated":true"#)
        #expect(message([], .none) == "")
        #expect(
            RecordScript.record(.ping, "hb".bytes, settings: RecordSettings(payload: .none))
                == #"{"kind":"ping","conversation":1,"length":2,"truncated":true}"#)
        #expect(
            RecordScript.record(.data(DataRun(length: 9, framing: .tlsRecord(contentType: 21))), settings: RecordSettings(payload: .none))
                == #"{"kind":"data","conversation":1,"length":9,"framing":"tls","decoded":{"as":"tls","type":"alert"}}"#)
    }

    /// Random bytes, by a fixed seed, in the proportions that hurt: quotes, controls, boundaries of UTF-8.
    @Test(arguments: [(most: 40, pieces: 14), (most: 400, pieces: 90)])
    func `any bytes come back as they were`(_ most: Int, _ longest: Int) throws {
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let pieces: [[UInt8]] = [
            "abcdefgh".bytes, "\"".bytes, "\\".bytes, "\n".bytes, [0], [0x1f], [0x7f], [0x80], [0xc2, 0x85], [0xc1, 0x80], "é".bytes,
            "€".bytes,
            "🎈".bytes, [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe0, 0x9f, 0xbf], [0xf0, 0x8f, 0xbf, 0xbf], [0xff], "x".bytes,
            "    ".bytes,
            [0xed, 0x9f, 0xbf], [0xee, 0x80, 0x80], [0xf4, 0x8f, 0xbf, 0xbf], [0xe2, 0x82],
        ]
        struct Shown: Decodable {
            var text: String?
            var base64: Data?
            var truncated: Bool?
        }
        let settings = RecordSettings(payload: .full(limit: most))
        for _ in 0..<2_000 {
            var content: [UInt8] = []
            let kinds = random(2) == 0 ? 12 : pieces.count
            for _ in 0..<random(longest) { content += pieces[random(random(3) == 0 ? kinds : 3)] }
            let record = RecordScript.record(
                .message(Message(opcode: 1, length: UInt64(content.count), wireLength: 0, fragments: 1, compressed: false)), content,
                settings: settings)
            let shown = try JSONDecoder().decode(Shown.self, from: Data(record.utf8))
            #expect(!record.utf8.contains { $0 < 0x20 || $0 == 0x7f })
            #expect((shown.truncated ?? false) == (content.count > most))
            let kept = Array(content.prefix(most))
            if let text = shown.text {
                let lost = kept.count - text.utf8.count
                #expect(Array(text.utf8) == kept.dropLast(lost))
                #expect(lost == 0 || content.count > most && lost <= 3)
            } else {
                #expect(shown.base64 == Data(kept))
                let controls = kept.count { $0 < 0x20 && $0 != 0x09 && $0 != 0x0a && $0 != 0x0d || $0 == 0x7f }
                #expect(String(validating: kept, as: UTF8.self) == nil || controls > max(16, kept.count / 8))
            }
        }
    }

    /// Each of the bytes that are escaped, at each place of a run that is long enough for every kind of step, alone and beside another.
    @Test func `an escape stands where its byte was`() throws {
        let escapes: [(UInt8, String)] = [(0x22, #"\""#), (0x5c, #"\\"#), (0x0a, #"\n"#), (0x1f, #"\u001f"#), (0x7f, #"\u007f"#)]
        for length in [1, 7, 8, 15, 16, 30, 31, 32, 47, 64] {
            for (byte, escape) in escapes {
                for place in 0..<length {
                    var content = (0..<length).map { UInt8(0x61 + $0 % 26) }
                    content[place] = byte
                    let plain = String(decoding: content[..<place], as: UTF8.self)
                    let rest = String(decoding: content[(place + 1)...], as: UTF8.self)
                    #expect(message(content) == #","text":""# + plain + escape + rest + "\"")
                    guard place > 0 else { continue }
                    content[place - 1] = 0x22
                    #expect(message(content) == #","text":""# + plain.dropLast() + #"\""# + escape + rest + "\"")
                }
            }
        }
    }

    @Test func `binary of every length is the base64 that Foundation reads`() throws {
        struct Shown: Decodable {
            var base64: Data
        }
        // All groups of three bytes come in all places of a round, and what is left of a round in all lengths.
        for length in 1..<300 {
            let content = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 131 &+ $0 >> 3 &+ length * 17) } + [0xff]
            let record = RecordScript.record(
                .message(Message(opcode: 2, length: UInt64(content.count), wireLength: 0, fragments: 1, compressed: false)), content)
            let shown = try JSONDecoder().decode(Shown.self, from: Data(record.utf8))
            #expect(shown.base64 == Data(content))
            #expect(record.utf8.count > content.count)
        }
    }

    @Test func `long payloads of nothing but escapes fit`() throws {
        // Of what is text, these grow most: two bytes become six.
        let content = (0..<300_000).map { UInt8($0 % 2 == 0 ? 0xc2 : 0x81) }
        let text = message(content)
        #expect(text.utf8.count == 150_000 * 6 + #","text":"""#.utf8.count)
    }
}
