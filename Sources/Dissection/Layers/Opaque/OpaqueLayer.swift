/// Bytes of a protocol that has no layer: one `data` event for each run that came in.
package struct OpaqueLayer: Layer {
    package init() {}

    package mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        context.emit(.data(DataRun(length: UInt64(bytes.byteCount))), at: arrival, content: bytes, sink: &sink)
        return .taken
    }

    package mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? { nil }

    package mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {}

    package func isHolding(_ side: Side) -> Bool { false }

    package var heldBytes: Int { 0 }

    package mutating func cutAssembly() -> Side? { nil }
}
