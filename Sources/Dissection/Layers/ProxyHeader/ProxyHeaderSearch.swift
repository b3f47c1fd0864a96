/// Finds the header of a proxy with which a side begins of which nothing else was captured: its SYN was not.
final class ProxyHeaderSearch: MidstreamSearch {
    private var hasNone = false
    private var taken = 0

    var steps: Int { taken }
    var ownBytes: Int { 48 }

    func advance(over bytes: RawSpan, firstRun: Int, from side: Side) -> Sighting? {
        guard !hasNone, firstRun > 0 else { return nil }
        let first = bytes.extracting(0..<min(firstRun, ProxyHeader.decisiveBytes))
        taken += first.byteCount - min(taken, first.byteCount)
        switch ProxyHeader.begins(first) {
        case .yes: return Sighting(end: taken, client: side)
        case .no: hasNone = true
        case .undecided: break
        }
        return nil
    }

    func skip(_ length: UInt64, from side: Side) -> Sighting? {
        hasNone = true
        return nil
    }

    func mayBegin(_ bytes: RawSpan) -> Bool { !hasNone }
}
