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
        for index in 0..<bytes.byteCount { take(bytes[index]) }
    }

    /// The digest.
    package consuming func finish() -> InlineArray<20, UInt8> {
        // Padding (section 4): a one bit, zeros, and the length in bits, up to whole blocks of 64 bytes.
        let bits = count &* 8
        take(0x80)
        while count & 63 != 56 { take(0) }
        for shift in stride(from: 56 as UInt64, through: 0, by: -8) { take(UInt8(truncatingIfNeeded: bits >> shift)) }
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

    /// One block (section 6.1, with the sixteen words of section 6.2).
    private mutating func absorb() {
        var w = words
        var (a, b, c, d, e) = state
        @inline(__always)
        func rounds(_ range: Range<Int>, _ constant: UInt32, _ mix: (UInt32, UInt32, UInt32) -> UInt32) {
            for t in range {
                if t >= 16 {
                    let mixed = w[(t &- 3) & 15] ^ w[(t &- 8) & 15] ^ w[(t &- 14) & 15] ^ w[t & 15]
                    w[t & 15] = SHA1.rotate(mixed, 1)
                }
                let next = SHA1.rotate(a, 5) &+ mix(b, c, d) &+ e &+ w[t & 15] &+ constant
                (e, d, c, b, a) = (d, c, SHA1.rotate(b, 30), a, next)
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
