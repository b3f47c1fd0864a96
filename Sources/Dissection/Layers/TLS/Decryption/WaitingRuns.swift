/// Bytes of both sides that wait for keys, in order of arrival.
struct WaitingRuns {
    private struct Run {
        var range: Range<Int>
        var arrival: Arrival
        /// It stands for bytes that are missing, and has none.
        var gap: Gap?
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

    /// Bytes are missing that end at `arrival`.
    mutating func append(_ gap: Gap, at arrival: Arrival) {
        runs.append(Run(range: bytes.count..<bytes.count, arrival: arrival, gap: gap))
    }

    /// What a run stands for, where its bytes are missing.
    func gap(of run: Int) -> Gap? { runs[run].gap }

    var runCount: Int { runs.count }

    func arrival(of run: Int) -> Arrival { runs[run].arrival }

    @_lifetime(borrow self)
    func bytes(of run: Int) -> RawSpan { bytes.rawBytes.extracting(runs[run].range) }
}
