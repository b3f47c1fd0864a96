import Dissection

/// What a capture holds, one after the other, lent until the next call to the reader.
public enum CaptureItem: ~Escapable {
    /// A packet.
    case packet(CapturedPacket)
    /// Another section begins: a capture that was put after this one. Not told of the first one.
    case section
    /// A comment that somebody wrote into the capture; one on a packet comes right before that packet.
    case comment(CaptureComment)
    /// The process that a packet belongs to, which comes right after it. The header of LINKTYPE_PKTAP is a part of its packet, and no item of its own.
    case process(PacketProcess, packet: UInt64)
    /// Keys for the encrypted traffic in the capture; they come before the packets they are for.
    case secrets(CaptureSecrets)
    /// A name for an address.
    case name(NameRecord)
    /// What an interface counted while it captured.
    case statistics(InterfaceStatistics)
    /// A block of a pcapng file that is no packet, as it stands there; only where `CaptureReader.keepsBlocks` is set. It comes before the
    /// items in it.
    case block(CaptureBlock)
}

/// A block of a pcapng file as it stands there (draft-ietf-opsawg-pcapng section 3.1): its type, its length, what is in it, its length again.
public struct CaptureBlock: ~Escapable {
    /// At least 12 bytes, and at most 16 MiB and some, with the padding of the last field.
    public let bytes: RawSpan
    /// Whether the section that it is of is written in the byte order of the other machines.
    public let isSwapped: Bool

    @_lifetime(copy bytes)
    public init(bytes: RawSpan, isSwapped: Bool) {
        self.bytes = bytes
        self.isSwapped = isSwapped
    }

    /// Whether a section begins with it.
    public var isSection: Bool { type == .sectionHeader }

    var type: BlockType { BlockType(rawValue: integer(at: 0)) }

    /// The number at a place of the block; 0 beyond its end.
    func integer<Integer: FixedWidthInteger & BitwiseCopyable>(at position: Int, as type: Integer.Type = Integer.self) -> Integer {
        guard position >= 0, position <= bytes.byteCount - MemoryLayout<Integer>.size else { return 0 }
        let value = bytes.nativeInteger(at: position, as: Integer.self)
        return isSwapped ? value.byteSwapped : value
    }
}

/// A comment in a pcapng file (opt_comment, draft-ietf-opsawg-pcapng section 3.5).
public struct CaptureComment: ~Escapable {
    /// What a comment is about.
    public enum Subject: Hashable, Sendable {
        /// The section, which most files have one of.
        case section
        /// The interface with this index in `CaptureReader.interfaces`.
        case interface(Int)
        /// The packet with this number, which comes next.
        case packet(UInt64)
        /// A block of names, statistics or secrets.
        case other
    }

    public let subject: Subject
    /// UTF-8 as the file promises, not checked; at most 65,535 bytes.
    public let text: RawSpan

    @_lifetime(copy text)
    init(subject: Subject, text: RawSpan) {
        self.subject = subject
        self.text = text
    }
}

/// A Decryption Secrets Block (draft-ietf-opsawg-pcapng section 4.7).
public struct CaptureSecrets: ~Escapable {
    /// The format of the secrets.
    public let type: SecretsType
    /// The secrets, at most 16 MiB.
    public let bytes: RawSpan

    @_lifetime(copy bytes)
    init(type: SecretsType, bytes: RawSpan) {
        self.type = type
        self.bytes = bytes
    }
}

/// The format of a Decryption Secrets Block's contents. An open set.
public struct SecretsType: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Lines of a TLS key log (RFC 9850).
    public static let tlsKeyLog = SecretsType(rawValue: 0x544C_534B)
}

/// One name of one address out of a Name Resolution Block (draft-ietf-opsawg-pcapng section 4.5).
public struct NameRecord: ~Escapable {
    /// 4 bytes for IPv4, 16 for IPv6, network order.
    public let address: RawSpan
    /// The name without its terminating zero.
    public let name: RawSpan

    @_lifetime(copy address, copy name)
    init(address: RawSpan, name: RawSpan) {
        self.address = address
        self.name = name
    }
}

/// Counters of an Interface Statistics Block (draft-ietf-opsawg-pcapng section 4.6), each absent where the file has none.
public struct InterfaceStatistics: Hashable, Sendable {
    /// Index in `CaptureReader.interfaces`.
    public var interface: Int
    /// Packets that the interface received.
    public var received: UInt64?
    /// Packets that the interface dropped.
    public var droppedByInterface: UInt64?
    /// Packets that the operating system dropped.
    public var droppedBySystem: UInt64?

    public init(
        interface: Int, received: UInt64? = nil, droppedByInterface: UInt64? = nil, droppedBySystem: UInt64? = nil
    ) {
        self.interface = interface
        self.received = received
        self.droppedByInterface = droppedByInterface
        self.droppedBySystem = droppedBySystem
    }
}
