/// An IPv4 or IPv6 address, or none (a Unix socket).
public struct IPAddress: Hashable, Sendable {
    public enum Family: UInt8, Sendable {
        case none
        case ipv4
        case ipv6
    }

    public let family: Family
    /// The address in network order, read as a number: 32 bits in `low` for IPv4, 128 in `high` and `low` for IPv6.
    public let high: UInt64
    public let low: UInt64

    @inlinable
    public init() {
        family = .none
        high = 0
        low = 0
    }

    @inlinable
    public init(ipv4 bits: UInt32) {
        family = .ipv4
        high = 0
        low = UInt64(bits)
    }

    @inlinable
    public init(ipv6High high: UInt64, low: UInt64) {
        family = .ipv6
        self.high = high
        self.low = low
    }

    /// The IPv4 address that an IPv6 address of the form `::ffff:a.b.c.d` stands for (RFC 4291, section 2.5.5.2); any
    /// other address as it is.
    @inlinable
    public var unmapped: IPAddress {
        guard family == .ipv6, high == 0, low >> 32 == 0xFFFF else { return self }
        return IPAddress(ipv4: UInt32(truncatingIfNeeded: low))
    }
}

/// Where one side of a conversation is reached.
public struct Endpoint: Hashable, Sendable {
    public var address: IPAddress
    public var port: UInt16

    @inlinable
    public init(address: IPAddress, port: UInt16) {
        self.address = address
        self.port = port
    }
}
