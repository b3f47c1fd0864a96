import Dissection
import Testing

/// Hexadecimal, percent escapes, and numbers of seven bits a byte.
@Suite struct NotationTests {
    @Test func `hexadecimal digits are read in either case and written in lower case`() {
        let bytes = (0...255).map { UInt8($0) }
        let digits = bytes.rawBytes.hexadecimal
        #expect(String(decoding: digits.prefix(8), as: UTF8.self) == "00010203" && digits.suffix(4).elementsEqual("feff".utf8))
        #expect([UInt8](hexadecimal: digits.rawBytes) == bytes)
        #expect([UInt8](hexadecimal: Array("0aFf".utf8).rawBytes) == [0x0a, 0xff])
        #expect([UInt8](hexadecimal: [UInt8]().rawBytes) == [])
        for wrong in ["0", "0g", "+1", "0x12"] { #expect([UInt8](hexadecimal: Array(wrong.utf8).rawBytes) == nil, "\(wrong)") }
        #expect(UInt16(hexadecimal: Array("20aC".utf8).rawBytes) == 0x20ac)
        for wrong in ["", "12345", "-1", "１"] { #expect(UInt16(hexadecimal: Array(wrong.utf8).rawBytes) == nil, "\(wrong)") }
    }

    @Test(arguments: [
        ("a%20b%2B+", "a b++", "a b+ "), ("100%", "100%", "100%"), ("%4", "%4", "%4"), ("%zz%41", "%zzA", "%zzA"), ("%25%32", "%2", "%2"),
    ])
    func `percent escapes are undone once, and others stay`(text: String, plain: String, form: String) {
        let bytes = Array(text.utf8)
        #expect(bytes.rawBytes.percentDecoded() == Array(plain.utf8))
        #expect(bytes.rawBytes.percentDecoded(plusIsSpace: true) == Array(form.utf8))
    }

    @Test func `a number of seven bits a byte ends with the byte that says so`() {
        func read(_ bytes: [UInt8], _ most: Int = 10, at position: Int = 0) -> [UInt64]? {
            bytes.rawBytes.varint(at: position, most: most).map { [$0.value, UInt64($0.end)] }
        }
        #expect(read([0x00]) == [0, 1] && read([0x7f, 1]) == [127, 1] && read([0x96, 0x01]) == [150, 2])
        #expect(read([9, 0x80, 0x80, 0x01], at: 1) == [16_384, 4])
        // More bytes than it needs are a number, too.
        #expect(read([0x81, 0x00]) == [1, 2])
        #expect(read([UInt8](repeating: 0xff, count: 9) + [0x01]) == [.max, 10])
        #expect(read([]) == nil && read([0x80]) == nil && read([1], at: 1) == nil && read([1], at: 2) == nil)
        #expect(read([0x80, 0x80, 0x80, 0x80, 0x01], 4) == nil && read([0x80, 0x80, 0x80, 0x01], 4) == [2_097_152, 4])
    }
}
