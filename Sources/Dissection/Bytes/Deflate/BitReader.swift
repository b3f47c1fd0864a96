/// The next bits of a DEFLATE stream, lowest first (RFC 1951, section 3.1.1), read ahead up to 63 of them.
struct BitReader {
    /// The bits that were read ahead, the next one lowest. Above `count` there may be bits of the bytes that follow in
    /// the same input; reading these bytes later sets the same bits.
    private(set) var buffer: UInt64 = 0
    private(set) var count = 0

    /// Reads ahead as much as the input has, at least 56 bits where it has them.
    @inline(__always)
    mutating func refill(_ input: RawSpan, _ position: inout Int) {
        if position + 8 <= input.byteCount {
            buffer |= UInt64(littleEndian: input.nativeInteger(at: position, as: UInt64.self)) << UInt64(count)
            position += (63 - count) >> 3
            count |= 56
        } else {
            while count < 56, position < input.byteCount {
                buffer |= UInt64(input[position]) << UInt64(count)
                position += 1
                count += 8
            }
        }
    }

    /// The next bits; zeros, or those of bytes that follow, beyond `count`.
    @inline(__always)
    func peek(_ bits: Int) -> UInt64 { buffer & ((1 << UInt64(bits)) &- 1) }

    /// Takes at most `count` bits.
    @inline(__always)
    mutating func take(_ bits: Int) -> UInt64 {
        let value = peek(bits)
        drop(bits)
        return value
    }

    @inline(__always)
    mutating func drop(_ bits: Int) {
        buffer &>>= UInt64(bits)
        count &-= bits
    }

    /// Leaves out the bits up to the next byte boundary.
    mutating func dropToByte() { drop(count & 7) }
}
