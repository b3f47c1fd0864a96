/// Finds WebSocket in the middle of a stream by frames of a client with which it begins, and at last by frames anywhere
/// (`WebSocketResync`). A mask tells the client.
final class WebSocketSearch: MidstreamSearch {
    private var effort = ResyncEffort()
    /// The side does not begin with a frame.
    private var hasNone = false
    private var searched = 0

    var steps: Int { effort.steps + searched }

    func advance(over bytes: RawSpan, firstRun: Int, from side: Side) -> Sighting? {
        guard !hasNone, firstRun >= max(1, effort.wanted) else { return nil }
        switch WebSocketResync.clientBoundary(bytes.extracting(0..<firstRun), effort: &effort) {
        case .yes: return Sighting(end: effort.taken, client: side)
        case .no: hasNone = true
        case .undecided: break
        }
        return nil
    }

    func conclude(_ bytes: RawSpan, firstRun: Int, from side: Side, knowsRoles: Bool, isLastResort: Bool) -> Sighting? {
        guard !isLastResort else { return nil }
        searched += bytes.byteCount
        if !knowsRoles || side == .client, WebSocketResync.boundary(in: bytes, from: 0, masked: true) != nil {
            return Sighting(end: bytes.byteCount, client: side)
        }
        if !knowsRoles || side == .server, WebSocketResync.boundary(in: bytes, from: 0, masked: false) != nil {
            return Sighting(end: bytes.byteCount, client: side.peer)
        }
        return nil
    }

    /// Frames without masks are a server's, and what comes from the other side has to be a client's: other protocols have a tag and a length
    /// of one byte in both directions.
    func isRefuted(_ sighting: Sighting, of side: Side, by other: RawSpan) -> Bool {
        guard sighting.client != side, other.byteCount > 0 else { return false }
        searched += other.byteCount
        return !WebSocketResync.areFrames(other, masked: true) && WebSocketResync.boundary(in: other, from: 0, masked: true) == nil
    }

    func mayBegin(_ bytes: RawSpan) -> Bool { !hasNone && effort.wanted > bytes.byteCount }

    func begins(with run: RawSpan, from side: Side) -> Recognized { WebSocketResync.areClientFrames(run) ? .yes : .no }
}
