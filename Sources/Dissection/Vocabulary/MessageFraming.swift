/// What the fields of an HTTP/1 head say about where its message ends.
package struct FramingFields: Sendable {
    package var hasTransferEncoding: Bool
    /// `chunked` is the last transfer coding.
    package var isChunkedLast: Bool
    /// The lengths are no numbers, or differ.
    package var hasBadLength: Bool
    /// One number, perhaps again and again.
    package var contentLength: UInt64?
    /// HTTP/1.0, which knows no transfer codings.
    package var isBefore11: Bool
    /// Bytes that an old draft of WebSocket has behind the head without saying so; 0 for others.
    package var unsaidBytes: UInt64

    package init(
        hasTransferEncoding: Bool, isChunkedLast: Bool, hasBadLength: Bool, contentLength: UInt64?, isBefore11: Bool,
        unsaidBytes: UInt64 = 0
    ) {
        self.hasTransferEncoding = hasTransferEncoding
        self.isChunkedLast = isChunkedLast
        self.hasBadLength = hasBadLength
        self.contentLength = contentLength
        self.isBefore11 = isBefore11
        self.unsaidBytes = unsaidBytes
    }
}

/// How the end of an HTTP/1 message is found (RFC 9112, section 6.3): the one place that says so, for those who read and for the proxy.
///
/// | | request | response |
/// | --- | --- | --- |
/// | to HEAD, 1xx, 204, 304 | | none |
/// | Transfer-Encoding, `chunked` last | chunked | chunked |
/// | Transfer-Encoding otherwise | unknown | until close |
/// | lengths that are none, or differ | unknown | until close: the reader gives up the connection |
/// | Content-Length | length | length |
/// | nothing | none | until close |
package enum MessageFraming: Hashable, Sendable {
    case none
    case length(UInt64)
    case chunked
    case untilClose
    /// The rules say that it cannot be known: the next message has to be searched for.
    case unknown

    /// For a request.
    package init(request fields: FramingFields) {
        if fields.hasTransferEncoding {
            self = fields.isChunkedLast ? .chunked : .unknown
        } else if fields.hasBadLength {
            self = .unknown
        } else {
            let length = fields.contentLength ?? fields.unsaidBytes
            self = length > 0 ? .length(length) : .none
        }
    }

    /// For a response, which is not an accepted CONNECT.
    package init(response fields: FramingFields, status: UInt16, isToHead: Bool) {
        if isToHead || status / 100 == 1 || status == 204 || status == 304 {
            self = .none
        } else if fields.hasTransferEncoding {
            self = fields.isChunkedLast ? .chunked : .untilClose
        } else if !fields.hasBadLength, let length = fields.contentLength {
            self = length > 0 ? .length(length) : .none
        } else {
            self = .untilClose
        }
    }
}

extension FramingFields {
    /// Whether receivers may take the message to end elsewhere: HTTP/1.0 with a transfer coding is read as chunked by some, and "MUST be
    /// treated as if the framing is faulty" (RFC 9112, section 6.1), so nothing may follow it on the way to a server.
    package var isDisputed: Bool { hasTransferEncoding && isBefore11 }
}
