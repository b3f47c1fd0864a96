/// What reads one two-way channel of bytes: finds out what is spoken, has one side wait where a rule needs that, hands over where the
/// protocol changes.
///
/// The conversation owns the reader of the wire; a layer that carries a channel inside its own owns another one, of which it only knows
/// this. What the conversation knows (who, totals, place) is in the context, which all of its readers share.
package protocol ChannelReader {
    /// A channel inside another one.
    ///
    /// - Parameter fromStart: the first bytes are the first of what is spoken; otherwise they are searched for something known.
    init(fromStart: Bool)

    /// Takes what a side brought: the next bytes, a gap in them, or their end. The caller has entered the channel
    /// (`ConversationContext.enterInside`).
    mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ event: borrowing StreamEvent, from side: Side, place: Place, context: inout ConversationContext, sink: inout Sink
    )

    /// Ends all waiting, because nothing more will come that could decide.
    mutating func settle<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink)

    /// What would stay open if the connection ended now.
    var standing: Standing { get }

    /// Bytes of buffers, against `Limits.totalBytes`.
    var heldBytes: Int { mutating get }

    /// Cuts the largest element that is being put together. Returns the side whose element was cut, if there was one.
    mutating func cutAssembly() -> Side?

    /// Gives up what only bytes that are still to come may refer to.
    mutating func dropWindows()

    /// Steps of the search for what is spoken, for tests of what it costs.
    var searchSteps: Int { get }

    /// Bytes at the end of what a side brought that no layer has read so far, those that are missing among them.
    func waiting(of side: Side) -> UInt64
}

/// Where a channel begins in the bytes of the one around it.
package struct ChannelBeginning: Sendable {
    private var client: UInt64?
    private var server: UInt64?

    package init() {}

    /// Bytes of the channel around it that lie before its first of a side; 0 while none has come.
    func offset(of side: Side) -> UInt64 { (side == .client ? client : server) ?? 0 }

    /// Takes an arrival in the channel around it; the first of each side is where it begins.
    package mutating func note(_ arrival: Arrival) {
        if arrival.side == .client { client = client ?? arrival.offset } else { server = server ?? arrival.offset }
    }

    /// Says where it begins by where one of its bytes lies: in a channel whose bytes do not lie side by side in the one around it, the last that
    /// came is what counts.
    mutating func set(_ side: Side, outside: UInt64, inside: UInt64) {
        if side == .client { client = outside &- inside } else { server = outside &- inside }
    }

    mutating func extend(by inner: ChannelBeginning) {
        client = offset(of: .client) &+ inner.offset(of: .client)
        server = offset(of: .server) &+ inner.offset(of: .server)
    }

    mutating func shorten(by inner: ChannelBeginning) {
        client = offset(of: .client) &- inner.offset(of: .client)
        server = offset(of: .server) &- inner.offset(of: .server)
    }
}
