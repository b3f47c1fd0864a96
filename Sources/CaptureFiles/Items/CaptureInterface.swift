import Dissection

/// What a capture says about an interface that packets came from. A pcap file has exactly one.
public struct CaptureInterface: Hashable, Sendable {
    public var linkType: LinkType
    /// Bytes of a packet that were kept at most; 0 for no limit.
    public var snapshotLength: UInt32
    /// The system's name, such as `eth0`, where the file gives one; at most 256 bytes.
    public var name: String?
    /// Ticks of the timestamps in the file.
    public var resolution: TimestampResolution
    /// Seconds to add to every timestamp (if_tsoffset).
    public var timestampOffset: Int64
    /// Bytes of frame check sequence at the end of each packet, where the file says so.
    public var frameCheckSequenceLength: Int?

    /// Bytes of memory that one takes at most while a file is read: it is kept here and as a clock, with its name.
    static var mostBytes: Int { 2 * MemoryLayout<CaptureInterface>.stride + MemoryLayout<InterfaceClock>.stride + 320 }

    public init(
        linkType: LinkType, snapshotLength: UInt32 = 0, name: String? = nil, resolution: TimestampResolution = .microseconds,
        timestampOffset: Int64 = 0, frameCheckSequenceLength: Int? = nil
    ) {
        self.linkType = linkType
        self.snapshotLength = snapshotLength
        self.name = name
        self.resolution = resolution
        self.timestampOffset = timestampOffset
        self.frameCheckSequenceLength = frameCheckSequenceLength
    }
}

/// How long one tick of a timestamp is: a negative power of 10 or of 2 of a second, as if_tsresol writes it
/// (draft-ietf-opsawg-pcapng section 4.2: the top bit chooses 2, the other seven are the exponent).
public struct TimestampResolution: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let microseconds = TimestampResolution(rawValue: 6)
    public static let nanoseconds = TimestampResolution(rawValue: 9)
}

extension LinkType {
    /// The link type that a file's number stands for. Some systems wrote their own DLT_ number in the place of the
    /// LINKTYPE_ one: 12 and 14 are raw IP, 11 is RFC 1483.
    init(inFile number: UInt32) {
        switch number {
        case 11: self.init(rawValue: 100)
        case 12, 14: self = .raw
        default: self.init(rawValue: number)
        }
    }

    /// Bytes that a packet of this link type has at most; more in a length field is damage.
    var maximumPacketLength: Int {
        switch rawValue {
        // USB (Linux, mmapped, USBPcap), D-Bus and ebHSCR carry transfers and messages larger than network frames.
        case 189, 220, 231, 249, 279: 16 << 20
        default: 262_144
        }
    }
}
