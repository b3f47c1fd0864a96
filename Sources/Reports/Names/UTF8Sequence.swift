import Dissection

/// The character that begins at a place in UTF-8 text (RFC 3629, section 4).
struct UTF8Sequence {
    enum Kind {
        /// One character of `length` bytes.
        case whole
        /// The bytes end in the middle of what may be a character.
        case unfinished
        /// No character begins like this.
        case invalid
    }

    var kind: Kind
    /// Bytes, 1 to 4; 1 where there is no whole character.
    var length: Int
    /// The character's number; 0 where there is none.
    var scalar: UInt32

    private init(_ kind: Kind, length: Int = 1, scalar: UInt32 = 0) {
        self.kind = kind
        self.length = length
        self.scalar = scalar
    }

    /// Reads the character at `start`, which lies in the bytes.
    @inline(__always)
    init(_ bytes: RawSpan, at start: Int) {
        let first = bytes[start]
        if first < 0x80 {
            self.init(.whole, scalar: UInt32(first))
            return
        }
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xbf
        switch first {
        case 0xc2...0xdf: length = 2
        case 0xe0:
            length = 3
            second = 0xa0...0xbf  // shorter forms exist below
        case 0xed:
            length = 3
            second = 0x80...0x9f  // surrogates above
        case 0xe1...0xef: length = 3
        case 0xf0:
            length = 4
            second = 0x90...0xbf
        case 0xf1...0xf3: length = 4
        case 0xf4:
            length = 4
            second = 0x80...0x8f  // nothing beyond U+10FFFF
        default:
            self.init(.invalid)
            return
        }
        let available = min(length, bytes.byteCount - start)
        var scalar = UInt32(first) & (0x7f >> UInt32(length))
        for position in 1..<max(1, available) {
            let byte = bytes[start + position]
            guard position == 1 ? second ~= byte : 0x80...0xbf ~= byte else {
                self.init(.invalid)
                return
            }
            scalar = scalar << 6 | UInt32(byte & 0x3f)
        }
        if available < length {
            self.init(.unfinished)
        } else {
            self.init(.whole, length: length, scalar: scalar)
        }
    }
}

extension RawSpan {
    /// Whether every byte is one of text in UTF-8.
    package var isUTF8: Bool {
        var validator = UTF8Validator()
        return validator.check(self) == nil && validator.isComplete
    }
}
