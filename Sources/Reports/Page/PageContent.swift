import Dissection

// What opens under a line of a page: a payload as text, JSON or a hex dump, and what it says.

extension OutputBuffer {
    /// Bytes in one line of a hex dump.
    private static var rowBytes: Int { 16 }
    /// Text of so many bytes is in its line already.
    private static var mostInLine: Int { 80 }

    /// Appends a payload, where its line does not have all of it.
    ///
    /// - Parameters:
    ///   - length: Bytes that it has; more than `payload`, where it is cut.
    ///   - isInWords: The line has what it says instead.
    mutating func append(block payload: RawSpan, length: UInt64, claim: PayloadForm.Claim, isInWords: Bool) {
        let isCut = UInt64(payload.byteCount) < length
        let form = PayloadForm(payload, isCut: isCut, claim: claim)
        let most = form == .bytes ? Self.rowBytes : Self.mostInLine
        guard isInWords || isCut || payload.byteCount > most || payload.count(of: 0x0a) > 0 else { return }
        append("<pre>")
        if form == .bytes {
            append(dump: payload)
        } else if form == .text, !isCut, JSONTokens.isDocument(payload) {
            append(indented: payload)
        } else if payload.plainCount(from: 0) == payload.byteCount {
            append(html: payload)
        } else {
            append(html: Array(String(decoding: payload.copy, as: UTF8.self).visibleLines.utf8).rawBytes)
        }
        if isCut {
            append("\n… ")
            append(decimal: length - UInt64(payload.byteCount))
            append(" more bytes")
        }
        append("</pre>\n")
    }

    /// Appends what a payload says.
    mutating func append(says decoded: DecodedPayload) {
        var tree = OutputBuffer(capacity: 256)
        tree.append(tree: decoded)
        append("<pre class=\"says\">")
        append(indented: tree.bytes)
        append("</pre>\n")
    }

    /// Appends a JSON text with a line for each value.
    private mutating func append(indented text: RawSpan) {
        var tokens = JSONTokens(text)
        var (depth, last) = (0, JSONTokens.Kind.comma)
        while let token = tokens.next() {
            let isEmpty = token.closes && (last == .openObject || last == .openArray)
            if token.closes { depth -= 1 }
            if !isEmpty, token.closes || last == .openObject || last == .openArray || last == .comma, depth > 0 || token.closes {
                append(0x0a)
                for _ in 0..<min(20, max(0, depth)) { append("  ") }
            }
            append(visible: text.extracting(token.range))
            if token.kind == .colon { append(0x20) }
            if token.opens { depth += 1 }
            last = token.kind
        }
    }

    /// Appends a text without line ends. Printable ASCII, which most is, stands as it is.
    private mutating func append(visible text: RawSpan) {
        if text.plainCount(from: 0) == text.byteCount { return append(html: text) }
        append(html: Array(String(decoding: text.copy, as: UTF8.self).visible.utf8).rawBytes)
    }

    /// Offset, bytes in hexadecimal, and as characters.
    private mutating func append(dump bytes: RawSpan) {
        for start in stride(from: 0, to: bytes.byteCount, by: Self.rowBytes) {
            let row = bytes.extracting(start..<min(start + Self.rowBytes, bytes.byteCount))
            if start > 0 { append(0x0a) }
            append(hex: start, digits: 6)
            for index in 0..<Self.rowBytes {
                append(index % 8 == 0 ? "  " : " ")
                if index < row.byteCount { append(hex: Int(row[index]), digits: 2) } else { append("  ") }
            }
            append("  ")
            var characters: [UInt8] = []
            for index in 0..<row.byteCount { characters.append(0x20..<0x7f ~= row[index] ? row[index] : 0x2e) }
            append(html: characters.rawBytes)
        }
    }

    private mutating func append(hex number: Int, digits: Int) {
        for digit in stride(from: 4 * (digits - 1), through: 0, by: -4) {
            let value = UInt8(truncatingIfNeeded: number >> digit & 15)
            append(value < 10 ? 0x30 + value : 0x57 + value)
        }
    }
}
