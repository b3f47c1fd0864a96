import Dissection

// Which bytes of a piece cannot stand in a JSON string as they are: the quote, the backslash, controls, DEL and everything that is not
// ASCII. The top bit of each such byte is set, and no other.
//
// Without their top bits no byte can carry into the next: a sum has its top bit set unless the byte is the one asked for. Comparisons of
// vectors would say the same, but are made byte by byte by the compiler that we use.

/// Of eight bytes.
@inline(__always)
func specials(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let low = ones &* 0x7f
    let ascii = word & low
    let isOther = ((ascii ^ ones &* 0x22) &+ low) & ((ascii ^ ones &* 0x5c) &+ low) & ((ascii ^ low) &+ low)
    let isPrintable = ascii &+ ones &* 0x60
    return (~(isOther & isPrintable) | word) & ~low
}

/// Of sixteen bytes: quotes and backslashes, for which a backslash before them will do, and the others.
@inline(__always)
func specials(in block: SIMD16<UInt8>) -> (quotes: SIMD16<UInt8>, others: SIMD16<UInt8>) {
    let low = SIMD16<UInt8>(repeating: 0x7f)
    let top = SIMD16<UInt8>(repeating: 0x80)
    let ascii = block & low
    let isNoQuote = ((ascii ^ SIMD16(repeating: 0x22)) &+ low) & ((ascii ^ SIMD16(repeating: 0x5c)) &+ low)
    let isPlain = ((ascii ^ low) &+ low) & (ascii &+ SIMD16(repeating: 0x60))
    return (~(isNoQuote | block) & top, (~isPlain | block) & top)
}

/// Whether any bit is set.
@inline(__always)
func isAny(_ block: SIMD16<UInt8>) -> Bool {
    let words = block.words
    return words.low | words.high != 0
}

/// The top bits of sixteen bytes side by side, the first one lowest. No other bits are set in them.
@inline(__always)
func bits(_ block: SIMD16<UInt8>) -> UInt32 {
    let words = block.words
    // Each multiplication adds up eight bits, moved to where each belongs, in the highest byte.
    let first = ((words.low >> 7) &* 0x0102_0408_1020_4080) >> 56
    let second = ((words.high >> 7) &* 0x0102_0408_1020_4080) >> 56
    return UInt32(truncatingIfNeeded: first | second << 8)
}
