/// SHA-1 (RFC 3174), for the Accept value of a WebSocket handshake and the identifiers of keys in certificates; nothing here relies on it for security.
package struct SHA1 {
    private var state: (UInt32, UInt32, UInt32, UInt32, UInt32) = (
        0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0
    )
    /// The words of the block that is not full yet.
    private var words = InlineArray<16, UInt32>(repeating: 0)
    /// Bytes that were taken, modulo 2^64.
    private var count: UInt64 = 0

    package init() {}

    /// Takes the next bytes of the message.
    package mutating func update(_ bytes: RawSpan) {
        var position = 0
        while position < bytes.byteCount {
            if count & 3 == 0, bytes.byteCount - position >= 4 {
                take(word: bytes.bigEndianUInt32(at: position))
                position += 4
            } else {
                take(bytes[position])
                position += 1
            }
        }
    }

    /// The digest.
    package consuming func finish() -> InlineArray<20, UInt8> {
        // Padding (section 4): a one bit, zeros, and the length in bits, up to whole blocks of 64 bytes.
        let bits = count &* 8
        take(0x80)
        while count & 3 != 0 { take(0) }
        while count & 63 != 56 { take(word: 0) }
        take(word: UInt32(truncatingIfNeeded: bits >> 32))
        take(word: UInt32(truncatingIfNeeded: bits))
        let words: InlineArray<5, UInt32> = [state.0, state.1, state.2, state.3, state.4]
        return InlineArray { UInt8(truncatingIfNeeded: words[$0 / 4] >> (24 - 8 * UInt32($0 % 4))) }
    }

    @inline(__always)
    private mutating func take(_ byte: UInt8) {
        let word = Int(count >> 2 & 15)
        words[word] = words[word] << 8 | UInt32(byte)
        count &+= 1
        if count & 63 == 0 { absorb() }
    }

    /// Takes four bytes, where the last word is whole.
    @inline(__always)
    private mutating func take(word: UInt32) {
        words[Int(count >> 2 & 15)] = word
        count &+= 4
        if count & 63 == 0 { absorb() }
    }

    /// One block (section 6.1).
    private mutating func absorb() {
        var w = InlineArray<80, UInt32>(repeating: 0)
        for t in 0..<16 { w[t] = words[t] }
        for t in 16..<80 { w[t] = SHA1.rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1) }
        var (a, b, c, d, e) = state
        // Five at a time: then each variable has its own role again, and none is moved.
        @inline(__always)
        func rounds(_ range: Range<Int>, _ constant: UInt32, _ mix: (UInt32, UInt32, UInt32) -> UInt32) {
            @inline(__always)
            func round(_ t: Int, _ a: UInt32, _ b: inout UInt32, _ c: UInt32, _ d: UInt32, _ e: inout UInt32) {
                e = SHA1.rotate(a, 5) &+ mix(b, c, d) &+ e &+ w[t] &+ constant
                b = SHA1.rotate(b, 30)
            }
            for t in stride(from: range.lowerBound, to: range.upperBound, by: 5) {
                round(t, a, &b, c, d, &e)
                round(t + 1, e, &a, b, c, &d)
                round(t + 2, d, &e, a, b, &c)
                round(t + 3, c, &d, e, a, &b)
                round(t + 4, b, &c, d, e, &a)
            }
        }
        rounds(0..<20, 0x5A82_7999) { ($0 & $1) | (~$0 & $2) }
        rounds(20..<40, 0x6ED9_EBA1) { $0 ^ $1 ^ $2 }
        rounds(40..<60, 0x8F1B_BCDC) { ($0 & $1) | ($0 & $2) | ($1 & $2) }
        rounds(60..<80, 0xCA62_C1D6) { $0 ^ $1 ^ $2 }
        state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e)
    }

    @inline(__always)
    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
}
