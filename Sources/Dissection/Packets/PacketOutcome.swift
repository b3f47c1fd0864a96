/// What decoding one captured packet came to.
package enum PacketOutcome: Sendable {
    /// A whole TCP segment, or as much of it as was captured.
    case segment(SegmentHeader)
    /// Nothing for TCP; counted under the reason.
    case skipped(SkipReason)
}

/// The header of one TCP segment and where its payload lies (RFC 9293, section 3.1).
package struct SegmentHeader: Sendable {
    package var source: Endpoint
    package var destination: Endpoint
    /// Tells networks apart that use the same addresses: derived from VLAN tags and tunnel identifiers, 0 without any.
    package var scope: UInt32 = 0
    package var sequence: UInt32
    package var acknowledgement: UInt32
    package var flags: TCPFlags
    package var window: UInt16
    /// Of a SYN.
    package var windowScale = WindowScale.unknown
    /// Where the payload lies: in the captured packet's bytes, or in the decoder's `defragmented` if that is set.
    package var payload: ByteRange
    /// Payload bytes that the segment had on the wire; more than `payload.count` where the capture cut the packet.
    package var payloadLength: Int
    package var isDefragmented = false
    /// Time of this packet, and this packet with those of the earlier fragments.
    package var place: Place
}

/// The control bits of a TCP header.
package struct TCPFlags: OptionSet, Sendable {
    package var rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let fin = TCPFlags(rawValue: 0x01)
    package static let syn = TCPFlags(rawValue: 0x02)
    package static let rst = TCPFlags(rawValue: 0x04)
    package static let psh = TCPFlags(rawValue: 0x08)
    package static let ack = TCPFlags(rawValue: 0x10)
}
