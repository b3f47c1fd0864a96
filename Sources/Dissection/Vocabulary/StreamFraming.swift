/// How one direction of a byte stream is cut into messages, where its protocol has no layer: as a rule of the user says, as the protocol
/// that was recognised does it, or as its bytes look.
///
/// ```
/// length       00 00 00 05 h e l l o │ 00 00 00 02 o k │
/// delimiter    h e l l o \r \n │ o k \r \n │
/// fixed        h e l l │ o o k . │
/// tlv          01 00 05 h e l l o │ 02 00 02 o k │
/// content-length   Content-Length: 5\r\n\r\nh e l l o │
/// json         {"a":1} │ [2] │
/// ```
public enum StreamFraming: Hashable, Sendable {
    case length(LengthPrefix)
    /// Ended by these bytes, which are no part of the message; at most `most` bytes without them.
    case delimiter(ShortBytes, most: UInt64)
    /// So many bytes each, at least one.
    case fixed(UInt32)
    /// Ended by LF or CRLF.
    case lines
    /// A type, a length, and so many bytes; the length counts the value alone.
    case tlv(type: LengthPrefix.Width, length: LengthPrefix.Width)
    /// A header of lines that says with `Content-Length` how long the body is, and the body, which is the message (Language Server Protocol
    /// and Debug Adapter Protocol, "Base Protocol").
    case contentLength
    /// Values of JSON one after another, with or without white space or RS (RFC 7464) between them.
    case json
    /// As the protocol says; the message is all that it puts between two boundaries, header included.
    case `protocol`(FramedProtocol)

    /// A longer message is taken for a length that is wrong, where nothing else is said.
    public static var mostBytes: UInt64 { 64 << 20 }
}

/// A length in front of each message.
public struct LengthPrefix: Hashable, Sendable {
    /// How a number is written.
    public enum Width: UInt8, Hashable, Sendable, CaseIterable {
        case u8, u16be, u16le, u24be, u24le, u32be, u32le, u64be, u64le
        /// Base 128, least significant group first, as protobuf and MQTT have it.
        case varint

        /// Bytes that it takes; nil where they differ.
        public var bytes: Int? {
            switch self {
            case .u8: 1
            case .u16be, .u16le: 2
            case .u24be, .u24le: 3
            case .u32be, .u32le: 4
            case .u64be, .u64le: 8
            case .varint: nil
            }
        }

        /// Whether the least significant byte comes first.
        public var isLittleEndian: Bool {
            switch self {
            case .u16le, .u24le, .u32le, .u64le, .varint: true
            case .u8, .u16be, .u24be, .u32be, .u64be: false
            }
        }
    }

    /// The longest header; a length may begin at its byte 1,016 at the latest.
    public static var mostHeader: Int { 1_024 }

    public var width: Width
    /// Bytes before the length in the header.
    public var offset: UInt16
    /// Bytes of the header, the length included; with a varint those up to its end.
    public var header: UInt16
    /// The length counts the header as well; otherwise what follows the header.
    public var countsItself: Bool
    /// A longer message is taken for a length that is wrong.
    public var most: UInt64

    /// - Parameter header: at least up to the end of the length; that, where nil. With a varint the header always ends with it.
    public init(
        _ width: Width, offset: UInt16 = 0, header: UInt16? = nil, countsItself: Bool = false, most: UInt64 = StreamFraming.mostBytes
    ) {
        self.width = width
        self.offset = offset
        let least = offset &+ UInt16(width.bytes ?? 0)
        self.header = max(least, header ?? least)
        self.countsItself = countsItself
        self.most = most
    }
}

/// A protocol without a layer that says itself where its messages end. It stands for the grammar in its folder.
public struct FramedProtocol: Hashable, Sendable, CustomStringConvertible {
    package let grammar: any FramedProtocolName.Type

    package init(_ grammar: any FramedProtocolName.Type) { self.grammar = grammar }

    /// As the log and `--framing` have it.
    public var word: StaticString { grammar.name }
    public var description: String { "\(word)" }

    public static func == (one: Self, other: Self) -> Bool { ObjectIdentifier(one.grammar) == ObjectIdentifier(other.grammar) }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(grammar)) }
}

/// What a protocol is called.
package protocol FramedProtocolName: SendableMetatype {
    /// As the log and `--framing` have it.
    static var name: StaticString { get }
    /// As its authors write it, for sentences.
    static var title: StaticString { get }
}

/// How both directions of a conversation are cut.
public struct FramingPair: Hashable, Sendable {
    public var client: StreamFraming
    public var server: StreamFraming

    public init(client: StreamFraming, server: StreamFraming) {
        self.client = client
        self.server = server
    }

    public subscript(side: Side) -> StreamFraming { side == .client ? client : server }
}

/// At most 16 bytes, held in place so that an event that carries them has nothing to count or to free.
public struct ShortBytes: Hashable, Sendable {
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var used: UInt8 = 0

    public static var most: Int { 16 }

    public init() {}

    /// Nil where there are more than 16.
    public init?(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { guard append(byte) else { return nil } }
    }

    public var count: Int { Int(used) }

    /// Of the place `index`, which is less than `count`.
    public subscript(index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: (index < 8 ? first : second) >> (UInt64(index & 7) * 8))
    }

    /// Adds one more; false, with nothing done, where there is no room.
    @discardableResult
    public mutating func append(_ byte: UInt8) -> Bool {
        guard count < ShortBytes.most else { return false }
        let bits = UInt64(byte) << (UInt64(used & 7) * 8)
        if used < 8 { first |= bits } else { second |= bits }
        used += 1
        return true
    }

    public var array: [UInt8] { (0..<count).map { self[$0] } }
}

/// How a message was cut out of raw bytes.
public struct MessageFrame: Hashable, Sendable {
    public var framing: StreamFraming
    /// The first bytes of a header that says more than a length: the type of `tlv`, or what stands before and after the length.
    public var header: ShortBytes
    /// What a guess rests on; nil where the user or the protocol said so.
    public var guess: Guess?

    /// A guess, and how well it has held so far.
    public struct Guess: Hashable, Sendable {
        /// Messages that fitted, of all there were.
        public var fits: UInt64
        public var of: UInt64

        public init(fits: UInt64, of: UInt64) {
            self.fits = fits
            self.of = of
        }
    }

    public init(_ framing: StreamFraming, header: ShortBytes = ShortBytes(), guess: Guess? = nil) {
        self.framing = framing
        self.header = header
        self.guess = guess
    }
}
