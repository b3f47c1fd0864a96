import Dissection

// Sixteen bytes at a time. Of vectors' operators those that compare for being equal, with both sides of a named type, are compiled into the processor's own;
// others at times into a loop over the bytes.

extension RawSpan {
    /// The sixteen bytes from `offset` on.
    @inline(__always)
    func block(at offset: Int) -> SIMD16<UInt8> { unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self) }
}

extension SIMD16<UInt8> {
    /// The same bytes as two words, the first byte lowest.
    @inline(__always)
    var words: (low: UInt64, high: UInt64) {
        // Both are sixteen bytes without invalid patterns.
        let words = unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
        return (UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]))
    }
}

extension SIMDMask<SIMD16<Int8>> {
    /// The first lane that is set.
    @inline(__always)
    var first: Int? {
        let (low, high) = words
        if low != 0 { return low.trailingZeroBitCount / 8 }
        return high != 0 ? 8 + high.trailingZeroBitCount / 8 : nil
    }

    /// The lanes as bytes in two words, the first lane lowest: all bits of a byte are set, or none.
    @inline(__always)
    var words: (low: UInt64, high: UInt64) {
        // A mask has no other bits.
        let words = unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
        return (UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]))
    }
}
