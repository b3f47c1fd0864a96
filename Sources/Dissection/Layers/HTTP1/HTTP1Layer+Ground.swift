/// Whether what is read stands on bytes that were seen whole: only then a rule about where messages begin and end is held against anybody.
///
/// A start line that a search has found, after a loss or in the middle of a conversation, may be a part of something else: of a body, or of
/// what another protocol carries. It has shown itself as what it seems once the next one follows where its message ends. Where a response
/// ends depends on its request as well, and what a server may say at all on every request that there was. The first response that was seen
/// stands where one has to, after a request that was.
extension HTTP1Layer {
    /// Whether the message that is read surely ends where it seems to.
    func isCertain(_ side: Side) -> Bool {
        guard self[side].marks.isDisjoint(with: [.found, .quoted]), !isRefuted else { return false }
        return side == .client || !exchange.isUnmatched
    }

    /// Whether a message of a side surely has to begin here.
    func isBoundaryCertain(_ side: Side) -> Bool {
        guard isCertain(side) else { return false }
        // What was not seen, or not understood, of the client may have asked for what follows.
        return side == .client || exchange.certainty == .sure && client.phase != .lost
    }

    /// A head is whole: it bears out the message before it, unless a search has found it.
    mutating func noteHead(_ side: Side) {
        self[side].marks.remove(self[side].marks.contains(.foundHere) ? .foundHere : .found)
    }

    /// Whether the head that was just read may be no word of its sender's own: a search has found it behind other bytes, or what stands
    /// before it was, and nothing has borne it out.
    func isHeadTentative(_ side: Side) -> Bool {
        let marks = self[side].marks
        return isRefuted || marks.contains(.quoted) || marks.contains(.found) && !marks.contains(.mayLackBeginning)
    }

    /// What was found by a search on either side has once been followed by something else.
    private var isRefuted: Bool { client.marks.contains(.refuted) || server.marks.contains(.refuted) }

    /// A message of a side is whole as far as its head goes. What follows it without a word of the other side may be quoted together with it.
    mutating func noteUnanswered(_ side: Side) {
        if self[side].marks.contains(.unanswered) { self[side].marks.insert(.quoted) }
    }

    /// A response belongs to a request: nobody quotes both.
    mutating func noteExchange() {
        client.marks.remove([.unanswered, .quoted])
        server.marks.remove([.unanswered, .quoted])
    }

    /// The other side has read on: it answers a request whose body is still coming, or asks again before it has all of a response. Neither is
    /// common, and both are what a start line looks like that a body quotes.
    mutating func notePassedOver(_ side: Side) {
        if self[side].isInBody, self[side].marks.contains(.found) { self[side].marks.insert(.passedOver) }
    }

    /// Takes the first byte that a side sends after its message was passed over. Where a new one may begin with it, what was taken for the
    /// body ends, and is searched from here on.
    mutating func endPassedOver<Sink: ConversationSink & ~Copyable>(
        _ first: UInt8, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let side = arrival.side
        self[side].marks.remove(.passedOver)
        guard self[side].isInBody, side == .client ? first &- 0x41 < 26 : first == UInt8(ascii: "H") else { return }
        let line = brokenLine(arrival)
        self[side].body.interrupt(at: line, context: &context, sink: &sink)
        self[side].body.release()
        tellBrokenLine(from: line, to: arrival, context: &context, sink: &sink)
        self[side].marks.insert(.refuted)
        loseAlignment(at: arrival)
    }

    /// Whether the method of a request may be the rest of another one, because no byte before it was seen.
    func mayLackBeginning(_ head: RawSpan, _ method: ByteRange) -> Bool {
        client.marks.contains(.mayLackBeginning) && HTTP1Methods.isRest(head, method)
    }
}
