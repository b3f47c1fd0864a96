import Dissection

/// Names that a capture gives for addresses, bounded.
struct AddressNames {
    private var names: [IPAddress: [UInt8]] = [:]
    private(set) var heldBytes = 0

    private static let most = 16_384
    private static let longest = 255

    var isEmpty: Bool { names.isEmpty }

    subscript(address: IPAddress) -> [UInt8] { names[address] ?? [] }

    /// Takes a name; the first one of an address counts, as it is the canonical one.
    mutating func add(_ name: RawSpan, of address: RawSpan) {
        guard names.count < AddressNames.most, let address = IPAddress(address), names[address] == nil else { return }
        var bytes: [UInt8] = []
        bytes.append(copying: name.extracting(0..<min(name.byteCount, AddressNames.longest)))
        names[address] = bytes
        heldBytes += bytes.count + 96
    }
}

extension IPAddress {
    /// 4 or 16 bytes in network order.
    fileprivate init?(_ bytes: RawSpan) {
        func number(_ range: Range<Int>) -> UInt64 { range.reduce(0) { $0 << 8 | UInt64(bytes[$1]) } }
        switch bytes.byteCount {
        case 4: self.init(ipv4: UInt32(truncatingIfNeeded: number(0..<4)))
        case 16: self.init(ipv6High: number(0..<8), low: number(8..<16))
        case _: return nil
        }
    }
}
