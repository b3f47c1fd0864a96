/// A layer that reads, whichever it is: what a reader asks of all of them. `HeldLayer` is the only kind there is; this one takes
/// everything and says nothing.
///
/// A class, so that a conversation costs what its own layer costs, and the state is changed in place, never moved out. Its calls are
/// generic over the sink, so that the call of a layer is the only one that is not known when it is compiled.
package class RunningLayer {
    /// Bytes of the layer and its buffers, as they were after the last call that could change them.
    package fileprivate(set) final var heldBytes = 0

    func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
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
}

/// The state of one layer, behind the calls that all have.
final class HeldLayer<State: Layer>: RunningLayer {
    private var state: State

    init(_ state: consuming State) {
        self.state = state
        super.init()
        count(&self.state)
    }

    /// Counts in the same access to the state that changed it, because each access is checked for being the only one.
    @inline(__always)
    private func count(_ state: inout State) { heldBytes = MemoryLayout<State>.size + 32 + state.heldBytes }

    override func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome { receive(bytes, at: arrival, by: &state, context: &context, sink: &sink) }

    @inline(__always)
    private func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, by state: inout State, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        let outcome = state.receive(bytes, at: arrival, context: &context, sink: &sink)
        count(&state)
        return outcome
    }

    override func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        state.flush(at: arrival, context: &context, sink: &sink)
        count(&state)
    }

    override func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? {
        defer { count(&state) }
        return state.skip(length, at: arrival, context: &context, sink: &sink)
    }

    override func pass<Sink: ConversationSink & ~Copyable>(
        _ gap: Gap, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Bool {
        defer { count(&state) }
        return state.pass(gap, at: arrival, context: &context, sink: &sink)
    }

    override func settle<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        state.settle(context: &context, sink: &sink)
        count(&state)
    }

    override func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        state.finish(at: arrival, context: &context, sink: &sink)
        count(&state)
    }

    override func isHolding(_ side: Side) -> Bool { state.isHolding(side) }

    override func stopHolding(_ side: Side) { state.stopHolding(side) }

    override func cutAssembly() -> Side? {
        defer { count(&state) }
        return state.cutAssembly()
    }

    override func dropWindows() {
        state.dropWindows()
        count(&state)
    }

    override var searchSteps: Int { state.searchSteps }
}
