/// What one direction of a conversation brought, before anything is read from it: bytes in their order, a gap, an end.
///
/// Lent to a sink that asks for it (`ConversationSink.takesStreams`) for the length of one call. The bytes of the connection, as they stand in
/// its packets, are the stream of level 0. Where TLS in it is opened, what is inside is a stream of its own, one level on:
///
/// ```
/// level 0   bytes  bytes  tlsBegins (client, 0)  bytes …  tlsBegins (server, 0)  bytes …  tlsOpens  bytes …
/// level 1                                                                                 bytes     bytes …
/// ```
///
/// Bytes and gaps come before the events that are made of them, ends after those. What bytes are may only be known with more of them: after each run it
/// is said how far its level has been read (`read`), and which of the bytes are TLS that may be opened has been said by then.
public struct StreamRun: ~Escapable {
    /// What came.
    public enum Fact: Hashable, Sendable {
        /// `bytes` came.
        case bytes
        /// So many bytes are missing.
        case gap(UInt64)
        /// FIN, or the end of what is inside of TLS.
        case finished
        /// RST.
        case reset
        /// What the sender sends from `offset` on is TLS, for which there may be keys.
        case tlsBegins
        /// The TLS of the level is opened: what is inside follows as a stream of the next level.
        case tlsOpens
        /// No key was there for the TLS of the level, and none will be.
        case tlsStaysSealed
        /// The level was read so far: up to these offsets of the sender and of the other side. What follows waits.
        case read(sender: UInt64, peer: UInt64)
    }

    public let fact: Fact
    /// The number of the conversation, from 1.
    public let conversation: UInt64
    /// In how many connections of TLS it stands, each inside of the one before.
    public let level: UInt8
    /// Who sent it.
    public let source: Endpoint
    /// To whom.
    public let destination: Endpoint
    /// Which side the sender is, as far as it is known by now: it is a guess until the conversation's `opened` was told.
    public let from: Side
    /// How much of the beginning is there.
    public let start: Opening.Start
    /// Where its first byte stands in its direction of its level.
    public let offset: UInt64
    /// The arrival of its last byte.
    public let time: Timestamp?
    /// Valid for the call; empty unless the fact is `bytes`.
    public let bytes: RawSpan

    @_lifetime(copy bytes)
    public init(
        _ fact: Fact, conversation: UInt64, level: UInt8 = 0, from: Side, source: Endpoint, destination: Endpoint, start: Opening.Start,
        offset: UInt64, time: Timestamp?, bytes: RawSpan = RawSpan()
    ) {
        self.fact = fact
        self.conversation = conversation
        self.level = level
        self.from = from
        self.source = source
        self.destination = destination
        self.start = start
        self.offset = offset
        self.time = time
        self.bytes = bytes
    }
}
