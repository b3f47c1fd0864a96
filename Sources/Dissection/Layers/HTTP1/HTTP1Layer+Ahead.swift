/// A server whose bytes stand before those of its client: packets that have changed places in a capture, or a response that
/// nobody asked for.
extension HTTP1Layer {
    /// A server speaks although no request was seen. In a capture its packets may stand before those of the client; a client
    /// that is still to ask will take them for the response.
    var isAheadOfRequests: Bool {
        guard exchange.isUnasked, server.phase == .fresh || server.phase == .head && server.buffer.isEmpty else { return false }
        return !client.marks.contains(.ended) && !server.marks.contains(.ended)
    }

    /// The server had nothing of a request when it spoke: what the client asks later is not what it has responded to. A proxy sees all in its
    /// order; in a capture, a packet that has changed places with a request says that its sender had that.
    func isSurelyUnasked(_ arrival: Arrival, _ context: borrowing ConversationContext) -> Bool {
        guard !isFound, client.buffer.isEmpty, context.isWhole(.client) else { return false }
        return !arrival.place.hasReceived(context.client.bytes)
    }

    /// A server of HTTP/2 may send its first frame as soon as it is connected, however long the client takes to ask. No response begins with
    /// such a byte.
    func mayBeServerFrame(_ first: UInt8, at arrival: Arrival, _ context: borrowing ConversationContext) -> Bool {
        first == 0 && arrival.offset == 0 && !isFound && context.hasBeginning(.server)
    }

    /// The client's bytes wait for the response that says what they are. Where nothing of the server was captured, it may still come, because
    /// a client may send ahead of it; once the client has received what was not seen, it will not.
    mutating func awaitResponse(at arrival: Arrival, consumed: Int, _ context: borrowing ConversationContext) -> LayerOutcome {
        if context.isUnseen(.server), arrival.place.hasReceived(0) { exchange.loseAnswer() }
        guard !exchange.isHoldingClient else { return hold(at: arrival, consumed: consumed) }
        let isTunnel = exchange.isTunnelAsked
        exchange.endHold()
        let isWhole = client.phase != .lost && !context.hasGap(.client)
        return .handOver(consumed: consumed, to: isTunnel ? .inside(fromStart: isWhole) : .undecided(fromStart: false))
    }

    /// A capture has packets in the wrong order by less than this. In nanoseconds.
    private static let longestDisorder: Int64 = 1_000_000_000

    /// Whether the client speaks so long after the server's bytes that these cannot be the response to what it asks now.
    func isLate(_ now: Timestamp?) -> Bool {
        guard let since = exchange.aheadSince, let now else { return false }
        return now.nanoseconds(since: since) > HTTP1Layer.longestDisorder
    }
}
