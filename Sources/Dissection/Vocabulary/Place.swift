/// The lowest and the highest number of the packets that carried something; others may lie between.
///
/// Packets are numbered from 1, as Wireshark does, running on through several files.
public struct PacketRange: Hashable, Sendable {
    public var lowest: UInt64
    public var highest: UInt64

    @inlinable
    public init(_ packet: UInt64) {
        lowest = packet
        highest = packet
    }

    @inlinable
    public init(lowest: UInt64, highest: UInt64) {
        self.lowest = lowest
        self.highest = highest
    }

    /// Takes in the packets of `other` as well.
    @inlinable
    public mutating func formUnion(_ other: PacketRange) {
        if other.lowest < lowest { lowest = other.lowest }
        if other.highest > highest { highest = other.highest }
    }
}

/// When and in which packets something came: the time of its last byte, and every packet that carried a byte of it.
public struct Place: Hashable, Sendable {
    /// The arrival of the packet or socket read that brought the last byte; none where the source has no clock.
    public var time: Timestamp?
    /// The packets; none for a live proxy.
    public var packets: PacketRange?
    /// How much of the other side's stream the sender had when it sent the last byte: a position in that stream modulo 2^32, its FIN
    /// counted as one byte. 0 where nothing is known.
    @usableFromInline package var received: UInt32 = 0

    @inlinable
    public init(time: Timestamp? = nil, packets: PacketRange? = nil) {
        self.time = time
        self.packets = packets
    }

    /// Whether the sender had the byte at `offset` of the other side's stream.
    package func hasReceived(_ offset: UInt64) -> Bool {
        let ahead = Int32(bitPattern: received &- UInt32(truncatingIfNeeded: offset))
        return ahead > 0
    }

    /// Extends the place of an element by the place of its next bytes: their time, and the packets of both.
    @inlinable
    public mutating func extend(by next: Place) {
        time = next.time
        received = next.received
        guard let added = next.packets else { return }
        if packets == nil { packets = added } else { packets?.formUnion(added) }
    }
}
