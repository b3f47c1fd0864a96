import Dissection

/// Where the next item lies in the source's buffer, and what was learnt on the way to it.
enum Located {
    case packet(LocatedPacket)
    case section
    case comment(CaptureComment.Subject, LocatedBytes)
    case process(PacketProcess, packet: UInt64)
    case secrets(SecretsType, LocatedBytes)
    case name(address: LocatedBytes, name: LocatedBytes)
    case statistics(InterfaceStatistics)
    case block(LocatedBytes)
}

/// A packet's place in the buffer.
struct LocatedPacket {
    var start: Int
    var count: Int
    var originalLength: UInt32
    var linkType: LinkType
    var time: Timestamp?
}

/// A run of bytes in the buffer.
struct LocatedBytes {
    var start: Int
    var count: Int
}
