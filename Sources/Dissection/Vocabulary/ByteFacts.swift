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
    /// Header fields of HTTP/2 as they came (RFC 7541), whole or in part: which of the bytes are values, and whose, is not told.
    public var isHeaderBlock: Bool
    /// The first message of a record that was opened and comes after the handshake (RFC 8446, section 4.6); nil of all others.
    public var handshakeMessage: UInt8?
    /// They came after the other side had reset the connection: no receiver took them, no layer read them, and they count in no total.
    public var isAfterClose: Bool

    public init(
        length: UInt64, framing: Framing? = nil, isHeaderBlock: Bool = false, handshakeMessage: UInt8? = nil, isAfterClose: Bool = false
    ) {
        self.length = length
        self.framing = framing
        self.isHeaderBlock = isHeaderBlock
        self.handshakeMessage = handshakeMessage
        self.isAfterClose = isAfterClose
    }
}

/// Bytes that were not seen or not understood. No content.
public struct Gap: Sendable, Hashable {
    public enum Cause: UInt8, Sendable, CaseIterable {
        /// Lost before the capture.
        case missing
        /// Cut off by the capture's snapshot length.
        case truncated
        /// Given up to stay within `Limits`.
        case limit
        /// Seen, and skipped to find the next plausible boundary.
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
