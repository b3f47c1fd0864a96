import Dissection
import Testing

@testable import Reports

/// The one rule that says whether a payload is shown as text or in hexadecimal.
@Suite struct PayloadFormTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var bytes: [UInt8]
        var claim: PayloadForm.Claim
        var form: PayloadForm
        var isCut = false

        init(_ bytes: [UInt8], _ claim: PayloadForm.Claim, _ form: PayloadForm, isCut: Bool = false) {
            (self.bytes, self.claim, self.form, self.isCut) = (bytes, claim, form, isCut)
        }

        init(_ text: String, _ claim: PayloadForm.Claim, _ form: PayloadForm) { self.init(Array(text.utf8), claim, form) }

        var testDescription: String { "\(String(decoding: bytes.prefix(40), as: UTF8.self).debugDescription) \(claim)" }
    }

    static let rows: [Row] = [
        Row("", .binary, .text),
        Row("hello", .none, .text),
        Row("first\nsecond\ttab\r\n", .binary, .text),
        Row("\u{1b}[31mred\u{1b}[0m", .none, .text),
        // Engine.IO polling: packets with record separators between them.
        Row("4{\"sid\":\"x\"}\u{1e}42[\"news\",1]", .none, .text),
        Row("2\u{1e}3", .none, .text),
        // STOMP ends its frames with a zero.
        Row("CONNECTED\nversion:1.2\n\n\u{0}", .none, .text),
        // One control in eight characters is few, one in seven is not.
        Row("abcdefg\u{1}", .none, .text),
        Row("abcdef\u{1}", .none, .bytes),
        Row("abcdefgh\u{1}\u{2}", .none, .mixed),
        Row("\u{0}\u{0}\u{0}\u{1}", .none, .bytes),
        // A WebSocket text is what it says that it is.
        Row("\u{0}\u{1}", .text, .text),
        Row("ok\u{7}", .text, .text),
        // Text by luck: the four random bytes of a ping.
        Row("⼰A", .binary, .bytes),
        Row("\u{1}abc", .binary, .bytes),
        Row("é", .binary, .bytes),
        Row("é", .none, .text),
        Row("é", .text, .text),
        Row("hb-1", .binary, .text),
        Row("42\n", .binary, .text),
        Row("grüße an", .binary, .text),
        Row([0xff], .text, .bytes),
        Row([0xde, 0xad, 0xbe, 0xef], .binary, .bytes),
        // Mostly text.
        Row([0x51, 0, 0, 0, 0x19] + "SELECT * FROM users;".utf8 + [0], .binary, .mixed),
        Row([0xff, 0xfe] + " bad utf8\n".utf8, .text, .mixed),
        Row([0x4a, 0, 0, 0, 0x0a, 0x35, 0x2e, 0x37, 0, 1, 2, 3], .binary, .bytes),
        // What begins as a binary format does is shown as that, however much of it looks like text.
        Row([0x89] + "PNG\r\n".utf8 + [0x1a, 0x0a, 0], .none, .bytes),
        Row([0x89] + "PNG\r\n".utf8 + [0x1a, 0x0a, 0, 0, 0, 0x0d] + "IHDR and a comment that is long".utf8, .binary, .bytes),
        Row("PK\u{3}\u{4} and a name of a file that is long.txt", .none, .bytes),
        Row(Array("GIF89a".utf8) + [1, 0, 1, 0, 0xf0] + "a comment that is long enough".utf8, .none, .bytes),
        Row([0x1f, 0x8b, 8, 0] + "a name of a file.txt".utf8 + [0], .binary, .bytes),
        // A word that texts begin with too.
        Row("ID3 is a format of tags", .none, .text),
        Row("%PDF-1.7", .binary, .text),
        Row(Array("<?xml version=\"1.0\"?><a>".utf8) + [0xff] + "</a>".utf8, .none, .mixed),
        Row("PK\u{3}\u{4}", .text, .text),
        // The end of what is kept may lie in the middle of a character.
        Row(Array("grüße ü".utf8.dropLast()), .none, .text, isCut: true),
        Row(Array("grüße ü".utf8.dropLast()), .none, .bytes),
        Row(Array(repeating: 0x61, count: 511) + Array("ü".utf8), .none, .text),
        // What comes after the first 512 bytes is not looked at.
        Row(Array(repeating: 0x61, count: 600) + [0xff], .none, .text),
    ]

    @Test(arguments: rows) func `each payload has its form`(row: Row) {
        #expect(PayloadForm(row.bytes.rawBytes, isCut: row.isCut, claim: row.claim) == row.form)
    }
}
