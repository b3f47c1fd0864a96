/// Why a packet has nothing for TCP. The raw value is the key in the log's `end.skipped`.
public enum SkipReason: String, Sendable, CaseIterable {
    case udp
    /// UDP whose payload is a QUIC packet.
    case quic
    case icmp
    case arp
    case sctp
    /// Another protocol above IP.
    case ipProtocol
    /// Another protocol above the link layer.
    case etherType
    /// A frame with nothing for IP: IEEE 802.11 management and control, spanning tree, …
    case linkControl
    /// A tunnel that is encrypted or not known.
    case tunnel
    /// A link type that is not known.
    case linkType
    /// A fragment that waits for the others, or whose others never came.
    case fragment
    /// A header that contradicts itself.
    case damaged
    /// The capture cut the packet before the end of its headers, TCP options not counted.
    case truncated
    /// Payload for a conversation that had closed: retransmitted, or behind a RST.
    case afterClose

    /// The position in `allCases`, for counters.
    package var index: Int {
        switch self {
        case .udp: 0
        case .quic: 1
        case .icmp: 2
        case .arp: 3
        case .sctp: 4
        case .ipProtocol: 5
        case .etherType: 6
        case .linkControl: 7
        case .tunnel: 8
        case .linkType: 9
        case .fragment: 10
        case .damaged: 11
        case .truncated: 12
        case .afterClose: 13
        }
    }
}
