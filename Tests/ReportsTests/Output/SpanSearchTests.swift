import Dissection
import Support
import Testing

@testable import Reports

/// What looks at sixteen bytes a step finds the same as a look at each byte.
@Suite("Looking for bytes sixteen at a time") struct SpanSearchTests {
    /// Texts of every length around the ends of blocks, of few letters, so that beginnings of what is looked for are many.
    private static let texts: [[UInt8]] = {
        var random = SplitMix(seed: 3)
        let letters = Array("\"phx_json".utf8)
        return (0..<1_500).map { round in
            (0..<round % 75).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] }
        }
    }()

    @Test("words are found where they stand first, wherever a block ends", arguments: ["\"ph", "\"phx_", "\"j", "ph", "x"])
    func words(words: String) {
        let wanted = Array(words.utf8)
        for text in Self.texts {
            let first = (0...text.count).first { text[$0...].starts(with: wanted) }
            let found =
                switch words {
                case "\"ph": text.rawBytes.position(of: "\"ph")
                case "\"phx_": text.rawBytes.position(of: "\"phx_")
                case "\"j": text.rawBytes.position(of: "\"j")
                case "ph": text.rawBytes.position(of: "ph" as StaticString)
                default: text.rawBytes.position(of: "x" as StaticString)
                }
            #expect(found == first, "\(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test("words at the end of a text of each length are found")
    func last() {
        for count in 0..<60 {
            let text = [UInt8](repeating: 0x20, count: count) + Array("\"jsonrpc\"".utf8)
            #expect(text.rawBytes.position(of: "\"jsonrpc\"") == count)
            let cut = Array(text.dropLast())
            #expect(cut.rawBytes.position(of: "\"jsonrpc\"") == nil)
        }
    }

    @Test("marks are those of some place in the bytes, wherever a block ends")
    func marks() {
        for text in Self.texts {
            for change in [nil, 0x0a, 0x7f, 0xe9] as [UInt8?] {
                var text = text
                if let change, !text.isEmpty { text[text.count * 3 / 4] = change }
                var marks: UInt32 = 0
                if text.contains(0x0a) { marks |= 1 }
                if text.contains(where: { !(0x20..<0x7f ~= $0) }) { marks |= 8 }
                for place in text.indices {
                    if text[place...].starts(with: Array("\"ph".utf8)) { marks |= 2 }
                    if text[place...].starts(with: Array("\"js".utf8)) { marks |= 4 }
                }
                #expect(text.rawBytes.jsonMarks() == marks, "\(text)")
            }
        }
    }

    @Test("printable characters end at each other byte, wherever it stands")
    func printable() {
        for count in [1, 8, 15, 16, 17, 31, 32, 33, 40] {
            for place in 0..<count {
                for byte in [0, 0x09, 0x1f, 0x20, 0x41, 0x7e, 0x7f, 0x80, 0xff] as [UInt8] {
                    var text = [UInt8](repeating: 0x7e, count: count)
                    text[place] = byte
                    let isPrintable = 0x20..<0x7f ~= byte
                    #expect(text.rawBytes.plainCount(from: 0) == (isPrintable ? count : place))
                    if place < count - 1 { #expect(text.rawBytes.plainCount(from: place + 1) == count - place - 1) }
                }
            }
        }
    }

    @Test("a string of JSON ends at its quote, and has no control character")
    func strings() {
        for count in 0..<40 {
            let inside = [UInt8](repeating: 0x20, count: count)
            for tail in 0..<20 {
                var text: [UInt8] = [0x22]
                text += inside
                text.append(0x22)
                text += [UInt8](repeating: 0x61, count: tail)
                var cursor = JSONCursor(text.rawBytes)
                #expect(cursor.string() == 1..<count + 1)
                for byte in [0x00, 0x0a, 0x1f, 0x22, 0x5c, 0x80, 0xe0, 0xff] as [UInt8] where count > 0 {
                    var changed = text
                    changed[count] = byte
                    var cursor = JSONCursor(changed.rawBytes)
                    let found = cursor.string()
                    switch byte {
                    case ..<0x20: #expect(found == nil)
                    case 0x22: #expect(found == 1..<count)
                    // It escapes the quote, and what follows has none.
                    case 0x5c: #expect(found == nil)
                    default: #expect(found == 1..<count + 1)
                    }
                }
            }
        }
    }
}
