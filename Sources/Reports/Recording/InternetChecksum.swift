import Dissection

/// The checksum of IP and TCP (RFC 1071): the one's complement of the one's complement sum of 16-bit words.
struct InternetChecksum {
    /// The sum of what was added, as numbers of 64 bits that are folded at the end; their order in memory does not matter.
    private var sum: UInt64 = 0

    /// Adds bytes that begin at an even position.
    mutating func add(_ bytes: RawSpan) {
        var position = 0
        // Two halves of 32 bits each: 2^32 of them fit in the sum before it could overflow.
        while position + 8 <= bytes.byteCount {
            let word = bytes.nativeInteger(at: position, as: UInt64.self)
            sum &+= word & 0xFFFF_FFFF
            sum &+= word >> 32
            position += 8
        }
        var rest: UInt64 = 0
        for index in position..<bytes.byteCount { rest |= UInt64(bytes[index]) << UInt64((index - position) * 8) }
        let word = UInt64(littleEndian: rest)
        sum &+= word & 0xFFFF_FFFF
        sum &+= word >> 32
    }

    /// Adds a number of 16 bits.
    mutating func add(_ value: UInt16) { sum &+= UInt64(value.bigEndian) }

    /// The checksum of everything added, as its number.
    var value: UInt16 {
        var folded = sum
        while folded > 0xFFFF { folded = (folded & 0xFFFF) + (folded >> 16) }
        return ~UInt16(truncatingIfNeeded: folded).bigEndian
    }
}
