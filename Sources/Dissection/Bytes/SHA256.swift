/// SHA-256 (RFC 6234), for the fingerprint of a certificate; nothing here relies on it for security.
package struct SHA256 {
    private var state: InlineArray<8, UInt32> = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]
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
    package consuming func finish() -> InlineArray<32, UInt8> {
        // Padding (section 4.1): a one bit, zeros, and the length in bits, up to whole blocks of 64 bytes.
        let bits = count &* 8
        take(0x80)
        while count & 63 != 56 { take(0) }
        for shift in stride(from: 56 as UInt64, through: 0, by: -8) { take(UInt8(truncatingIfNeeded: bits >> shift)) }
        let words = state
        return InlineArray { UInt8(truncatingIfNeeded: words[$0 / 4] >> (24 - 8 * UInt32($0 % 4))) }
    }

    @inline(__always)
    private mutating func take(_ byte: UInt8) {
        let word = Int(count >> 2 & 15)
        words[word] = words[word] << 8 | UInt32(byte)
        count &+= 1
        if count & 63 == 0 { absorb() }
    }

    /// One block (section 6.2, with sixteen words of the schedule at a time).
    private mutating func absorb() {
        var w = words
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for t in 0..<64 {
            if t >= 16 {
                let (early, late) = (w[(t &- 15) & 15], w[(t &- 2) & 15])
                let small = SHA256.rotate(early, 7) ^ SHA256.rotate(early, 18) ^ early >> 3
                let large = SHA256.rotate(late, 17) ^ SHA256.rotate(late, 19) ^ late >> 10
                w[t & 15] = w[t & 15] &+ small &+ w[(t &- 7) & 15] &+ large
            }
            let choice = (e & f) ^ (~e & g)
            let first =
                h &+ (SHA256.rotate(e, 6) ^ SHA256.rotate(e, 11) ^ SHA256.rotate(e, 25)) &+ choice &+ SHA256.constants[t] &+ w[t & 15]
            let majority = (a & b) ^ (a & c) ^ (b & c)
            let second = (SHA256.rotate(a, 2) ^ SHA256.rotate(a, 13) ^ SHA256.rotate(a, 22)) &+ majority
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] = state[index] &+ value }
    }

    @inline(__always)
    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section 5.1).
    private static let constants: InlineArray<64, UInt32> = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]
}
