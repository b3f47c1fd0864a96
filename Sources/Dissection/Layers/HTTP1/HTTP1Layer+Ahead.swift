/// A server whose bytes stand before those of its client: packets that have changed places in a capture, or a response that
/// nobody asked for.
extension HTTP1Layer {
    /// A server speaks although no request was seen. In a capture its packets may stand before those of the client; a client
    /// that is still to ask will take them for the response.
    var isAheadOfRequests: Bool {
        guard pending.isEmpty, pairing == .sure, !hasStoppedWaiting,
            server.phase == .fresh || server.phase == .head && server.buffer.isEmpty
        else {
            return false
        }
        return client.marks.isDisjoint(with: [.asked, .ended]) && !server.marks.contains(.ended)
    }

    /// A capture has packets in the wrong order by less than this. In nanoseconds.
    private static let longestDisorder: Int64 = 1_000_000_000

    /// Whether the client speaks so long after the server's bytes that these cannot be the response to what it asks now.
    func isLate(_ now: Timestamp?) -> Bool {
        guard let aheadSince, let now else { return false }
        return now.nanoseconds(since: aheadSince) > HTTP1Layer.longestDisorder
    }
}
