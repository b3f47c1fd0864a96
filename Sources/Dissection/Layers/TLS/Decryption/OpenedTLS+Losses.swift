// What of the plaintext is missing, and when it is told.
extension OpenedTLS {
    /// Ciphertext of a side is missing, or cannot be opened.
    ///
    /// - Parameters:
    ///   - isRecord: it is one record; otherwise bytes in which any number of records may have been.
    ///   - end: where it ends.
    func lose(_ count: UInt64, _ cause: Gap.Cause, isRecord: Bool, endingAt end: Arrival) {
        var keys = connection.keys(of: end.side)
        // What is lost before there are keys is no plaintext.
        guard connection.session != nil || keys.kind == .early else { return }
        losses &+= 1
        // A client speaks after the server's part of the handshake.
        if end.side == .server, keys.kind == .handshake, client.offset > 0, early.runCount == 0 { keys.kind = .traffic }
        if end.side == .client {
            client.lost.add(count, cause, isRecord: isRecord, keys: keys, number: losses, endingAt: end)
        } else {
            server.lost.add(count, cause, isRecord: isRecord, keys: keys, number: losses, endingAt: end)
        }
    }

    /// Tells what is missing of both sides, before something of one of them is.
    ///
    /// - Parameter sender: whose bytes come next, so that it is known what is missing before them; nil where none come.
    func passLosses<Sink: ConversationSink & ~Copyable>(
        before sender: Side?, context: inout ConversationContext, sink: inout Sink
    ) {
        let clientIsFirst = (client.lost.firstNumber ?? .max) <= (server.lost.firstNumber ?? .max)
        for side in clientIsFirst ? [Side.client, .server] : [.server, .client] {
            passLosses(of: side, isLast: side != sender, context: &context, sink: &sink)
        }
    }

    private func passLosses<Sink: ConversationSink & ~Copyable>(
        of side: Side, isLast: Bool, context: inout ConversationContext, sink: inout Sink
    ) {
        while let (gap, end) = nextLoss(of: side, isLast: isLast) {
            pass(gap, from: side, outside: end.offset, place: end.place, context: &context, sink: &sink)
        }
    }

    /// What is missing next of a side; nil where nothing is, as far as is known.
    func nextLoss(of side: Side, isLast: Bool) -> (gap: Gap, arrival: Arrival)? {
        guard let session = connection.likelySession else { return nil }
        let overhead = UInt64(max(0, ciphers.overhead(of: session)))
        let next =
            side == .client
            ? client.lost.next(overhead: overhead, isTLS13: session.isTLS13, isLast: isLast)
            : server.lost.next(overhead: overhead, isTLS13: session.isTLS13, isLast: isLast)
        guard let next else { return nil }
        if next.isGuessed || !ciphers.isOverheadExact(of: session) || (side == .client ? client : server).isPadded {
            if side == .client { client.hasInexactGap = true } else { server.hasInexactGap = true }
        }
        return (next.gap, next.arrival)
    }

    /// Whether records of a side are missing since the last one that was opened.
    func isAfterLoss(of side: Side) -> Bool { side == .client ? client.lost.isAfterLoss : server.lost.isAfterLoss }
}
