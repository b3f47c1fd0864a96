/// Tables that turn the next bits of a DEFLATE stream into symbols (RFC 1951, section 3.2), two levels deep.
///
/// The first level is indexed by the next `primaryBits` bits. A code that is longer leads to a second-level table in
/// the same array. An entry is
///
/// ```
/// 31            16 15   13 12      8 7        0
///  value            kind    extra     bits
/// ```
///
/// with `bits` the whole length of the code, `extra` the extra bits that follow it (of a link: the bits that index its
/// table) and `value` a literal, the base of a length or distance, a plain symbol, or where the linked table starts.
enum HuffmanTable {
    enum Kind {
        static let invalid: UInt32 = 0
        static let literal: UInt32 = 1 << 13
        static let base: UInt32 = 2 << 13
        static let endOfBlock: UInt32 = 3 << 13
        static let link: UInt32 = 4 << 13
        static let mask: UInt32 = 7 << 13
    }

    /// What the symbols of a code mean.
    enum Alphabet {
        case codeLengths
        case literals
        case distances
    }

    /// No code is longer.
    static let longestCode = 15
    static let literalBits = 10
    static let distanceBits = 8
    static let codeLengthBits = 7
    /// The most entries that complete codes of 286 and 30 symbols need with these first levels, as zlib's `enough`
    /// program counts them.
    static let literalEntries = 1_334
    static let distanceEntries = 402

    /// Writes the table for `lengths` to `table` from `origin` on, within `capacity` entries.
    ///
    /// Returns false where the lengths are no code: more codes than fit, or fewer, except for a single code of one bit
    /// (RFC 1951, section 3.2.7) and for none at all among literals and distances.
    static func build(
        _ alphabet: Alphabet, lengths: ArraySlice<UInt8>, primaryBits: Int, into table: inout [UInt32], at origin: Int, capacity: Int
    ) -> Bool {
        // How many codes of each length there are, and the first code of each length (section 3.2.2).
        var counts = SIMD16<Int32>()
        for length in lengths { counts[Int(length & 15)] += 1 }
        counts[0] = 0
        var longest = longestCode
        while longest > 0, counts[longest] == 0 { longest -= 1 }
        let primarySize = 1 << primaryBits
        guard origin >= 0, capacity >= primarySize, origin + capacity <= table.count else { return false }
        if longest == 0, case .codeLengths = alphabet { return false }
        var left = 1
        for length in 1...longestCode {
            left = left * 2 - Int(counts[length])
            if left < 0 { return false }
        }
        if left > 0 {
            if case .codeLengths = alphabet { return false }
            if longest > 1 { return false }
            // What no code claims has to be found invalid.
            for index in 0..<primarySize { table[origin + index] = Kind.invalid | 1 }
            if longest == 0 { return true }
        }
        var next = SIMD16<UInt32>()
        var code: UInt32 = 0
        for length in 1...longestCode {
            code = (code + UInt32(counts[length - 1])) << 1
            next[length] = code
        }
        // Links first: for each first-level index that long codes share, how many more bits they need.
        var used = primarySize
        if longest > primaryBits {
            for index in 0..<primarySize { table[origin + index] = 0 }
            var ahead = next
            for length in lengths where Int(length) > primaryBits {
                let bits = Int(length)
                let slot = origin + Int(reversed(ahead[bits], bits)) & (primarySize - 1)
                ahead[bits] += 1
                let more = UInt32(bits - primaryBits)
                if table[slot] >> 8 & 0x1F < more { table[slot] = Kind.link | more << 8 | UInt32(primaryBits) }
            }
            for index in 0..<primarySize where table[origin + index] & Kind.mask == Kind.link {
                let size = 1 << Int(table[origin + index] >> 8 & 0x1F)
                guard used + size <= capacity else { return false }
                table[origin + index] |= UInt32(used) << 16
                used += size
            }
        }
        var symbol = 0
        for length in lengths {
            defer { symbol += 1 }
            let bits = Int(length)
            guard bits > 0 else { continue }
            let backwards = Int(reversed(next[bits], bits))
            next[bits] += 1
            let entry = entry(alphabet, symbol) | UInt32(bits)
            if bits <= primaryBits {
                var index = backwards
                while index < primarySize {
                    table[origin + index] = entry
                    index += 1 << bits
                }
            } else {
                let link = table[origin + backwards & (primarySize - 1)]
                let start = origin + Int(link >> 16)
                let size = 1 << Int(link >> 8 & 0x1F)
                var index = backwards >> primaryBits
                while index < size {
                    table[start + index] = entry
                    index += 1 << (bits - primaryBits)
                }
            }
        }
        return true
    }

    /// A symbol's entry without the length of its code.
    private static func entry(_ alphabet: Alphabet, _ symbol: Int) -> UInt32 {
        switch alphabet {
        case .codeLengths:
            return Kind.literal | UInt32(symbol) << 16
        case .literals:
            if symbol < 256 { return Kind.literal | UInt32(symbol) << 16 }
            if symbol == 256 { return Kind.endOfBlock }
            guard symbol < 286 else { return Kind.invalid }
            if symbol == 285 { return Kind.base | 258 << 16 }
            // Section 3.2.5: eight lengths without extra bits, then four for each number of extra bits.
            let step = symbol - 257
            if step < 8 { return Kind.base | UInt32(3 + step) << 16 }
            let extra = step / 4 - 1
            return Kind.base | UInt32(extra) << 8 | UInt32(3 + (4 + step % 4) << extra) << 16
        case .distances:
            guard symbol < 30 else { return Kind.invalid }
            if symbol < 4 { return Kind.base | UInt32(1 + symbol) << 16 }
            let extra = symbol / 2 - 1
            return Kind.base | UInt32(extra) << 8 | UInt32(1 + (2 + symbol % 2) << extra) << 16
        }
    }

    /// A code with its first bit lowest, as it lies in the stream.
    @inline(__always)
    private static func reversed(_ code: UInt32, _ bits: Int) -> UInt32 {
        var (code, turned) = (code, UInt32(0))
        for _ in 0..<bits {
            turned = turned << 1 | code & 1
            code >>= 1
        }
        return turned
    }

    /// The tables of the fixed code (RFC 1951, section 3.2.6): literals, then distances.
    static let fixed: [UInt32] = {
        var table = [UInt32](repeating: 0, count: literalEntries + distanceEntries)
        let lengths =
            [UInt8](repeating: 8, count: 144) + [UInt8](repeating: 9, count: 112) + [UInt8](repeating: 7, count: 24)
            + [UInt8](repeating: 8, count: 8)
        _ = build(.literals, lengths: lengths[...], primaryBits: literalBits, into: &table, at: 0, capacity: literalEntries)
        _ = build(
            .distances, lengths: [UInt8](repeating: 5, count: 32)[...], primaryBits: distanceBits, into: &table,
            at: literalEntries, capacity: distanceEntries)
        return table
    }()
}
