/// Bytes that came first of a direction, and of which nobody can tell whether they are its stream's.
struct UnreadFirst: Sendable {
    var bytes: [UInt8]
    var direction: Direction
    var place: Place
}

extension ConversationContext {
    /// Shows bytes that may be no part of what their side said.
    ///
    /// - Parameter row: says why.
    package mutating func tellUnread<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, because row: FindingRow = .connectionTentativeBytes, at arrival: Arrival, sink: inout Sink
    ) {
        emit(.data(DataRun(length: UInt64(bytes.byteCount))), at: arrival, content: bytes, sink: &sink)
        emit(row, a: UInt64(bytes.byteCount), at: arrival, isAlwaysTold: true, sink: &sink)
    }

    /// The same of what came first of a direction, as soon as it is known who is who.
    package mutating func tellUnread<Sink: ConversationSink & ~Copyable>(
        first bytes: RawSpan, of direction: Direction, at place: Place, sink: inout Sink
    ) {
        var copy: [UInt8] = []
        copy.append(copying: bytes)
        unreadFirst.append(UnreadFirst(bytes: copy, direction: direction, place: place))
        if parties.isOpened { tellUnreadFirst(sink: &sink) }
    }

    /// Tells what has waited for it to be known who is who.
    mutating func tellUnreadFirst<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        guard !unreadFirst.isEmpty else { return }
        let waited = unreadFirst
        unreadFirst = []
        for first in waited {
            tellUnread(
                first.bytes.rawBytes, at: Arrival(side: parties.side(of: first.direction), offset: 0, place: first.place), sink: &sink)
        }
    }
}
