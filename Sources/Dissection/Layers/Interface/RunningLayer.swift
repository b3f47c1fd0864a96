/// A layer that reads, whichever it is: what a reader asks of all of them. `HeldLayer` is the only kind there is; this one takes
/// everything and says nothing.
///
/// A class, so that a conversation costs what its own layer costs, and the state is changed in place, never moved out. Its calls are
/// generic over the sink, so that the call of a layer is the only one that is not known when it is compiled.
package class RunningLayer {
    /// Bytes of the layer and its buffers.
    package var heldBytes: Int { 0 }

    /// - Parameter held: is set to `heldBytes` after the call. Told here, because looking for them is one more access to the state, which
    ///   has to be checked for being the only one, for each segment.
    func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, held: inout Int, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome { .taken }

    func flush<Sink: ConversationSink & ~Copyable>(at arrival: Arrival, context: inout ConversationContext, sink: inout Sink) {}

    func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? { nil }

    func pass<Sink: ConversationSink & ~Copyable>(
        _ gap: Gap, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Bool { false }

    func settle<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {}

    func finish<Sink: ConversationSink & ~Copyable>(at arrival: Arrival, context: inout ConversationContext, sink: inout Sink) {}

    func isHolding(_ side: Side) -> Bool { false }
    func stopHolding(_ side: Side) {}
    func cutAssembly() -> Side? { nil }
    func dropWindows() {}
    var searchSteps: Int { 0 }
    func waiting(of side: Side) -> UInt64 { 0 }
    var isPassedOn: Bool { false }
    var standing: Standing { Standing() }
}

/// The state of one layer, behind the calls that all have.
final class HeldLayer<State: Layer>: RunningLayer {
    /// Each call below is one access, and a layer has no way back to the object that holds it: that the access is the only one needs no
    /// check at run time, which costs more than many a frame.
    @exclusivity(unchecked) private var state: State

    init(_ state: consuming State) { unsafe self.state = state }

    @inline(__always)
    private static func count(_ state: inout State) -> Int { MemoryLayout<State>.size + 32 + state.heldBytes }

    override var heldBytes: Int { unsafe Self.count(&state) }

    override func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, held: inout Int, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome { unsafe Self.receive(bytes, at: arrival, by: &state, held: &held, context: &context, sink: &sink) }

    /// Reads and counts in one access to the state.
    @inline(__always)
    private static func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, by state: inout State, held: inout Int, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        let outcome = state.receive(bytes, at: arrival, context: &context, sink: &sink)
        held = count(&state)
        return outcome
    }

    override func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) { unsafe state.flush(at: arrival, context: &context, sink: &sink) }

    override func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? { unsafe state.skip(length, at: arrival, context: &context, sink: &sink) }

    override func pass<Sink: ConversationSink & ~Copyable>(
        _ gap: Gap, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Bool { unsafe state.pass(gap, at: arrival, context: &context, sink: &sink) }

    override func settle<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        unsafe state.settle(context: &context, sink: &sink)
    }

    override func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) { unsafe state.finish(at: arrival, context: &context, sink: &sink) }

    override func isHolding(_ side: Side) -> Bool { unsafe state.isHolding(side) }

    override func stopHolding(_ side: Side) { unsafe state.stopHolding(side) }

    override func cutAssembly() -> Side? { unsafe state.cutAssembly() }

    override func dropWindows() { unsafe state.dropWindows() }

    override var searchSteps: Int { unsafe state.searchSteps }

    override func waiting(of side: Side) -> UInt64 { unsafe state.waiting(of: side) }

    override var isPassedOn: Bool { unsafe state.isPassedOn }

    override var standing: Standing { unsafe state.standing }
}
