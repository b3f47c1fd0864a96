/// The character classes of HTTP/1 (RFC 9110, section 5.6.2; RFC 9112, section 2).
extension UInt8 {
    /// A character of a token: letters, digits and `!#$%&'*+-.^_`|~`.
    @inline(__always)
    package var isTokenCharacter: Bool {
        // One bit for each of the 128 ASCII characters.
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        if self < 64 { return low >> UInt64(self) & 1 == 1 }
        return self < 128 && high >> UInt64(self & 63) & 1 == 1
    }
}

extension RawSpan {
    /// Whether the bytes of `range` and those of `otherRange` in `other` are the same letters, in any case.
    func equals(_ other: RawSpan, _ otherRange: ByteRange, in range: ByteRange) -> Bool {
        guard range.count == otherRange.count else { return false }
        for index in 0..<range.count {
            if self[range.start + index].lowercased != other[otherRange.start + index].lowercased { return false }
        }
        return true
    }

    /// Whether the bytes of `range` are the beginning of `text`, which is in small letters, in any case.
    func isPrefix(of text: StaticString, in range: Range<Int>) -> Bool {
        guard range.count <= text.utf8CodeUnitCount else { return false }
        // A static string has as many bytes as it says.
        for (index, position) in range.enumerated() where unsafe self[position].lowercased != text.utf8Start[index] { return false }
        return true
    }

    /// The first `byte` from `start` on and before `end`, eight bytes at a time.
    @inline(__always)
    func firstIndex(of byte: UInt8, from start: Int, to end: Int) -> Int? {
        var index = start
        let pattern = UInt64(byte) &* 0x0101_0101_0101_0101
        while index &+ 8 <= end {
            let word = UInt64(littleEndian: nativeInteger(at: index, as: UInt64.self)) ^ pattern
            let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
            if zeros != 0 { return index &+ zeros.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < end {
            if self[index] == byte { return index }
            index &+= 1
        }
        return nil
    }

    /// Without spaces, tabs and the line ends of folds at either end. Other control characters are not blanks: NUL and VT belong to what
    /// they stand beside, and make another name or value of it.
    package func trimming(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self[start].isBlankOrLineEnd { start += 1 }
        while end > start, self[end - 1].isBlankOrLineEnd { end -= 1 }
        return start..<end
    }
}

/// The elements of a comma-separated list (RFC 9110, section 5.6.1), without the whitespace around them; empty ones,
/// which a recipient ignores, are left out.
package struct ListElements: ~Escapable {
    private let content: RawSpan
    private var position: Int
    private let end: Int

    /// - Parameter range: where the list lies in `content`.
    @_lifetime(copy content)
    package init(in content: RawSpan, at range: ByteRange) {
        self.content = content
        position = range.start
        end = range.end
    }

    /// The next element, or none at the end.
    package mutating func next() -> Range<Int>? {
        while position < end {
            let start = position
            let comma = content.firstIndex(of: UInt8(ascii: ","), from: start, to: end) ?? end
            position = comma + 1
            let element = content.trimming(start..<comma)
            if !element.isEmpty { return element }
        }
        return nil
    }
}
