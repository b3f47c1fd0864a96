import Synchronization

/// What all conversations together have read from one side while the other does not take it.
///
/// The bytes of a side that reads leave at once and are not counted. Where many sides do not read, what waits for each is little, and
/// all of it is bounded: thousands of clients that fall asleep cost no more than that.
final class RelayMemory: Sendable {
    /// The most that waits for one side before the other is read no further, in bytes, while there is room.
    static let mostForOne = 256 << 10

    /// What may wait for all sides together, in bytes. Each may have one read more on its way.
    let limit: Int
    private let recorder: Recorder
    private let waiting = Atomic(0)

    /// - Parameter recorder: keeps so much less for its conversations as waits here.
    init(limit: Int, recorder: Recorder) {
        self.limit = limit
        self.recorder = recorder
    }

    /// What waits, in bytes.
    var total: Int { waiting.load(ordering: .relaxed) }

    /// Half of the room is taken: reads become short.
    var isScarce: Bool { total >= limit / 2 }

    /// Whether a side for which so many bytes wait may get more.
    func hasRoom(for waiting: Int) -> Bool { waiting < Self.mostForOne && total < limit }

    /// So many bytes more wait, or fewer, where it is below zero.
    func change(by bytes: Int) {
        guard bytes != 0 else { return }
        waiting.add(bytes, ordering: .relaxed)
        recorder.reserve(bytes)
    }
}
