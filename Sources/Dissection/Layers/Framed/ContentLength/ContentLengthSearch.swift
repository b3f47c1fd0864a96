/// Looks for the next header with `Content-Length` after a loss, or after what was none. It may begin anywhere, since a body ends without a line
/// end.
///
/// ```
/// … of a lost body"}Content-Length: 15\r\n\r\n{"method":"a"}
///                   └─ found, once the empty line came
/// ```
struct ContentLengthSearch: MessageSearch {
    private(set) var held = HeldRuns()
    private(set) var steps = 0
    private(set) var skipped: UInt64 = 0
    /// Where the header would begin that is being read.
    private var candidate: Int?
    private var head = ContentLengthHead(beginsWithLength: true)
    /// The next byte to look at.
    private var next = 0

    var heldBytes: Int { held.heldBytes }
    var room: Int { 64 }
    var settled: Int { candidate ?? next }

    mutating func receive(_ bytes: RawSpan, at arrival: Arrival) -> Int? {
        held.append(bytes, at: arrival)
        while next < held.bytes.count {
            let begin = candidate ?? next
            steps += 1
            switch head.take(held.bytes[next]) {
            case .ends: return begin
            case .inside:
                candidate = begin
                next += 1
            case .broken:
                // The name has its first letter once only, so that none begins in what fitted; with the byte that does not, one may.
                if begin == next { next += 1 }
                candidate = nil
                head = ContentLengthHead(beginsWithLength: true)
            }
        }
        return nil
    }

    mutating func drop(first count: Int) {
        held.drop(first: count)
        next -= count
        candidate = candidate.map { $0 - count }
        skipped += UInt64(count)
    }
}
