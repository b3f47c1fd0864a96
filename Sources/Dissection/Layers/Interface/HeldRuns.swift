/// Runs of bytes of one or both sides that wait, in order of arrival.
package struct HeldRuns {
    struct Run {
        var arrival: Arrival
        var range: Range<Int>
    }

    /// Of more runs of a side the places are not kept apart.
    private static let mostRuns = 256

    private(set) var bytes: [UInt8] = []
    private(set) var runs: [Run] = []

    var isEmpty: Bool { runs.isEmpty }

    /// What it costs against `Limits`.
    var heldBytes: Int { bytes.capacity + runs.capacity * MemoryLayout<Run>.stride }

    mutating func append(_ run: RawSpan, at arrival: Arrival) {
        let start = bytes.count
        bytes.append(copying: run)
        // Bytes of one place that follow each other are one run, so that a byte at a time costs little.
        if let last = runs.last, last.arrival.side == arrival.side,
            last.arrival.place == arrival.place || runs.count >= HeldRuns.mostRuns
        {
            runs[runs.count - 1].range = last.range.lowerBound..<bytes.count
            runs[runs.count - 1].arrival.place.extend(by: arrival.place)
        } else {
            runs.append(Run(arrival: arrival, range: start..<bytes.count))
        }
    }

    /// The runs from the byte `first` on.
    func pieces(from first: Int) -> [Run] {
        runs.compactMap { run in
            guard run.range.upperBound > first else { return nil }
            let skipped = max(0, first - run.range.lowerBound)
            return Run(arrival: run.arrival.advanced(by: skipped), range: run.range.lowerBound + skipped..<run.range.upperBound)
        }
    }

    /// Takes out all bytes before `count`.
    mutating func drop(first count: Int) {
        runs = pieces(from: count).map { Run(arrival: $0.arrival, range: $0.range.lowerBound - count..<$0.range.upperBound - count) }
        bytes.removeFirst(min(count, bytes.count))
    }
}

extension HeldRuns {
    /// Tells the bytes before `end` as what they are where nothing reads them.
    func tellData<Sink: ConversationSink & ~Copyable>(before end: Int, context: inout ConversationContext, sink: inout Sink) {
        for run in runs where run.range.lowerBound < end {
            let part = bytes.rawBytes.extracting(run.range.lowerBound..<min(end, run.range.upperBound))
            context.emit(.data(DataRun(length: UInt64(part.byteCount))), at: run.arrival, content: part, sink: &sink)
        }
    }
}
