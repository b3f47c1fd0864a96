extension IPAddress {
    /// An address in text: four decimal numbers, or the colon form of RFC 4291 (section 2.2), with or without an IPv4 address
    /// at its end. None for anything else, a zone (`%eth0`) and leading zeros (`010.0.0.1`, which some read as octal) included.
    package init?(text: some StringProtocol) {
        let bytes = Array(text.utf8)
        if bytes.contains(UInt8(ascii: ":")) {
            guard let (high, low) = IPAddress.ipv6(bytes[...]) else { return nil }
            self.init(ipv6High: high, low: low)
        } else {
            guard let bits = IPAddress.ipv4(bytes[...]) else { return nil }
            self.init(ipv4: bits)
        }
    }

    /// From four or sixteen bytes in network order; none from any other number of them.
    package init?(networkBytes bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self.init(ipv4: bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16:
            let high = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            self.init(ipv6High: high, low: bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        default: return nil
        }
    }

    /// The address in text, IPv6 in the canonical form of RFC 5952 without an IPv4 address at its end; empty where there is none.
    package var literal: String {
        let bytes = networkBytes
        guard bytes.count == 16 else { return bytes.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        // The longest run of two or more zeros is left out, the first of equals (section 4.2).
        var (longest, current) = (0..<0, 0..<0)
        for (index, group) in groups.enumerated() {
            current = group != 0 ? index + 1..<index + 1 : current.lowerBound..<index + 1
            if current.count > longest.count, current.count >= 2 { longest = current }
        }
        func text(_ range: Range<Int>) -> String { groups[range].map { String($0, radix: 16) }.joined(separator: ":") }
        return longest.isEmpty ? text(0..<8) : text(0..<longest.lowerBound) + "::" + text(longest.upperBound..<8)
    }

    /// The bytes in network order: four, sixteen, or none.
    package var networkBytes: [UInt8] {
        switch family {
        case .none: []
        case .ipv4: (0..<4).map { UInt8(truncatingIfNeeded: low >> (24 - 8 * UInt64($0))) }
        case .ipv6: [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * UInt64($0))) } }
        }
    }

    /// Whether nobody but this machine can reach it: 127.0.0.0/8, `::1`, and the former inside IPv6 (RFC 4291, section 2.5.5.2).
    package var isLoopback: Bool {
        switch family {
        case .none: false
        case .ipv4: low >> 24 == 127
        case .ipv6: high == 0 && (low == 1 || low >> 24 == 0xFFFF_7F)
        }
    }

    private static func ipv4(_ text: ArraySlice<UInt8>) -> UInt32? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bits: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            var number: UInt32 = 0
            for byte in part {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                number = number * 10 + UInt32(byte - UInt8(ascii: "0"))
            }
            guard number < 256 else { return nil }
            bits = bits << 8 | number
        }
        return bits
    }

    private static func ipv6(_ text: ArraySlice<UInt8>) -> (UInt64, UInt64)? {
        guard (2...45).contains(text.count) else { return nil }
        var parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var tail: [UInt16] = []
        if let last = parts.last, last.contains(UInt8(ascii: ".")) {
            guard let bits = ipv4(last) else { return nil }
            tail = [UInt16(truncatingIfNeeded: bits >> 16), UInt16(truncatingIfNeeded: bits)]
            parts.removeLast()
        }
        // Two colons at an end leave two empty parts there, of which one is enough; one colon leaves one, which is an error.
        if parts.first?.isEmpty == true {
            guard parts.count > 1, parts[1].isEmpty else { return nil }
            parts.removeFirst()
        }
        if tail.isEmpty, parts.count > 1, parts.last?.isEmpty == true {
            guard parts[parts.count - 2].isEmpty else { return nil }
            parts.removeLast()
        }
        guard parts.count <= 8 else { return nil }
        var before: [UInt16] = []
        var after: [UInt16]?
        for part in parts {
            if part.isEmpty {
                guard after == nil else { return nil }
                after = []
                continue
            }
            guard let word = UInt16(hexadecimal: Array(part).rawBytes) else { return nil }
            if after == nil { before.append(word) } else { after?.append(word) }
        }
        var words = before
        if let after {
            let given = before.count + after.count + tail.count
            guard given < 8 else { return nil }
            words += [UInt16](repeating: 0, count: 8 - given) + after
        }
        words += tail
        guard words.count == 8 else { return nil }
        let high = words[..<4].reduce(UInt64(0)) { $0 << 16 | UInt64($1) }
        let low = words[4...].reduce(UInt64(0)) { $0 << 16 | UInt64($1) }
        return (high, low)
    }
}
