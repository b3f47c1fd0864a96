/// The type of a frame (RFC 9113, section 6). Open: others are ignored, as the RFC asks (section 5.5).
struct HTTP2FrameType: Equatable {
    var number: UInt8

    static let data = HTTP2FrameType(number: 0)
    static let headers = HTTP2FrameType(number: 1)
    static let priority = HTTP2FrameType(number: 2)
    static let reset = HTTP2FrameType(number: 3)
    static let settings = HTTP2FrameType(number: 4)
    static let pushPromise = HTTP2FrameType(number: 5)
    static let ping = HTTP2FrameType(number: 6)
    static let goAway = HTTP2FrameType(number: 7)
    static let windowUpdate = HTTP2FrameType(number: 8)
    static let continuation = HTTP2FrameType(number: 9)
    /// RFC 9218, section 7.1.
    static let priorityUpdate = HTTP2FrameType(number: 16)
    /// The last one that is known.
    static let last = priorityUpdate.number

    /// Whether a header block stands in it, or a part of one.
    var carriesFields: Bool { self == .headers || self == .pushPromise || self == .continuation }

    /// Its name in capitals, as the RFC has it.
    var name: StaticString {
        switch number {
        case 0: "DATA"
        case 1: "HEADERS"
        case 2: "PRIORITY"
        case 3: "RST_STREAM"
        case 4: "SETTINGS"
        case 5: "PUSH_PROMISE"
        case 6: "PING"
        case 7: "GOAWAY"
        case 8: "WINDOW_UPDATE"
        case 9: "CONTINUATION"
        case 10: "ALTSVC"
        case 12: "ORIGIN"
        case 16: "PRIORITY_UPDATE"
        default: "an unknown type"
        }
    }
}

/// The header of a frame (RFC 9113, section 4.1).
///
/// ```
/// length 24 | type 8 | flags 8 | reserved 1, stream 31 | payload …
/// ```
struct HTTP2FrameHeader {
    static let size = 9
    /// The largest payload of a side that has not allowed more (section 6.5.2).
    static let usualLength = 16_384
    /// The largest payload that there can be.
    static let largestLength = 0xFF_FFFF

    var length: Int
    var type: HTTP2FrameType
    var flags: UInt8
    var stream: UInt32
    /// The bit before the stream's number, which is ignored.
    var isReservedBitSet: Bool

    /// - Parameter position: at least nine bytes before the end.
    init(_ bytes: RawSpan, at position: Int) {
        length = Int(bytes.bigEndianUInt24(at: position))
        type = HTTP2FrameType(number: bytes[position + 3])
        flags = bytes[position + 4]
        let word = bytes.bigEndianUInt32(at: position + 5)
        stream = word & 0x7FFF_FFFF
        isReservedBitSet = word != stream
    }

    /// END_STREAM, of DATA and HEADERS.
    var endsStream: Bool { flags & 0x01 != 0 }
    /// ACK, of SETTINGS and PING.
    var isAnswer: Bool { flags & 0x01 != 0 }
    /// END_HEADERS, of HEADERS, PUSH_PROMISE and CONTINUATION.
    var endsHeaders: Bool { flags & 0x04 != 0 }
    /// PADDED, of DATA, HEADERS and PUSH_PROMISE.
    var isPadded: Bool { flags & 0x08 != 0 }
    /// PRIORITY, of HEADERS.
    var hasPriority: Bool { flags & 0x20 != 0 }

    /// Whether its type allows one length only.
    var hasLengthOfItsOwn: Bool { type == .priority || type == .reset || type == .ping || type == .windowUpdate }

    /// Whether it may be the header of a frame that keeps the rules, where nobody knows that a frame begins there.
    ///
    /// - Parameters:
    ///   - limit: bytes of payload that the sender may send.
    ///   - mostStream: no stream has a higher number.
    func isPlausible(limit: Int, mostStream: UInt32) -> Bool {
        guard length <= limit, !isReservedBitSet, stream <= mostStream else { return false }
        switch type {
        // Without content it says nothing but that the stream ends.
        case .data: return stream > 0 && flags & ~0x09 == 0 && (length > 0 || endsStream)
        case .headers: return stream > 0 && flags & ~0x2D == 0 && length > 0
        case .priority: return stream > 0 && flags == 0 && length == 5
        case .reset: return stream > 0 && flags == 0 && length == 4
        case .settings: return stream == 0 && (flags == 0 && length % 6 == 0 && length <= 240 || flags == 1 && length == 0)
        case .pushPromise: return stream > 0 && flags & ~0x0C == 0 && length > 4
        case .ping: return stream == 0 && flags & ~0x01 == 0 && length == 8
        case .goAway: return stream == 0 && flags == 0 && length >= 8
        case .windowUpdate: return flags == 0 && length == 4
        case .continuation: return stream > 0 && flags & ~0x04 == 0
        case _: return false
        }
    }
    /// Whether its stream may be one beside another where nothing is known of the connection: a client's, as nearly all are, and not far
    /// away, since streams are numbered in order (section 5.1.1).
    ///
    /// - Parameter other: a stream that was seen, or 0.
    func isPlausible(beside other: UInt32) -> Bool {
        guard stream > 0 else { return true }
        let distance = stream > other ? stream - other : other - stream
        // Contents that follow each other are of streams that are open at once.
        let farthest = type == .data ? HTTP2FrameHeader.farthestContent : HTTP2FrameHeader.farthestStream
        return stream % 2 == 1 && (other == 0 || distance <= farthest)
    }

    /// Whether its type is one that other documents add, or that programs send to see whether it is ignored (0x0B + 0x1F n). They are short.
    var mayBeExtension: Bool {
        let isAdded = type.number == 10 || type.number == 12 || type == .priorityUpdate || type.number % 0x1F == 0x0B
        return isAdded && length <= HTTP2FrameHeader.usualLength
    }

    private static let farthestContent: UInt32 = 4_096

    /// Streams that may have been opened in what was lost are not more.
    static let farthestStream: UInt32 = 200_000
}
