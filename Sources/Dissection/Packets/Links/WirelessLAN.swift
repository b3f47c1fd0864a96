extension PacketRemainder {
    /// An IEEE 802.11 data frame (IEEE 802.11, 9.3.2), its payload LLC with SNAP.
    ///
    /// Management and control frames hold nothing for IP; a protected frame is encrypted. Of an A-MSDU (9.3.2.2.2) the
    /// first of the frames in it is read. Fragments of this layer are not put together.
    /// - Parameter isPadded: The header is filled up to a multiple of four bytes, as some cards do it.
    mutating func ieee80211(_ bytes: RawSpan, isPadded: Bool) -> Step {
        if let lack = lack(of: 2) { return lack }
        let (control, flags) = (bytes[start], bytes[start + 1])
        guard control & 0x03 == 0 else { return .skip(.damaged) }
        let subtype = control >> 4
        // Type 2 is data; bit 2 of the subtype marks frames without payload.
        guard control & 0x0C == 0x08, subtype & 0x4 == 0 else { return .skip(.linkControl) }
        let isQoS = subtype & 0x8 != 0
        var headerLength = 24
        if flags & 0x03 == 0x03 { headerLength += 6 }
        let qosOffset = headerLength
        if isQoS {
            headerLength += 2
            if flags & 0x80 != 0 { headerLength += 4 }
        }
        if isPadded { headerLength = (headerLength + 3) & ~3 }
        if let lack = lack(of: headerLength) { return lack }
        if flags & 0x40 != 0 { return .skip(.tunnel) }
        // More fragments to come, or not the first one; the sequence control field has the byte order of Intel.
        if flags & 0x04 != 0 || bytes[start + 22] & 0x0F != 0 { return .skip(.fragment) }
        let isAggregate = isQoS && bytes[start + qosOffset] & 0x80 != 0
        start += headerLength
        guard isAggregate else { return llc(bytes) }
        if let lack = lack(of: 14) { return lack }
        let length = Int(bytes.bigEndianUInt16(at: start + 12))
        start += 14
        limit(toLength: length)
        return llc(bytes)
    }

    /// Radiotap (radiotap.org): version, length, bitmap of the fields present, fields; little-endian throughout.
    mutating func radiotap(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 8) { return lack }
        let length = Int(bytes.bigEndianUInt16(at: start + 2).byteSwapped)
        guard bytes[start] == 0, length >= 8 else { return .skip(.damaged) }
        if let lack = lack(of: length) { return lack }
        let flags = radiotapFlags(bytes, length: length)
        start += length
        // 0x40: the frame arrived with a bad check sequence.
        if flags & 0x40 != 0 { return .skip(.damaged) }
        // 0x10: the frame's check sequence is part of it.
        if flags & 0x10 != 0 { limit(toLength: max(wireCount - 4, 0)) }
        return ieee80211(bytes, isPadded: flags & 0x20 != 0)
    }

    /// The flags field: the second of the fields, after a time of 8 bytes that is aligned to 8.
    private func radiotapFlags(_ bytes: RawSpan, length: Int) -> UInt8 {
        let present = bytes.bigEndianUInt32(at: start + 4).byteSwapped
        guard present & 0x2 != 0 else { return 0 }
        var offset = 8
        // Bit 31 says that one more bitmap follows.
        var bitmap = present
        while bitmap & 0x8000_0000 != 0 {
            guard offset + 4 <= length else { return 0 }
            bitmap = bytes.bigEndianUInt32(at: start + offset).byteSwapped
            offset += 4
        }
        if present & 0x1 != 0 { offset = ((offset + 7) & ~7) + 8 }
        return offset < length ? bytes[start + offset] : 0
    }

    /// Prism: code and length in the order of the machine that captured; or AVS, which cards of this kind also bring.
    mutating func prism(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 8) { return lack }
        if bytes.bigEndianUInt32(at: start) & 0xFFFF_F000 == 0x8021_1000 { return avs(bytes) }
        var length = bytes.bigEndianUInt32(at: start + 4)
        if length > 0xFFFF { length = length.byteSwapped }
        return skipHeader(length, bytes)
    }

    /// AVS: magic number and length in network order.
    mutating func avs(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 8) { return lack }
        return skipHeader(bytes.bigEndianUInt32(at: start + 4), bytes)
    }

    private mutating func skipHeader(_ length: UInt32, _ bytes: RawSpan) -> Step {
        guard length >= 8, length <= 0xFFFF else { return .skip(.damaged) }
        if let lack = lack(of: Int(length)) { return lack }
        start += Int(length)
        return ieee80211(bytes, isPadded: false)
    }
}
