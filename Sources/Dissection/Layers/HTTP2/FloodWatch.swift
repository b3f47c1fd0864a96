/// Counts what a side may do a few times, and never many times within a second.
struct FloodWatch {
    /// What happens so often within a second is named.
    let threshold: UInt32
    private var count: UInt32 = 0
    private var began: Timestamp?
    private var isTold = false

    init(_ threshold: UInt32) { self.threshold = threshold }

    /// What was counted is no flood: something came between.
    mutating func restart() { began = nil }

    /// Counts once more. True where that is too much, once in a conversation. Without a clock nothing is.
    mutating func note(_ time: Timestamp?) -> Bool {
        guard !isTold, let time else { return false }
        if let began, time >= began, time.nanoseconds(since: began) <= 1_000_000_000 {
            count += 1
        } else {
            began = time
            count = 1
        }
        isTold = count >= threshold
        return isTold
    }
}
