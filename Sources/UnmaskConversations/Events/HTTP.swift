extension ConversationEvent {
    /// A header field of HTTP, as the sender wrote it. Text that is not UTF-8 is read as Latin-1.
    public struct Header: Sendable, Equatable {
        /// The field name.
        public let name: String
        /// The value, without white space around it.
        public let value: String
    }

    /// The head of a request.
    public struct Request: Sendable, Equatable {
        /// Such as `GET`.
        public let method: String
        /// The request target as it was sent, such as `/chat?room=7`.
        public let target: String
        /// Such as `HTTP/1.1`; empty for HTTP/0.9.
        public let version: String
        /// The host that the request is for, with its port where it names one; nil where the head does not say.
        public let host: String?
        /// In the order in which they were sent; of HTTP/2 with the pseudo-header fields.
        public let headers: [Header]
        /// The number of the request in its conversation, from 1.
        public let exchange: Int
    }

    /// The head of a response.
    public struct Response: Sendable, Equatable {
        /// The status code, such as 200.
        public let status: Int
        /// The reason phrase; empty where there is none, as in HTTP/2.
        public let reason: String
        /// Such as `HTTP/1.1`.
        public let version: String
        /// In the order in which they were sent.
        public let headers: [Header]
        /// From the last byte of the request to the first byte of the response; nil where the request is not known.
        public let latency: Duration?
        /// `Request.exchange` of the request that it belongs to; nil where that is not certain.
        public let exchange: Int?
    }

    /// A body, or the next part of it. Bodies come in parts of at most 64 KiB; server-sent events, lines of JSON and messages of gRPC come as one
    /// part each.
    public struct Body: Sendable, Equatable {
        /// The bytes after chunking and content codings were undone; at most `ReadingLimits.payloadBytes`.
        public let payload: [UInt8]
        /// Bytes of this part after codings were undone; more than `payload` has where that was cut.
        public let length: Int
        /// Bytes of this part on the wire, without the framing of chunks.
        public let wireLength: Int
        /// The number of the part, from 1.
        public let part: Int
        /// It is the last part.
        public let isLast: Bool
        /// The sender did not finish the body.
        public let isUnfinished: Bool
        /// The content coding that was undone, such as `gzip`; nil where there was none.
        public let encoding: String?
        /// Header fields after a chunked body, with the last part.
        public let trailers: [Header]
        /// What the payload says; nil where no format recognises it, where it is a part that is not read by itself, or where
        /// `ReadingOptions.decodesPayloads` is off.
        public let decoded: DecodedPayload?

        /// The payload as text; nil where it is not UTF-8.
        public var text: String? { String(validating: payload, as: UTF8.self) }
    }

    /// The response to an HTTP upgrade.
    public struct Upgrade: Sendable, Equatable {
        /// The protocol, such as `websocket`.
        public let protocolName: String
        /// Whether the server agreed: what follows is of that protocol.
        public let isAccepted: Bool
        /// The host that the client asked for; nil where it named none.
        public let host: String?
        /// The request target.
        public let target: String
        /// The WebSocket subprotocol that was agreed; nil where there is none.
        public let subprotocol: String?
        /// The WebSocket extensions that were agreed, as in the server's header; nil where there are none.
        public let extensions: String?
        /// Messages may be compressed (permessage-deflate, RFC 7692).
        public let isCompressed: Bool
    }
}
