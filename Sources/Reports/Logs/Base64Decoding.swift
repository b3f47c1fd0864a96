extension [UInt8] {
    /// What Base64 with padding stands for (RFC 4648, section 4); nil where it is none.
    init?(base64 letters: [UInt8]) {
        guard letters.count % 4 == 0 else { return nil }
        self = []
        reserveCapacity(letters.count / 4 * 3)
        var (bits, count, padding): (UInt32, Int, Int) = (0, 0, 0)
        for letter in letters {
            let value: UInt8
            switch letter {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = letter - 0x41
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = letter - 0x61 + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = letter - 0x30 + 52
            case UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "/"): value = 63
            case UInt8(ascii: "="):
                padding += 1
                continue
            default: return nil
            }
            guard padding == 0 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        guard padding <= 2 else { return nil }
    }
}
