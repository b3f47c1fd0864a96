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
        let blocks = (message.count + 8) / 64 + 1
        var padded: [UInt8] = []
        padded.reserveCapacity(blocks * 64)
        padded.append(contentsOf: message)
        padded.append(0x80)
        padded.append(contentsOf: repeatElement(0, count: blocks * 64 - 8 - padded.count))
        let bits = UInt64(message.count) &* 8
        for shift in stride(from: 56, through: 0, by: -8) { padded.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
        var schedule = [UInt32](repeating: 0, count: 80)
        for block in 0..<blocks { sha.absorb(padded.rawBytes.extracting(block * 64..<block * 64 + 64), &schedule) }
        var digest: [UInt8] = []
        digest.reserveCapacity(20)
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
        @inline(__always)
        func rounds(_ range: Range<Int>, _ constant: UInt32, _ mix: (UInt32, UInt32, UInt32) -> UInt32) {
            for t in range {
                let next = SHA1.rotate(a, 5) &+ mix(b, c, d) &+ e &+ w[t] &+ constant
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
