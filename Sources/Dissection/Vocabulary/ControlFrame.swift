/// What the two sides of an HTTP/2 connection tell each other beside messages. Content: what `settings` and `text` point to.
public struct ControlFrame: Sendable, Hashable {
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// Settings of the sender (RFC 9113, section 6.5).
        case settings
        /// The settings of the other side hold from here on.
        case settingsAccepted
        /// The sender ends a stream at once (section 6.4).
        case reset
        /// The sender takes no more streams (section 6.8).
        case goAway
        /// The sender wants to know whether the other side is there (section 6.7).
        case ping
        /// The answer to a ping.
        case pong
        /// The client says how urgent a stream is (RFC 9218, section 7.1).
        case priorityUpdate
        /// Which stream another one depends on (RFC 7540, section 6.3).
        case priority
    }

    public var kind: Kind
    /// Why, of `reset` and `goAway` (section 7).
    public var code: UInt32?
    /// Of `goAway`: the last stream of the other side that the sender may have done something for.
    public var lastStream: UInt32?
    /// Of `pong`: nanoseconds since the ping that it answers; nil where none is known.
    public var roundTrip: Int64?
    /// Of `priority`.
    public var priority: StreamPriority?
    /// Of `settings`: a line `NAME: value` for each, as the fields of a head.
    public var settings: ByteRange
    /// Of `goAway`: what the sender says for who looks for the cause. Of `priorityUpdate`: the priority, as in the header `Priority`.
    public var text: ByteRange

    public init(
        _ kind: Kind, code: UInt32? = nil, lastStream: UInt32? = nil, roundTrip: Int64? = nil, settings: ByteRange = ByteRange(),
        text: ByteRange = ByteRange(), priority: StreamPriority? = nil
    ) {
        self.kind = kind
        self.code = code
        self.lastStream = lastStream
        self.roundTrip = roundTrip
        self.priority = priority
        self.settings = settings
        self.text = text
    }

    /// The name of an error code (RFC 9113, section 7); nil where it has none.
    public static func name(of code: UInt32) -> StaticString? {
        switch code {
        case 0: "NO_ERROR"
        case 1: "PROTOCOL_ERROR"
        case 2: "INTERNAL_ERROR"
        case 3: "FLOW_CONTROL_ERROR"
        case 4: "SETTINGS_TIMEOUT"
        case 5: "STREAM_CLOSED"
        case 6: "FRAME_SIZE_ERROR"
        case 7: "REFUSED_STREAM"
        case 8: "CANCEL"
        case 9: "COMPRESSION_ERROR"
        case 10: "CONNECT_ERROR"
        case 11: "ENHANCE_YOUR_CALM"
        case 12: "INADEQUATE_SECURITY"
        case 13: "HTTP_1_1_REQUIRED"
        default: nil
        }
    }
}

/// The priority of a stream as RFC 7540 has it (section 5.3), which RFC 9113 deprecates.
public struct StreamPriority: Sendable, Hashable {
    /// The stream that it depends on; 0 for none.
    public var dependsOn: UInt32
    /// Its share beside others that depend on the same stream, from 1 to 256.
    public var weight: UInt16
    /// The others depend on it from here on.
    public var isExclusive: Bool

    public init(dependsOn: UInt32, weight: UInt16, isExclusive: Bool) {
        self.dependsOn = dependsOn
        self.weight = weight
        self.isExclusive = isExclusive
    }

    /// - Parameter position: at least five bytes before the end.
    package init(_ bytes: RawSpan, at position: Int) {
        let word = bytes.bigEndianUInt32(at: position)
        self.init(dependsOn: word & 0x7FFF_FFFF, weight: UInt16(bytes[position + 4]) + 1, isExclusive: word & 0x8000_0000 != 0)
    }
}
