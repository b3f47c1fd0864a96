// Bytes that are shown beside what a layer reads, or in its place.
extension Reader {
    /// Shows bytes that no layer is to read.
    mutating func show<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, from side: Side, place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = Arrival(side: side, offset: sides.offset(of: side), place: place)
        sides.advance(side, by: UInt64(bytes.byteCount))
        context.emit(.data(DataRun(length: UInt64(bytes.byteCount))), at: arrival, content: bytes, sink: &sink)
    }

    /// Shows bytes that nobody may read as what their side said: the layer goes on behind them as behind a gap.
    mutating func show<Sink: ConversationSink & ~Copyable>(
        unread bytes: RawSpan, because row: FindingRow, from side: Side, place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = Arrival(side: side, offset: sides.offset(of: side), place: place)
        layer?.flush(at: arrival, context: &context, sink: &sink)
        context.tellUnread(bytes, because: row, at: arrival, sink: &sink)
        sides.advance(side, by: UInt64(bytes.byteCount))
        context.sight.note(.resync, of: side)
        _ = layer?.skip(UInt64(bytes.byteCount), at: arrival, context: &context, sink: &sink)
        countLayer()
    }

    /// Leaves out the first bytes of a side, of which nothing was read yet.
    mutating func passOver(_ count: Int, of side: Side) { sides.advance(side, by: UInt64(count)) }

    /// Shows where such bytes are not to be had.
    mutating func show<Sink: ConversationSink & ~Copyable>(
        _ gap: Gap, from side: Side, place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        context.emit(.gap(gap), at: Arrival(side: side, offset: sides.offset(of: side), place: place), sink: &sink)
        sides.skip(side, by: gap.length)
    }
}
