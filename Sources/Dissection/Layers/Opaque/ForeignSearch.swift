/// Finds in the middle of a stream what is known and has no layer, but carries messages of one that has: ICAP.
final class ForeignSearch: MidstreamSearch {
    private var lines = ICAPLine.Search()

    var steps: Int { lines.taken }
    var ownBytes: Int { 80 }

    func advance(over bytes: RawSpan, firstRun: Int, from side: Side) -> Sighting? {
        lines.advance(over: bytes).map { Sighting(end: lines.taken, client: $0 ? side : side.peer) }
    }
}
