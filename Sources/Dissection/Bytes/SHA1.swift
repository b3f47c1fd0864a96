/// SHA-1 (RFC 3174), for the Accept value of a WebSocket handshake; nothing here relies on it for security.
package struct SHA1 {
    private var state: (UInt32, UInt32, UInt32, UInt32, UInt32) = (
        0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0
    )

    private init() {}

    /// The 20 bytes of the digest.
    package static func digest(of message: [UInt8]) -> [UInt8] {
        var sha = SHA1()
        // Padding (section 4): a one bit, zeros, and the length in bits, up to whole blocks of 64 bytes.
        var padded = message
        padded.append(0x80)
        while padded.count % 64 != 56 { padded.append(0) }
        let bits = UInt64(message.count) &* 8
        for shift in stride(from: 56, through: 0, by: -8) { padded.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
        var schedule = [UInt32](repeating: 0, count: 80)
        var position = 0
        while position < padded.count {
            sha.absorb(padded.rawBytes.extracting(position..<position + 64), &schedule)
            position += 64
        }
        var digest: [UInt8] = []
        for word in [sha.state.0, sha.state.1, sha.state.2, sha.state.3, sha.state.4] {
            for shift: UInt32 in [24, 16, 8, 0] { digest.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        return digest
    }

    /// One block (section 6.1).
    private mutating func absorb(_ block: RawSpan, _ w: inout [UInt32]) {
        for t in 0..<16 { w[t] = block.bigEndianUInt32(at: t * 4) }
        for t in 16..<80 { w[t] = SHA1.rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1) }
        var (a, b, c, d, e) = state
        for t in 0..<80 {
            let (f, k): (UInt32, UInt32) =
                switch t / 20 {
                case 0: ((b & c) | (~b & d), 0x5A82_7999)
                case 1: (b ^ c ^ d, 0x6ED9_EBA1)
                case 2: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = SHA1.rotate(a, 5) &+ f &+ e &+ w[t] &+ k
            (e, d, c, b, a) = (d, c, SHA1.rotate(b, 30), a, next)
        }
        state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e)
    }

    @inline(__always)
    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
}
