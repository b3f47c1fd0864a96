/// One protocol's reading of a conversation, both directions of it.
///
/// A layer takes bytes, a gap, or the end of a direction and hands events to the sink. It never throws, reads no clock
/// and opens nothing: what a peer did wrong is a finding, and reading goes on after it. It judges both peers from
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

    /// Passes a gap on to a channel inside this one, where the bytes that are missing belong to one. False, with nothing done, where they
    /// are the layer's own; it is then asked to `flush` and `skip`.
    mutating func pass<Sink: ConversationSink & ~Copyable>(
        _ gap: Gap, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Bool

    /// Whether all bytes that come belong to a channel inside this one, whose reader notes their ends.
    /// Mutating so that it is read in place: the holder of a layer does not know its type, and copies the state for a call that is not.
    var isPassedOn: Bool { mutating get }

    /// Ends all waiting in channels inside this one, because nothing more will come that could decide.
    mutating func settle<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink)

    /// What would stay open if the connection ended now. Mutating for the same reason.
    var standing: Standing { mutating get }

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

    /// Steps of the searches in channels inside this one, for tests of what they cost.
    var searchSteps: Int { get }

    /// Bytes at the end of what a side brought that wait in channels inside this one whose bytes lie in it side by side.
    func waiting(of side: Side) -> UInt64
}

extension Layer {
    /// Most layers hold nothing that could be told of a cut element.
    package mutating func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {}

    /// Most layers carry no channel inside.
    package mutating func pass<Sink: ConversationSink & ~Copyable>(
        _ gap: Gap, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Bool { false }

    package mutating func settle<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {}

    package var searchSteps: Int { 0 }

    package func waiting(of side: Side) -> UInt64 { 0 }

    package var isPassedOn: Bool { false }

    /// Most layers do not know.
    package var standing: Standing { Standing() }

    /// Most layers hold nothing back, or have to.
    package mutating func stopHolding(_ side: Side) {}

    /// Most layers have no windows that outlast an element.
    package mutating func dropWindows() {}
}
