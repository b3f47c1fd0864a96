/// What a `ConversationEvent` tells: one case for each kind of record (docs/log-format.md).
public enum Fact: Sendable {
    case opened(Opening)
    case tls(TLSFacts)
    case request(RequestHead)
    case response(ResponseHead)
    case body(BodyPart)
    case upgrade(Upgrade)
    case frame(FrameHeader)
    case message(Message)
    /// A ping; the content is its payload.
    case ping
    case pong(Pong)
    case close(CloseFrame)
    case data(DataRun)
    case gap(Gap)
    case finding(Finding)
    case closed(Closing)
}

/// A conversation begins. Content: what the names and `viaMode` and `viaTarget` point to, if anything.
public struct Opening: Sendable {
    public enum Transport: UInt8, Sendable { case tcp, unix }
    /// How the conversation came into sight.
    public enum Start: UInt8, Sendable { case handshake, midstream, accepted }
    /// What the roles of the two sides were concluded from.
    public enum Roles: UInt8, Sendable { case handshake, content, ports, guess }

    public var client: Endpoint
    public var server: Endpoint
    public var transport: Transport
    public var start: Start
    public var roles: Roles
    /// What the source calls the client: the path of a Unix socket; empty where it has no name.
    public var clientName: ByteRange
    /// What the source calls the server: the name that was dialled, or a path; empty where it has no name.
    public var serverName: ByteRange
    /// The way through a proxy, such as `http`; empty where there was none.
    public var viaMode: ByteRange
    /// What the client asked the proxy for; empty where it asked for nothing.
    public var viaTarget: ByteRange

    public init(
        client: Endpoint, server: Endpoint, transport: Transport = .tcp, start: Start, roles: Roles, clientName: ByteRange = ByteRange(),
        serverName: ByteRange = ByteRange(), viaMode: ByteRange = ByteRange(), viaTarget: ByteRange = ByteRange()
    ) {
        self.client = client
        self.server = server
        self.transport = transport
        self.start = start
        self.roles = roles
        self.clientName = clientName
        self.serverName = serverName
        self.viaMode = viaMode
        self.viaTarget = viaTarget
    }
}

/// What the hellos of a TLS connection say in the clear. Content: `serverName` and `alpn` point into it.
public struct TLSFacts: Sendable {
    public enum Secrets: UInt8, Sendable { case keylog, terminated, missing }

    /// The server name that the client asked for (RFC 6066, section 3); empty where there is none.
    public var serverName: ByteRange
    /// The application protocol that the server chose (RFC 7301); empty where it chose none or chose it under encryption.
    public var alpn: ByteRange
    /// The protocols that the client offered, as in its hello: each behind a length byte.
    public var offeredALPN: ByteRange
    /// The agreed version as on the wire (0x0303 is TLS 1.2); absent without a ServerHello.
    public var version: UInt16?
    /// The agreed cipher suite as on the wire; absent without a ServerHello.
    public var cipher: UInt16?
    public var secrets: Secrets

    public init(
        serverName: ByteRange = ByteRange(), alpn: ByteRange = ByteRange(), offeredALPN: ByteRange = ByteRange(),
        version: UInt16? = nil, cipher: UInt16? = nil, secrets: Secrets
    ) {
        self.serverName = serverName
        self.alpn = alpn
        self.offeredALPN = offeredALPN
        self.version = version
        self.cipher = cipher
        self.secrets = secrets
    }
}

/// The end of a request's head. Content: the head as on the wire; `HeaderFields` walks the fields.
public struct RequestHead: Sendable {
    public var method: ByteRange
    public var target: ByteRange
    /// Such as `HTTP/1.1`; empty for HTTP/0.9.
    public var version: ByteRange
    /// The field lines with their line ends, without the empty line.
    public var fields: ByteRange

    public init(method: ByteRange, target: ByteRange, version: ByteRange, fields: ByteRange) {
        self.method = method
        self.target = target
        self.version = version
        self.fields = fields
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

    public init(status: UInt16, version: ByteRange, reason: ByteRange, fields: ByteRange, latency: Int64?) {
        self.status = status
        self.version = version
        self.reason = reason
        self.fields = fields
        self.latency = latency
    }
}

/// A body, or the next part of it. Content: what `payload`, `encoding` and `trailers` point to.
public struct BodyPart: Sendable {
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

    public init(
        length: UInt64, wireLength: UInt64, part: UInt32, final: Bool, encoding: ByteRange = ByteRange(),
        payload: ByteRange, trailers: ByteRange = ByteRange(), framing: UInt64 = 0
    ) {
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

/// A whole WebSocket message. Content: the payload, unmasked and inflated, as much as `Limits` keeps of it.
public struct Message: Sendable {
    /// 1 text, 2 binary; other numbers are reserved.
    public var opcode: UInt8
    /// Bytes after inflating; content that is shorter was cut.
    public var length: UInt64
    /// Payload bytes on the wire, frame headers not counted.
    public var wireLength: UInt64
    public var fragments: UInt32
    public var compressed: Bool
    /// Bytes that came of a last frame that is not whole, its header included; 0 where every frame is whole.
    public var unfinished: UInt64

    public init(opcode: UInt8, length: UInt64, wireLength: UInt64, fragments: UInt32, compressed: Bool, unfinished: UInt64 = 0) {
        self.unfinished = unfinished
        self.opcode = opcode
        self.length = length
        self.wireLength = wireLength
        self.fragments = fragments
        self.compressed = compressed
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

/// Bytes of a protocol that has no layer, one event for each run that came in; or a sealed record of TLS or SSL 2.0.
/// Content: the bytes; none for a sealed record, whose ciphertext says nothing.
public struct DataRun: Sendable {
    public enum Framing: Sendable, Hashable {
        /// One TLS record with the content type of its header (RFC 8446, section 5.1).
        case tlsRecord(contentType: UInt8)
        /// One record of SSL 2.0, which has no content type.
        case ssl2Record
    }

    public var length: UInt64
    public var framing: Framing?

    public init(length: UInt64, framing: Framing? = nil) {
        self.length = length
        self.framing = framing
    }
}

/// Bytes that were not seen or not understood. No content.
public struct Gap: Sendable, Hashable {
    public enum Cause: UInt8, Sendable {
        /// Lost before the capture.
        case missing
        /// Cut off by the capture's snapshot length.
        case truncated
        /// Given up to stay within `Limits`.
        case limit
        /// Seen, and skipped to find the next plausible border.
        case resync
        /// Seen, and impossible to decode.
        case undecodable
    }

    public var length: UInt64
    public var cause: Cause

    public init(length: UInt64, cause: Cause) {
        self.length = length
        self.cause = cause
    }
}
