/// A tunnel: all bytes from here on belong to a channel inside this one, which is read like the wire itself.
///
/// The first of it is what follows the response to a CONNECT (RFC 9110, section 9.3.6), or the ClientHello after a STARTTLS.
package struct TunnelLayer<Inside: ChannelReader>: Layer {
    private var inside: Inside
    private var beginning = ChannelBeginning()

    /// - Parameter fromStart: the first bytes that come are the first inside.
    package init(fromStart: Bool) { inside = Inside(fromStart: fromStart) }

    package mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        beginning.note(arrival)
        context.enterInside(beginning)
        inside.receive(.bytes(bytes), from: arrival.side, place: arrival.place, context: &context, sink: &sink)
        context.leaveInside(beginning)
        return .taken
    }

    package mutating func pass<Sink: ConversationSink & ~Copyable>(
        _ gap: Gap, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Bool {
        beginning.note(arrival)
        context.enterInside(beginning)
        inside.receive(
            .gap(length: gap.length, cause: gap.cause), from: arrival.side, place: arrival.place, context: &context, sink: &sink)
        context.leaveInside(beginning)
        return true
    }

    package mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? { nil }

    package mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        beginning.note(arrival)
        context.enterInside(beginning)
        inside.receive(.finished, from: arrival.side, place: arrival.place, context: &context, sink: &sink)
        context.leaveInside(beginning)
    }

    package mutating func settle<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        context.enterInside(beginning)
        inside.settle(context: &context, sink: &sink)
        context.leaveInside(beginning)
    }

    package var isPassedOn: Bool { true }

    package var standing: Standing { inside.standing }

    package func isHolding(_ side: Side) -> Bool { false }

    package var heldBytes: Int { mutating get { inside.heldBytes } }

    package mutating func cutAssembly() -> Side? { inside.cutAssembly() }

    package mutating func dropWindows() { inside.dropWindows() }

    package var searchSteps: Int { inside.searchSteps }

    package func waiting(of side: Side) -> UInt64 { inside.waiting(of: side) }
}
