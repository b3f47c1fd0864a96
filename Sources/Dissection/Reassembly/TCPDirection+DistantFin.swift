// A FIN some way ahead of what its side had sent: bytes before it are missing here, or it is not its side's.
extension TCPDirection {
    /// Begins to watch what its side says after it.
    mutating func watchFin() {
        guard let fin, !isFinished, fin.distance(from: next) > 0 else { return }
        if suspects.isEmpty { suspects.append(CandidateSegments()) }
        suspects[0].finPatience = LostBytes.mostPackets
    }

    /// Takes the number of a packet without payload. After its FIN a side has the next one.
    mutating func meetFin<Sink: ConversationSink & ~Copyable>(
        _ number: SequenceNumber, into conversation: inout Conversation, sink: inout Sink
    ) {
        guard let patience = suspects.first?.finPatience else { return }
        guard let fin, fin.distance(from: next) > 0 else {
            suspects[0].finPatience = nil
            return evictCandidates()
        }
        // The other side has acknowledged bytes before it that were not seen.
        if number.distance(from: fin) > 0 || (acknowledged?.distance(from: next) ?? 0) > 0 {
            suspects[0].finPatience = nil
            return evictCandidates()
        }
        suspects[0].finPatience = patience - 1
        guard patience <= 1 else { return }
        suspects[0].finPatience = nil
        evictCandidates()
        giveUpFin(place: finPlace, into: &conversation, sink: &sink)
    }
}
