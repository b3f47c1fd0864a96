/// The character classes of ASCII that several formats share. What one protocol alone has stands beside it.
extension UInt8 {
    /// A decimal digit.
    @inlinable @inline(__always)
    package var isDigit: Bool { self &- 0x30 < 10 }

    /// A letter of ASCII.
    @inlinable @inline(__always)
    package var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    /// A letter of ASCII or a decimal digit.
    @inlinable @inline(__always)
    package var isLetterOrDigit: Bool { isLetter || isDigit }

    /// A space or a tab.
    @inlinable @inline(__always)
    package var isSpaceOrTab: Bool { self == 0x20 || self == 0x09 }

    /// A space, a tab, or a byte of a line end: the white space of HTTP/1 and of JSON (RFC 8259, section 2).
    @inlinable @inline(__always)
    package var isBlankOrLineEnd: Bool { isSpaceOrTab || self == 0x0D || self == 0x0A }

    /// An ASCII capital as a small letter; any other byte as it is.
    @inlinable @inline(__always)
    package var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// The value of a hexadecimal digit.
    @inlinable @inline(__always)
    package var hexValue: UInt8? {
        if isDigit { return self &- 0x30 }
        let letter = lowercased &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }
}

extension RawSpan {
    /// Whether the bytes of `range` are `text`, which is in small letters, in any case.
    @inline(__always)
    package func equals(_ text: StaticString, in range: Range<Int>) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        return hasPrefix(text, at: range.lowerBound)
    }

    /// Whether `text`, which is in small letters, stands at `position`, in any case.
    @inline(__always)
    package func hasPrefix(_ text: StaticString, at position: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard position >= 0, position <= byteCount, byteCount - position >= length else { return false }
        // A static string has as many bytes as it says.
        let start = unsafe UnsafeRawPointer(text.utf8Start)
        var index = 0
        while length - index >= 8 {
            let expected = unsafe start.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if nativeInteger(at: position + index, as: UInt64.self).lowercasedBytes != expected { return false }
            index += 8
        }
        while index < length {
            if unsafe self[position + index].lowercased != start.load(fromByteOffset: index, as: UInt8.self) { return false }
            index += 1
        }
        return true
    }
}

extension UInt64 {
    /// Eight bytes with the ASCII capitals among them as small letters.
    @inline(__always)
    fileprivate var lowercasedBytes: UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let (low, top) = (ones &* 0x7F, ones &* 0x80)
        let ascii = self & low
        // The top bit of a byte that is at least `A`, and of one that is beyond `Z`.
        let (isFromA, isBeyondZ) = (ascii &+ ones &* 0x3F, ascii &+ ones &* 0x25)
        let isCapital = isFromA & ~isBeyondZ & ~self & top
        return self | isCapital >> 2
    }
}
