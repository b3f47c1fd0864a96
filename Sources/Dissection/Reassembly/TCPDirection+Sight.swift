// How much of a direction is seen, for who judges the other one by it.
extension TCPDirection {
    /// How much was seen of what this side has sent so far. Costs a few comparisons: it is asked for each segment.
    @inline(__always)
    var sight: Sight {
        guard isBegun else { return .nothing }
        guard initial != nil else { return .lackingBeginning }
        // A FIN takes a number of its own.
        let end = hasEnded ? 1 : 0
        if let acknowledged, acknowledged.distance(from: next) > end { return .lackingBytes }
        if !suspects.isEmpty, let sent = suspects[0].sent, sent.distance(from: next) > end { return .lackingBytes }
        // What one packet alone acknowledges is not believed yet, but neither is it ruled out.
        if !suspects.isEmpty, let claim = suspects[0].claim, claim.isPossible, !claim.isContradicted,
            claim.number.distance(from: next) > end
        {
            return .lackingBytes
        }
        return .whole
    }

    /// Begins without a SYN, and tells where.
    mutating func begin(midstream first: SequenceNumber, of conversation: inout Conversation) {
        begin(midstream: first)
        conversation.note(beginning: beginning, of: direction)
    }

    /// Begins further back, and tells where.
    mutating func beginEarlier(at start: SequenceNumber, of conversation: inout Conversation) {
        beginEarlier(at: start)
        conversation.note(beginning: beginning, of: direction)
    }

    /// As far as its own bytes are judged, only whether its beginning was seen counts.
    @inline(__always)
    var ownSight: Sight { initial == nil ? .lackingBeginning : .whole }
}
