import Dissection

// Cells of CSV (RFC 4180).

extension OutputBuffer {
    /// Appends a text as a cell: in quotes where it has a comma, a quote or a line end in it, or blanks at an end. Bytes that are not UTF-8 become U+FFFD.
    ///
    /// - Parameter guardsFormulas: A spreadsheet takes a cell for a formula that begins with `=`, `+`, `-`, `@` (also in full width), a tab or a line end:
    ///   with this it gets an apostrophe in front, which makes it text.
    mutating func append(cell text: RawSpan, guardsFormulas: Bool) {
        if append(quotedCell: text, guardsFormulas: guardsFormulas) { return }
        if text.isUTF8 { return append(validCell: text, guardsFormulas: guardsFormulas) }
        let mended = Array(String(decoding: text.copy, as: UTF8.self).utf8)
        append(validCell: mended.rawBytes, guardsFormulas: guardsFormulas)
    }

    /// Appends printable ASCII that has a quote in it as a cell, such as JSON, in one pass. Returns false where it is anything else: then it appends nothing.
    mutating func append(quotedCell text: RawSpan, guardsFormulas: Bool) -> Bool {
        guard JSONWide.isThere, text.byteCount < 1 << 16, !guardsFormulas || !text.beginsFormula else { return false }
        let mark = count
        append(0x22)
        let room = unsafe room(atLeast: 2 * text.byteCount + 64)
        guard let written = unsafe text.withUnsafeBytes({ unsafe JSONWide.quote($0, into: room) }), written > text.byteCount else {
            truncate(to: mark)
            return false
        }
        advance(by: written)
        append(0x22)
        return true
    }

    private mutating func append(validCell text: RawSpan, guardsFormulas: Bool) {
        let isGuarded = guardsFormulas && text.beginsFormula
        let isBlankAtEnd = !text.isEmpty && (text[0] == 0x20 || text[text.byteCount - 1] == 0x20)
        guard isGuarded || isBlankAtEnd || text.needsQuotes else { return append(text) }
        append(0x22)
        if isGuarded { append(0x27) }
        var start = 0
        while let quote = text.position(of: 0x22, from: start) {
            append(text.extracting(start..<quote + 1))
            append(0x22)
            start = quote + 1
        }
        append(text.suffix(from: start))
        append(0x22)
    }
}

extension RawSpan {
    /// Whether a spreadsheet takes a cell with it for a formula.
    fileprivate var beginsFormula: Bool {
        switch isEmpty ? 0 : self[0] {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0a, 0x0d: return true
        case 0xef:
            // The same in full width (U+FF1D, U+FF0B, U+FF0D, U+FF20), as some East Asian settings read them.
            return begins("＝") || begins("＋") || begins("－") || begins("＠")
        default: return false
        }
    }

    /// Whether a comma, a quote or a line end stands in a cell, which has to be in quotes then.
    fileprivate var needsQuotes: Bool {
        for index in 0..<byteCount {
            switch self[index] {
            case 0x2c, 0x22, 0x0a, 0x0d: return true
            case _: break
            }
        }
        return false
    }
}
