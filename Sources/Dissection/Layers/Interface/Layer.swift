/// One protocol's reading of a conversation, both directions of it.
///
/// A layer takes bytes, a gap, or the end of a direction and hands events to the sink. It never throws, reads no clock
/// and opens nothing: what a peer did wrong is a finding, and reading goes on behind it. It judges both peers from
/// outside and plays neither. How the bytes of a direction are cut into runs must not change what it tells.
package protocol Layer {
    /// Takes the next bytes of a direction.
    mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome

    /// Learns that a gap comes at `arrival`, before the gap is told: tells what it holds of the element that is cut, so
    /// that records stand in the order of the bytes.
    mutating func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    )

    /// Learns that the next `length` bytes of a direction are not to be had. The gap itself has been told already.
    /// Returns what reads the bytes behind it, where that is another layer.
    mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer?

    /// Learns that no more will come in a direction, whatever the reason, and tells what it still held of it.
    mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    )

    /// Whether bytes of `side` have to wait until the other side has decided what they are.
    func isHolding(_ side: Side) -> Bool

    /// Learns that what `side` sends has waited for the other side as long as it may: it is read now, as what it seems to be.
    mutating func stopHolding(_ side: Side)

    /// Bytes in buffers that grow with what arrives; counted against `Limits.totalBytes`.
    /// Asked after every segment; mutating so that it is read in place and no state is copied for it.
    var heldBytes: Int { mutating get }

    /// Gives up what only bytes that are still to come may refer to (the windows of inflaters), because all conversations
    /// together hold too much. What refers to it later is told as undecodable.
    mutating func dropWindows()

    /// Frees the largest buffer, because all conversations together hold too much; the element it belonged to is told
    /// as cut when it ends. Returns the side whose element was cut, if there was one.
    mutating func cutAssembly() -> Side?
}

extension Layer {
    /// Most layers hold nothing that could be told of a cut element.
    package mutating func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {}

    /// Most layers hold nothing back, or have to.
    package mutating func stopHolding(_ side: Side) {}

    /// Most layers have no windows that outlast an element.
    package mutating func dropWindows() {}
}

/// What became of the bytes that a layer was given.
package enum LayerOutcome {
    /// All were taken.
    case taken
    /// Those from `consumed` on, and all that follow in this direction, wait for a decision of the other side.
    case hold(consumed: Int)
    /// What the other side waited for is decided: its bytes come first, then those from `consumed` on.
    case release(consumed: Int)
    /// The protocol changes: the bytes from `consumed` on, and those held of either side, belong to the next layer.
    case handOver(consumed: Int, to: NextLayer)
}

/// What follows a layer that hands over.
package enum NextLayer {
    case webSocket(WebSocketNegotiation)
    /// Bytes of a protocol that has no layer (h2c, or any other upgrade).
    case opaque
    /// Whatever the bytes turn out to be. `fromStart`: they are the first of what they belong to (the inside of a
    /// CONNECT tunnel); otherwise their beginning may be missing, and they are searched for something known.
    case undecided(fromStart: Bool)
    case tls
}
