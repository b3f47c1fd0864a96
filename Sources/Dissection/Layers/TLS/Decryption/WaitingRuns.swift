/// Bytes of both sides that wait for keys, in order of arrival.
struct WaitingRuns {
    private struct Run {
        var range: Range<Int>
        var arrival: Arrival
    }

    private var bytes: [UInt8] = []
    private var runs: [Run] = []

    var heldBytes: Int { bytes.capacity + runs.capacity * MemoryLayout<Run>.stride }

    /// Bytes that wait.
    var count: Int { bytes.count }

    mutating func append(_ run: RawSpan, at arrival: Arrival) {
        guard run.byteCount > 0 else { return }
        let start = bytes.count
        bytes.append(copying: run)
        runs.append(Run(range: start..<bytes.count, arrival: arrival))
    }

    var runCount: Int { runs.count }

    func arrival(of run: Int) -> Arrival { runs[run].arrival }

    @_lifetime(borrow self)
    func bytes(of run: Int) -> RawSpan { bytes.rawBytes.extracting(runs[run].range) }
}
