/// Counts what a side may do a few times, and never many times within a second, whenever that second begins.
///
/// It keeps when the last of them were, as many as are too much: those are too fast where the oldest is no older than a second.
struct FloodWatch {
    /// What happens so often within a second is named.
    let threshold: UInt32
    /// A ring: the oldest is at `oldest` once all places are taken.
    private var times: [Timestamp] = []
    private var oldest = 0
    private var isTold = false

    init(_ threshold: UInt32) { self.threshold = threshold }

    var heldBytes: Int { times.capacity * MemoryLayout<Timestamp>.stride }

    /// What was counted is no flood: something came between.
    mutating func restart() {
        guard !times.isEmpty else { return }
        times.removeAll(keepingCapacity: true)
        oldest = 0
    }

    /// Counts once more. True where that is too much, once in a conversation. Without a clock nothing is.
    mutating func note(_ time: Timestamp?) -> Bool {
        guard !isTold, let time else { return false }
        if times.count < threshold {
            times.append(time)
        } else {
            times[oldest] = time
            oldest = oldest + 1 < times.count ? oldest + 1 : 0
        }
        guard times.count >= threshold, oldest < times.count else { return false }
        let first = times[oldest]
        isTold = time >= first && time.nanoseconds(since: first) <= 1_000_000_000
        if isTold { times = [] }
        return isTold
    }
}
