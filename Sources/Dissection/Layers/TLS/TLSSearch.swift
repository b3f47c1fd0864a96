/// Finds TLS in the middle of a stream by its records (`TLSRecordSearch`).
final class TLSSearch: MidstreamSearch {
    private var records = TLSRecordSearch()

    var steps: Int { records.steps }
    var ownBytes: Int { MemoryLayout<TLSRecordSearch>.size + 160 }

    func advance(over bytes: RawSpan, firstRun: Int, from side: Side) -> Sighting? {
        switch records.advance(over: bytes) {
        case .clientHello?: Sighting(end: records.taken, client: side)
        case .serverHello?: Sighting(end: records.taken, client: side.peer)
        case .records?: Sighting(end: records.taken, client: nil)
        case nil: nil
        }
    }

    func skip(_ length: UInt64, from side: Side) -> Sighting? {
        records.skip(length)
        return nil
    }

    func conclude(_ bytes: RawSpan, firstRun: Int, from side: Side, knowsRoles: Bool, isLastResort: Bool) -> Sighting? {
        records.beginsWithOneRecord && !isLastResort ? Sighting(end: records.taken, client: knowsRoles ? .client : nil) : nil
    }

    func mayBegin(_ bytes: RawSpan) -> Bool { records.isInFirstRecord }

    func begins(with run: RawSpan, from side: Side) -> Recognized {
        TLSRecords.isHelloAmongOthers(run, type: side == .client ? 1 : 2)
    }
}
