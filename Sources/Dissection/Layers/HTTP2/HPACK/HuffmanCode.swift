// table: the lengths of all codes.

/// The Huffman code of HPACK (RFC 7541, section 5.2 and appendix B).
///
/// The code is canonical: shorter codes come first, and those of one length follow each other in the order of their symbols. So the lengths
/// say all of it.
enum HuffmanCode {
    /// Why bytes are not a string in this code.
    enum Problem: Equatable {
        /// The symbol that ends nothing stands in it.
        case endSymbol
        /// What follows the last symbol is longer than seven bits, or is not the beginning of the symbol that ends nothing.
        case padding
    }

    /// Bits of each symbol: the 256 bytes and the symbol that ends nothing (EOS).
    private static let lengths: [UInt8] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
        28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
        5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
        13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
        6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
        20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
        24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
        22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
        21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
        19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
        20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
        26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
        30,
    ]

    private static let shortest = 5
    private static let longest = 30

    /// How the codes of one length are found: those below `end`, aligned to the left of 32 bits.
    private struct Row {
        var first: UInt64 = 0
        var end: UInt64 = 0
        /// Where the symbols of the length begin in `symbols`.
        var start = 0
    }

    /// By length.
    private static let rows: [Row] = {
        var rows = [Row](repeating: Row(), count: longest + 1)
        var (code, start): (UInt64, Int) = (0, 0)
        for length in shortest...longest {
            let count = lengths.count { Int($0) == length }
            let shift = UInt64(32 - length)
            rows[length] = Row(first: code << shift, end: (code + UInt64(count)) << shift, start: start)
            code = (code + UInt64(count)) << 1
            start += count
        }
        return rows
    }()

    /// In the order of their codes.
    private static let symbols: [UInt16] = {
        (shortest...longest).flatMap { length in lengths.indices.filter { Int(lengths[$0]) == length }.map { UInt16($0) } }
    }()

    /// Appends what the bytes stand for. A byte becomes at most 8/5 of one.
    static func decode(_ bytes: RawSpan, into text: inout [UInt8]) -> Problem? {
        var (window, count): (UInt64, Int) = (0, 0)
        var position = 0
        while true {
            while count <= 56, position < bytes.byteCount {
                window |= UInt64(bytes[position]) << UInt64(56 - count)
                count += 8
                position += 1
            }
            guard count > 0 else { return nil }
            // Behind the last bit stands what padding has to go on with.
            let filled = count < 64 ? window | (UInt64.max >> UInt64(count)) : window
            let top = filled >> 32
            var length = shortest
            while length < longest, top >= rows[length].end { length += 1 }
            guard length <= count else {
                let isPadding = count < 8 && filled == .max
                return isPadding ? nil : .padding
            }
            let row = rows[length]
            let index = row.start + Int((top - row.first) >> UInt64(32 - length))
            guard index < symbols.count, symbols[index] < 256 else { return .endSymbol }
            text.append(UInt8(truncatingIfNeeded: symbols[index]))
            window <<= UInt64(length)
            count -= length
        }
    }
}
