/// What one direction of a conversation brought, before anything is read from it: bytes in their order, a gap, an end.
///
/// Lent to a sink that asks for it (`ConversationSink.takesStreams`) for the length of one call, before the events that are made of it. It is
/// what the conversation's outermost readable channel carries: the bytes of the connection as they stand in its packets.
public struct StreamRun: ~Escapable {
    /// What came.
    public enum Fact: Hashable, Sendable {
        /// `bytes` came.
        case bytes
        /// So many bytes are missing.
        case gap(UInt64)
        /// FIN.
        case finished
        /// RST.
        case reset
    }

    public let fact: Fact
    /// The number of the conversation, from 1.
    public let conversation: UInt64
    /// Who sent it.
    public let source: Endpoint
    /// To whom.
    public let destination: Endpoint
    /// Which side the sender is, as far as it is known by now: it is a guess until the conversation's `opened` was told.
    public let from: Side
    /// How much of the beginning is there.
    public let start: Opening.Start
    /// The arrival of its last byte.
    public let time: Timestamp?
    /// Valid for the call; empty unless the fact is `bytes`.
    public let bytes: RawSpan

    @_lifetime(copy bytes)
    public init(
        _ fact: Fact, conversation: UInt64, from: Side, source: Endpoint, destination: Endpoint, start: Opening.Start, time: Timestamp?,
        bytes: RawSpan = RawSpan()
    ) {
        self.fact = fact
        self.conversation = conversation
        self.from = from
        self.source = source
        self.destination = destination
        self.start = start
        self.time = time
        self.bytes = bytes
    }
}
