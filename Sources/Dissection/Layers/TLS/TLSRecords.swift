/// How the beginning of a TLS connection is recognised (RFC 8446, section 5.1).
package enum TLSRecords {
    /// Whether the bytes begin with a handshake record whose first message is of `type` (1 ClientHello, 2 ServerHello).
    package static func beginsWithHello(_ bytes: RawSpan, type: UInt8) -> Recognized {
        let count = bytes.byteCount
        if count > 0, bytes[0] != 0x16 { return .no }
        if count > 1, bytes[1] != 3 { return .no }
        if count > 2, bytes[2] > 4 { return .no }
        if count > 4 {
            let length = bytes.bigEndianUInt16(at: 3)
            if length < 4 || length > 16_640 { return .no }
        }
        if count > 5, bytes[5] != type { return .no }
        // A hello is shorter than 64 KiB: the first byte of its 24-bit length is zero.
        if count > 6, bytes[6] != 0 { return .no }
        return count > 6 ? .yes : .undecided
    }
}
