/// The type of a pcapng block (draft-ietf-opsawg-pcapng section 11.1). An open set; unknown ones are passed over.
struct BlockType: RawRepresentable, Hashable, Sendable {
    var rawValue: UInt32

    static let sectionHeader = BlockType(rawValue: 0x0A0D_0D0A)
    static let interfaceDescription = BlockType(rawValue: 1)
    /// The obsolete Packet Block.
    static let packet = BlockType(rawValue: 2)
    static let simplePacket = BlockType(rawValue: 3)
    static let nameResolution = BlockType(rawValue: 4)
    static let interfaceStatistics = BlockType(rawValue: 5)
    static let enhancedPacket = BlockType(rawValue: 6)
    static let decryptionSecrets = BlockType(rawValue: 0x0A)
    /// The Process Information Block of macOS (PCAPNG_BT_PIB in pcap/pcap-ng.h of Apple's libpcap); its number is one for local use.
    static let process = BlockType(rawValue: 0x8000_0001)
    /// A Custom Block that only a program may copy which knows what is in it.
    static let customNotToCopy = BlockType(rawValue: 0x4000_0BAD)

    /// Bytes of a block before its options or records, trailing length not counted; nil for a type that is not read.
    var fixedLength: Int? {
        switch self {
        case .sectionHeader: 24
        case .interfaceDescription, .decryptionSecrets: 16
        case .packet, .enhancedPacket: 28
        case .simplePacket, .interfaceStatistics: self == .simplePacket ? 12 : 20
        case .nameResolution, .process: 8
        default: nil
        }
    }
}

/// Options that are read (draft-ietf-opsawg-pcapng section 3.5 and those of the blocks).
enum OptionCode {
    static let end: UInt16 = 0
    static let comment: UInt16 = 1
    static let interfaceName: UInt16 = 2
    static let timestampResolution: UInt16 = 9
    static let frameCheckSequenceLength: UInt16 = 13
    static let timestampOffset: UInt16 = 14
    /// Bytes of a comment at most, so that its length with padding fits in 16 bits.
    static let longestComment = 65_532
    /// Of a Process Information Block: the name of the process.
    static let processName: UInt16 = 2
    /// Of a packet: the number of the Process Information Block of its process, from 0 in its section.
    static let packetProcess: UInt16 = 0x8001
    static let statisticsReceived: UInt16 = 4
    static let statisticsInterfaceDrops: UInt16 = 5
    static let statisticsSystemDrops: UInt16 = 7
}
