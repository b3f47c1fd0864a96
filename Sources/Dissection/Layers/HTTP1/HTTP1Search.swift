/// Finds HTTP/1 in the middle of a stream by its start lines (`StartLineSearch`).
final class HTTP1Search: MidstreamSearch {
    /// The method of a request and the version and status of a response lie within so many bytes.
    private static let decisiveBytes = 64

    private var lines = StartLineSearch([.request, .status])
    /// Up to here a line that is not whole has no byte that no start line has.
    private var clean = 0
    private var earlierSteps = 0

    var steps: Int { earlierSteps + lines.steps + clean }
    var ownBytes: Int { MemoryLayout<StartLineSearch>.size + 64 }

    private static func sighting(_ found: StartLineSearch.Found, at end: Int, from side: Side) -> Sighting {
        Sighting(end: end, client: found.isRequest ? side : side.peer)
    }

    func advance(over bytes: RawSpan, firstRun: Int, from side: Side) -> Sighting? {
        lines.advance(over: bytes, base: 0).map {
            Sighting(end: lines.taken, client: $0.isRequest ? side : side.peer, turnStart: $0.start)
        }
    }

    func skip(_ length: UInt64, from side: Side) -> Sighting? {
        lines.conclude().map { Self.sighting($0, at: lines.taken, from: side) }
    }

    func conclude(_ bytes: RawSpan, firstRun: Int, from side: Side, knowsRoles: Bool, isLastResort: Bool) -> Sighting? {
        guard isLastResort else { return lines.conclude().map { Self.sighting($0, at: lines.taken, from: side) } }
        guard !knowsRoles || side == .client, HTTP1Lines.isUnfinishedRequest(bytes.extracting(0..<firstRun)) else { return nil }
        return Sighting(end: firstRun, client: side)
    }

    func mayBegin(_ bytes: RawSpan) -> Bool {
        if lines.hasStartLine { return true }
        guard bytes.byteCount < HTTP1Lines.longestStartLine else { return false }
        return HTTP1Lines.isUnfinishedRequest(bytes.extracting(0..<min(bytes.byteCount, 32))) && isClean(bytes)
    }

    func restart() {
        earlierSteps = steps
        lines = StartLineSearch([.request, .status])
        clean = 0
    }

    func begins(with run: RawSpan, from side: Side) -> Recognized {
        if let found = lines.advance(over: run, base: 0) { return found.start == 0 && found.isRequest == (side == .client) ? .yes : .no }
        guard lines.pending == 0 else { return .no }
        if lines.hasStartLine { return .undecided }
        let beginning = run.extracting(0..<min(run.byteCount, Self.decisiveBytes))
        if side == .server { return HTTP1Lines.statusLine(in: beginning, at: 0) == .no ? .no : .undecided }
        return HTTP1Lines.isUnfinishedRequest(beginning) && isClean(run) ? .undecided : .no
    }

    /// No control character came.
    private func isClean(_ bytes: RawSpan) -> Bool {
        while clean < bytes.byteCount, bytes[clean] >= 0x20, bytes[clean] != 0x7F { clean += 1 }
        return clean == bytes.byteCount
    }
}
