/// How long conversations have lasted that ended as if their lives were limited: after one of the times that such limits have, with bytes just
/// before. One alone is chance; several with one server that were opened at different times are not.
struct LifeSpans: Sendable {
    /// The times that limits on the life of a connection have, in seconds.
    private static let limits: [Int64] = [30, 60, 3_600, 7_200]
    /// The oldest are forgotten.
    private static let most = 64
    /// After a longer silence a timeout for idle connections may have ended it.
    private static let shortSilence: Int64 = 5_000_000_000
    /// A server that ends so soon after bytes of the client may do what these ask for: a protocol of its own has its own goodbye.
    private static let responseTime: Int64 = 500_000_000
    /// No limit is shorter.
    private static let shortestLife: Int64 = 29_000_000_000

    private struct Span: Sendable {
        var server: Endpoint
        var life: Int64
        var opened: Timestamp
    }

    private var spans: [Span] = []
    /// The longest life with each server, of those that were long enough for a limit; the oldest are forgotten.
    private var longest: [(server: Endpoint, life: Int64)] = []

    /// Bytes of what is remembered.
    var heldBytes: Int { spans.capacity * MemoryLayout<Span>.stride + longest.capacity * MemoryLayout<(Endpoint, Int64)>.stride }

    init() {}

    /// Takes the end of a conversation. Returns its life in nanoseconds and how many conversations before it had one as long; nil where there was
    /// none, or where its life says nothing.
    mutating func take(_ closing: Closing, _ context: borrowing ConversationContext) -> (life: Int64, others: UInt64)? {
        guard let opened = context.parties.openedPlace.time, let ended = closing.endedAt else { return nil }
        let life = ended.nanoseconds(since: opened)
        guard life >= Self.shortestLife else { return nil }
        let known = noteLife(life, with: context.parties.server)
        // What lived longer was under no such limit.
        guard known <= life &+ life / 100, let span = Self.span(closing, life, opened, context) else { return nil }
        var others: UInt64 = 0
        var openings = [span.opened]
        for known in spans where known.server == span.server && Self.isNear(known.life, span.life) {
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

    /// Notes how long a conversation lasted. Returns the longest with this server so far.
    private mutating func noteLife(_ life: Int64, with server: Endpoint) -> Int64 {
        if let index = longest.firstIndex(where: { $0.server == server }) {
            longest[index].life = max(longest[index].life, life)
            return longest[index].life
        }
        if longest.count == Self.most { longest.removeFirst() }
        longest.append((server, life))
        return life
    }

    /// Of a conversation whose life may have been limited.
    private static func span(_ closing: Closing, _ life: Int64, _ opened: Timestamp, _ context: borrowing ConversationContext) -> Span? {
        guard limits.contains(where: { isNear(life, $0 &* 1_000_000_000) }) else { return nil }
        guard context.parties.start != .midstream,
            let silence = closing.silence, silence <= max(shortSilence, context.survivedSilence), closing.client.bytes > 0,
            closing.server.bytes > 0, context.mayShowSilence
        else { return nil }
        // A client that ends is done, and so is who says goodbye or has sent a response.
        let standing = context.standingAtEnd
        guard closing.by == .server, closing.how == .fin || closing.how == .reset,
            standing.isEndless || standing.work == .unknown || standing.work == .sealed
        else { return nil }
        // The goodbye of a WebSocket is its Close frame.
        guard standing.isEndless || context.spoken.clientSilence(until: closing.endedAt) ?? 0 > responseTime else { return nil }
        return Span(server: context.parties.server, life: life, opened: opened)
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
