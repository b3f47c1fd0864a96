extension StreamFraming {
    /// What it is, for a sentence.
    var words: [UInt8] {
        switch self {
        case .length(let prefix): prefix.words
        case .delimiter(let bytes, _):
            if bytes == ShortBytes([0]) {
                Array("messages that end with a NUL byte".utf8)
            } else if bytes == ShortBytes([0x0D, 0x0A]) {
                Array("lines that end with CRLF".utf8)
            } else {
                Array("messages that end with the same bytes".utf8)
            }
        case .fixed: Array("messages of one length".utf8)
        case .lines: Array("lines".utf8)
        case .tlv: Array("type, length and value".utf8)
        case .contentLength: Array("messages after a Content-Length header".utf8)
        case .json: Array("JSON values one after another".utf8)
        case .protocol(let name): Array("\(name.grammar.title)".utf8)
        }
    }
}

extension LengthPrefix {
    fileprivate var words: [UInt8] {
        var words = Array((width.bytes == 8 ? "an " : "a ").utf8)
        if let bytes = width.bytes {
            words.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: bytes))
            words.append(contentsOf: "-byte ".utf8)
            if bytes > 1 { words.append(contentsOf: (width.isLittleEndian ? "little-endian " : "big-endian ").utf8) }
        } else {
            words.append(contentsOf: "varint ".utf8)
        }
        words.append(contentsOf: "length".utf8)
        if offset > 0 { words.append(contentsOf: " after \(offset) \(offset == 1 ? "byte" : "bytes")".utf8) }
        if countsItself { words.append(contentsOf: " that counts itself".utf8) }
        return words
    }
}
