/// The end of a request's head. Content: the head as on the wire; `HeaderFields` walks the fields.
public struct RequestHead: Sendable {
    public var method: ByteRange
    public var target: ByteRange
    /// Such as `HTTP/1.1`; empty for HTTP/0.9.
    public var version: ByteRange
    /// The field lines with their line ends, without the empty line.
    public var fields: ByteRange
    /// The number of the request in its conversation, from 1 in the order of requests, those in its tunnels included.
    public var exchange: UInt64
    /// What HEADERS of HTTP/2 say of the stream's priority (RFC 7540, section 6.2).
    public var priority: StreamPriority?

    public init(
        method: ByteRange, target: ByteRange, version: ByteRange, fields: ByteRange, exchange: UInt64, priority: StreamPriority? = nil
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.fields = fields
        self.exchange = exchange
        self.priority = priority
    }
}

/// The request that a response surely belongs to.
public struct AskedRequest: Sendable, Hashable {
    /// `RequestHead.exchange` of the request.
    public var exchange: UInt64
    /// Where its method lies in `ConversationEvent.asked`: its first 32 bytes.
    public var method: ByteRange
    /// Where its target lies there: its first 256 bytes, whole characters of UTF-8.
    public var target: ByteRange
    /// The method or the target is longer.
    public var isCut: Bool

    public init(exchange: UInt64, method: ByteRange, target: ByteRange, isCut: Bool = false) {
        self.exchange = exchange
        self.method = method
        self.target = target
        self.isCut = isCut
    }
}

/// The end of a response's head. Content: the head as on the wire.
public struct ResponseHead: Sendable {
    public var status: UInt16
    public var version: ByteRange
    public var reason: ByteRange
    public var fields: ByteRange
    /// Nanoseconds from the last byte of the request to the first byte of the final answer or 101.
    public var latency: Int64?
    /// The request that it belongs to, where that is sure.
    public var asked: AskedRequest?

    public init(
        status: UInt16, version: ByteRange, reason: ByteRange, fields: ByteRange, latency: Int64?, asked: AskedRequest? = nil
    ) {
        self.asked = asked
        self.status = status
        self.version = version
        self.reason = reason
        self.fields = fields
        self.latency = latency
    }
}

/// A body, or the next part of it. Content: what `payload`, `encoding` and `trailers` point to.
public struct BodyPart: Sendable {
    /// What a server sends one after another in a body that it streams.
    public enum Element: UInt8, Sendable, CaseIterable {
        /// An event of text/event-stream, with the empty line that ends it.
        case event
        /// A line of JSON.
        case line
        /// Comments of text/event-stream with the empty line after them, which keep a connection open and are no event.
        case comment
        /// A message of gRPC, with the five bytes before it.
        case message
        /// Fields of text/event-stream without data (`retry`, `id`), with the empty line after them: no event either.
        case field
    }

    /// Bytes of this part after every coding was undone; may be more than `payload` keeps.
    public var length: UInt64
    /// Bytes of this part on the wire, chunk framing not counted.
    public var wireLength: UInt64
    /// From 1.
    public var part: UInt32
    public var final: Bool
    /// The content coding that was undone, such as `gzip`; empty for none.
    public var encoding: ByteRange
    public var payload: ByteRange
    /// Trailer field lines of a chunked body; only with the final part.
    public var trailers: ByteRange
    /// Bytes of chunk lines and trailers before, between and after the bytes of this part, which `wireLength` leaves out:
    /// from its offset the part reaches over so many bytes and `wireLength` on the wire.
    public var framing: UInt64
    /// Of a body that is streamed: the part ends with the end of an element.
    public var element: Element?
    /// Of the last part: the sender did not finish the body.
    public var isUnfinished = false
    /// Of a body that was not finished: the length that its head announced, before any coding is undone; nil where it did not.
    public var announced: UInt64?

    public init(
        length: UInt64, wireLength: UInt64, part: UInt32, final: Bool, encoding: ByteRange = ByteRange(),
        payload: ByteRange, trailers: ByteRange = ByteRange(), framing: UInt64 = 0, element: Element? = nil
    ) {
        self.element = element
        self.framing = framing
        self.length = length
        self.wireLength = wireLength
        self.part = part
        self.final = final
        self.encoding = encoding
        self.payload = payload
        self.trailers = trailers
    }
}

/// An HTTP upgrade was answered. Content: the texts that the ranges point to; an empty range is an absent key.
public struct Upgrade: Sendable {
    /// What permessage-deflate was agreed to (RFC 7692, section 7.1).
    public struct Compression: Sendable, Hashable {
        public var clientTakeover: Bool
        public var serverTakeover: Bool
        public var clientWindowBits: UInt8
        public var serverWindowBits: UInt8

        public init(clientTakeover: Bool = true, serverTakeover: Bool = true, clientWindowBits: UInt8 = 15, serverWindowBits: UInt8 = 15) {
            self.clientTakeover = clientTakeover
            self.serverTakeover = serverTakeover
            self.clientWindowBits = clientWindowBits
            self.serverWindowBits = serverWindowBits
        }
    }

    public var protocolName: ByteRange
    public var accepted: Bool
    public var host: ByteRange
    public var target: ByteRange
    public var subprotocol: ByteRange
    /// The extensions as agreed, as the server's header had them.
    public var extensions: ByteRange
    public var compression: Compression?

    public init(
        protocolName: ByteRange, accepted: Bool, host: ByteRange = ByteRange(), target: ByteRange = ByteRange(),
        subprotocol: ByteRange = ByteRange(), extensions: ByteRange = ByteRange(), compression: Compression? = nil
    ) {
        self.protocolName = protocolName
        self.accepted = accepted
        self.host = host
        self.target = target
        self.subprotocol = subprotocol
        self.extensions = extensions
        self.compression = compression
    }
}
