import Dissection

// Cells of CSV (RFC 4180).

extension OutputBuffer {
    /// Appends a text as a cell: in quotes where it has a comma, a quote or a line end in it, or blanks at an end. Bytes that are not UTF-8 become U+FFFD.
    ///
    /// - Parameter guardsFormulas: A spreadsheet takes a cell for a formula that begins with `=`, `+`, `-`, `@` (also in full width), a tab or a line end:
    ///   with this it gets an apostrophe in front, which makes it text.
    mutating func append(cell text: [UInt8], guardsFormulas: Bool) {
        let valid = text.rawBytes.isUTF8 ? text : Array(String(decoding: text, as: UTF8.self).utf8)
        let isGuarded = guardsFormulas && valid.beginsFormula
        guard isGuarded || valid.contains(where: { $0.needsQuotes }) || valid.first == 0x20 || valid.last == 0x20 else {
            return append(valid.rawBytes)
        }
        append(0x22)
        if isGuarded { append(0x27) }
        var start = 0
        for index in valid.indices where valid[index] == 0x22 {
            append(valid.rawBytes.extracting(start..<index + 1))
            start = index
        }
        append(valid.rawBytes.extracting(start..<valid.count))
        append(0x22)
    }
}

extension [UInt8] {
    /// Whether a spreadsheet takes a cell with it for a formula.
    fileprivate var beginsFormula: Bool {
        switch first {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0a, 0x0d: return true
        case 0xef:
            // The same in full width (U+FF1D, U+FF0B, U+FF0D, U+FF20), as some East Asian settings read them.
            let start = prefix(3)
            return ["＝", "＋", "－", "＠"].contains { start.elementsEqual($0.utf8) }
        default: return false
        }
    }
}

extension UInt8 {
    /// Whether a cell with it has to be in quotes.
    fileprivate var needsQuotes: Bool { self == 0x2c || self == 0x22 || self == 0x0a || self == 0x0d }
}
