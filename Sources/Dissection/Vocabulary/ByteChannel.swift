/// Which of a conversation's byte channels something came through. An offset counts the bytes of its own channel.
///
/// ```
/// wire       depth 0   CONNECT example.com:443 HTTP/1.1 …    HTTP/1.1 200 …
///   inside   depth 1     16 03 01 … ClientHello …
/// ```
public struct ByteChannel: Hashable, Sendable {
    /// How deep it lies: 0 the wire, 1 what runs inside a channel of the wire, and so on.
    public var depth: UInt8
    /// The number of the HTTP/2 stream that it belongs to; 0 where there is none, because stream 0 carries no message
    /// (RFC 9113, section 5.1.1).
    public var stream: UInt32

    /// Channels inside channels come to an end: each level costs a level of recursion.
    package static var mostDepth: UInt8 { 8 }

    @inlinable
    public init(depth: UInt8 = 0, stream: UInt32 = 0) {
        self.depth = depth
        self.stream = stream
    }
}
