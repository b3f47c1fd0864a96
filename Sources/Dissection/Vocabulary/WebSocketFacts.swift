/// The header of one WebSocket frame (RFC 6455, section 5.2), released when the frame's last byte came. No content.
public struct FrameHeader: Sendable, Hashable {
    public var opcode: UInt8
    public var fin: Bool
    /// RSV1 is bit 2, RSV2 bit 1, RSV3 bit 0.
    public var rsv: UInt8
    public var masked: Bool
    /// In network order; 0 when not masked.
    public var maskingKey: UInt32
    /// Payload bytes.
    public var length: UInt64
    /// 2 to 14.
    public var headerLength: UInt8

    public init(opcode: UInt8, fin: Bool, rsv: UInt8, masked: Bool, maskingKey: UInt32, length: UInt64, headerLength: UInt8) {
        self.opcode = opcode
        self.fin = fin
        self.rsv = rsv
        self.masked = masked
        self.maskingKey = maskingKey
        self.length = length
        self.headerLength = headerLength
    }
}

/// A whole message: of a WebSocket, or cut out of raw bytes. Content: the payload, unmasked and inflated, as much as `Limits` keeps of it.
public struct Message: Sendable {
    /// 1 text, 2 binary; other numbers are reserved. 0 for what was cut out of raw bytes, which says nothing of the kind.
    public var opcode: UInt8
    /// Bytes after inflating, or between header and delimiter; content that is shorter was cut.
    public var length: UInt64
    /// Payload bytes on the wire, frame headers not counted. Of what was cut out of raw bytes all that came, with header and delimiter.
    public var wireLength: UInt64
    public var fragments: UInt32
    public var compressed: Bool
    /// Bytes that came of a last frame that is not whole, its header included; 0 where every frame is whole.
    public var unfinished: UInt64
    /// Its sender did not finish it: what came of it is all there is.
    public var isUnfinished = false
    /// Of one that was not finished: the length that its header, or that of its last frame, announced; nil where none did.
    public var announced: UInt64?
    /// How it was cut out of raw bytes; nil for a WebSocket message.
    public var frame: MessageFrame?

    public init(opcode: UInt8, length: UInt64, wireLength: UInt64, fragments: UInt32, compressed: Bool, unfinished: UInt64 = 0) {
        self.unfinished = unfinished
        self.opcode = opcode
        self.length = length
        self.wireLength = wireLength
        self.fragments = fragments
        self.compressed = compressed
    }

    /// A message that was cut out of raw bytes.
    public init(cut frame: MessageFrame, length: UInt64, wireLength: UInt64) {
        self.init(opcode: 0, length: length, wireLength: wireLength, fragments: 0, compressed: false)
        self.frame = frame
    }
}

/// A pong. Content: its payload.
public struct Pong: Sendable {
    /// Nanoseconds since the ping that it answers.
    public var roundTrip: Int64?
    /// No ping is known that it could answer.
    public var unsolicited: Bool

    public init(roundTrip: Int64?, unsolicited: Bool) {
        self.roundTrip = roundTrip
        self.unsolicited = unsolicited
    }
}

/// A WebSocket Close frame. Content: the reason.
public struct CloseFrame: Sendable {
    /// Absent where the frame had none.
    public var code: UInt16?

    public init(code: UInt16?) { self.code = code }
}
