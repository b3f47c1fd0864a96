/// How long conversations have lasted that ended as if their lives were limited: after one of the times that such limits have, with bytes just
/// before. One alone is chance; several with one server that were opened at different times are not.
struct LifeSpans: Sendable {
    /// The times that limits on the life of a connection have, in seconds.
    private static let limits: [Int64] = [30, 60, 3_600, 7_200]
    /// The oldest are forgotten.
    private static let most = 64
    /// After a longer silence a timeout for idle connections may have ended it.
    private static let shortSilence: Int64 = 5_000_000_000

    private struct Span: Sendable {
        var server: Endpoint
        var side: Side
        var life: Int64
        var opened: Timestamp
    }

    private var spans: [Span] = []

    /// Bytes of what is remembered.
    var heldBytes: Int { spans.capacity * MemoryLayout<Span>.stride }

    init() {}

    /// Takes the end of a conversation. Returns its life in nanoseconds and how many conversations before it had one as long; nil where there was
    /// none, or where its life says nothing.
    mutating func take(_ closing: Closing, _ context: borrowing ConversationContext) -> (life: Int64, others: UInt64)? {
        guard let span = Self.span(closing, context) else { return nil }
        var others: UInt64 = 0
        var openings = [span.opened]
        for known in spans where known.server == span.server && known.side == span.side && Self.isNear(known.life, span.life) {
            // What was opened at the same time may have been ended by the same event.
            let isOwn = openings.allSatisfy { known.opened.nanoseconds(since: $0).magnitude > span.life.magnitude / 50 }
            guard isOwn else { continue }
            openings.append(known.opened)
            others += 1
        }
        if spans.count == Self.most { spans.removeFirst() }
        spans.append(span)
        return others > 0 ? (span.life, others) : nil
    }

    /// Of a conversation whose life may have been limited.
    private static func span(_ closing: Closing, _ context: borrowing ConversationContext) -> Span? {
        guard context.parties.start != .midstream, let opened = context.parties.openedPlace.time, let ended = closing.endedAt,
            let silence = closing.silence, silence <= max(shortSilence, context.survivedSilence), closing.client.bytes > 0,
            closing.server.bytes > 0, context.mayShowSilence
        else { return nil }
        let life = ended.nanoseconds(since: opened)
        guard limits.contains(where: { isNear(life, $0 &* 1_000_000_000) }) else { return nil }
        let side: Side
        switch (closing.by, closing.how) {
        case (.server, .fin), (.server, .reset), (.server, .closeFrame): side = .server
        // A client that takes its leave, or has its responses, is done.
        case (.client, .fin) where context.standingAtEnd.work != .idle, (.client, .reset) where context.standingAtEnd.work != .idle:
            side = .client
        case _: return nil
        }
        return Span(server: context.parties.server, side: side, life: life, opened: opened)
    }

    /// Within 1 % of it.
    private static func isNear(_ life: Int64, _ other: Int64) -> Bool { (life &- other).magnitude <= other.magnitude / 100 }
}

extension Conversation {
    /// Reports a life that others with the same server had as well.
    static func reportLife<Sink: ConversationSink & ~Copyable>(
        _ closing: Closing, at place: Place, among lives: inout LifeSpans, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let (life, others) = lives.take(closing, context) else { return }
        var text = FindingText()
        text.append(span: life)
        text.append(" after it was opened")
        context.emit(Finding(.connectionLifeLimit, a: others), at: place, content: text.bytes.rawBytes, sink: &sink)
    }
}
