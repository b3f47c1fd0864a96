import Dissection

// Values of records as text alone, as the log has them inside of its JSON.

extension Finding {
    /// The sentence of `detail`, in UTF-8: a text that is none is read as Latin-1.
    package func sentence(about content: RawSpan) -> [UInt8] {
        var buffer = OutputBuffer(capacity: 256)
        var sentence = FindingSentence(self)
        while let piece = sentence.next() {
            switch piece {
            case .literal(let words): buffer.append(words)
            case .number(let value): buffer.append(decimal: value)
            case .reservedBits(let value): buffer.append(reservedBits: value)
            case .hex(let value):
                buffer.append("0x")
                buffer.append(hex: value)
            case .text: if content.isUTF8 { buffer.append(content) } else { buffer.append(content.fromLatin1.rawBytes) }
            }
        }
        return buffer.bytes.copy
    }
}

extension RawSpan {
    /// Bytes of which each is a character of Latin-1, in UTF-8.
    package var fromLatin1: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(byteCount * 2)
        for index in 0..<byteCount {
            let byte = self[index]
            if byte < 0x80 {
                text.append(byte)
            } else {
                text.append(0xc0 | byte >> 6)
                text.append(0x80 | byte & 0x3f)
            }
        }
        return text
    }
}

/// Nanoseconds as seconds: at most 9 decimal places, zeros at the end dropped.
package func secondsText(_ nanoseconds: Int64) -> [UInt8] {
    var buffer = OutputBuffer(capacity: 64)
    buffer.append(secondsOf: nanoseconds)
    return buffer.bytes.copy
}
