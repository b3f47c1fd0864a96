import Dissection

// Addresses as text: dotted quads, and IPv6 in the canonical form of RFC 5952.

extension ByteWriter where Self: ~Copyable & ~Escapable {
    /// Appends an address; nothing where there is none.
    mutating func append(_ address: IPAddress) {
        switch address.family {
        case .none: return
        case .ipv4: append(ipv4: UInt32(truncatingIfNeeded: address.low))
        case .ipv6: append(ipv6High: address.high, low: address.low)
        }
    }

    /// Appends address and port, IPv6 in brackets (RFC 5952, section 6).
    mutating func append(_ endpoint: Endpoint) {
        switch endpoint.address.family {
        case .none:
            append("unix")
            return
        case .ipv4: append(endpoint.address)
        case .ipv6:
            append(0x5b)
            append(endpoint.address)
            append(0x5d)
        }
        append(0x3a)
        append(decimal: UInt64(endpoint.port))
    }

    private mutating func append(ipv4 bits: UInt32) {
        for shift: UInt32 in [24, 16, 8, 0] {
            if shift < 24 { append(0x2e) }
            append(decimal: UInt64(bits >> shift & 0xff))
        }
    }

    private mutating func append(ipv6High high: UInt64, low: UInt64) {
        func group(_ index: Int) -> UInt64 { (index < 4 ? high >> UInt64(48 - index * 16) : low >> UInt64(112 - index * 16)) & 0xffff }
        // An IPv4 address inside (RFC 5952, section 5).
        if high == 0, low >> 32 == 0xffff {
            append("::ffff:")
            append(ipv4: UInt32(truncatingIfNeeded: low))
            return
        }
        // The longest run of two or more zero groups is left out, the first of equals (section 4.2).
        var (longest, current) = (0..<0, 0..<0)
        for index in 0..<8 {
            current = group(index) != 0 ? index + 1..<index + 1 : current.lowerBound..<index + 1
            if current.count > longest.count, current.count >= 2 { longest = current }
        }
        var index = 0
        while index < 8 {
            if !longest.isEmpty, index == longest.lowerBound {
                append("::")
                index = longest.upperBound
                continue
            }
            if index > 0, index != longest.upperBound || longest.isEmpty { append(0x3a) }
            let value = group(index)
            append(hex: value, width: value > 0xfff ? 4 : value > 0xff ? 3 : value > 0xf ? 2 : 1)
            index += 1
        }
    }
}
