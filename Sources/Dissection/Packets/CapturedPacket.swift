/// What the first bytes of a captured packet are: a LINKTYPE_ number of the registry at tcpdump.org.
///
/// An open set: a number that we do not know stays what it is.
public struct LinkType: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt32

    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let null = LinkType(rawValue: 0)
    public static let ethernet = LinkType(rawValue: 1)
    public static let raw = LinkType(rawValue: 101)
    public static let loop = LinkType(rawValue: 108)
    public static let linuxSLL = LinkType(rawValue: 113)
    public static let ipv4 = LinkType(rawValue: 228)
    public static let ipv6 = LinkType(rawValue: 229)
    public static let linuxSLL2 = LinkType(rawValue: 276)

    /// What other formats than pcap have and the registry has no number for; above all that a pcap or pcapng file can hold.
    /// IP over InfiniBand without the route header that LINKTYPE_IPOIB begins with: snoop's type 26.
    package static let ipOverInfiniBandInSnoop = LinkType(rawValue: 0x1_0000 + 26)
    /// IEEE 802.11 behind Network Monitor's header: media type 6 of its files.
    package static let networkMonitor80211 = LinkType(rawValue: 0x2_0000 + 6)
}

/// One packet as a capture file or a network card brought it, lent for the length of one call.
public struct CapturedPacket: ~Escapable {
    /// From 1, running on through several inputs.
    public let number: UInt64
    /// Absent where the source has none (pcapng simple packets).
    public let time: Timestamp?
    public let linkType: LinkType
    /// Bytes that the packet had on the wire; `bytes` is shorter where the snapshot length cut it.
    public let originalLength: UInt32
    public let bytes: RawSpan

    @_lifetime(copy bytes)
    public init(number: UInt64, time: Timestamp?, linkType: LinkType, originalLength: UInt32, bytes: RawSpan) {
        self.number = number
        self.time = time
        self.linkType = linkType
        self.originalLength = originalLength
        self.bytes = bytes
    }
}
