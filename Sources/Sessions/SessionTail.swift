import Synchronization

/// What was stored last in a session file, for readers in the process that writes it: how much there is, and when each of the last records came.
///
/// A page that shows a live run asks for both several times a second. With this, neither is read from the file again.
package final class SessionTail: Sendable {
    /// When a record came, from whom and how long it is.
    package struct Moment: Sendable {
        /// The word for its kind.
        package var kind: StaticString
        package var isMessage: Bool
        /// 0 for the client, 1 for the server.
        package var side: Int8?
        /// As the file numbers it; 0 where the record is about the input.
        package var conversation: Int64
        /// In nanoseconds since 1970.
        package var time: Int64?
        /// Bytes, of a message.
        package var length: Int64
    }

    /// The records of one batch, whose numbers follow one another.
    private struct Part {
        var first: Int64
        var moments: [Moment]
        var end: Int64 { first + Int64(moments.count) }
    }

    private struct State {
        var counts: SessionCounts?
        /// Each of them begins where the one before it ends.
        var parts: [Part] = []
        var kept = 0
    }

    private let state = Mutex(State())
    private let watched = Atomic(false)

    /// Records and batches of which moments are kept.
    private static let most = (moments: 32_768, parts: 512)

    package init() {}

    /// Whether moments are kept of what is stored from now on.
    package var isWatched: Bool {
        get { watched.load(ordering: .relaxed) }
        set { watched.store(newValue, ordering: .relaxed) }
    }

    /// How much the file has; nil before the first batch, and where the file has records of other runs. There is a record for each number.
    package var counts: SessionCounts? { state.withLock { $0.counts } }

    /// Takes a batch that was stored.
    ///
    /// - Parameter moments: of all its records; empty where nothing watches.
    func take(_ counts: SessionCounts?, from first: Int64, _ moments: [Moment]) {
        state.withLock { state in
            state.counts = counts
            if moments.isEmpty || state.parts.last.map({ $0.end != first }) ?? false { (state.parts, state.kept) = ([], 0) }
            guard !moments.isEmpty else { return }
            state.parts.append(Part(first: first, moments: moments))
            state.kept += moments.count
            var dropped = 0
            while state.kept > Self.most.moments || state.parts.count - dropped > Self.most.parts, dropped < state.parts.count - 1 {
                state.kept -= state.parts[dropped].moments.count
                dropped += 1
            }
            state.parts.removeFirst(dropped)
        }
    }

    /// Whether it has the moments of all records from a number on.
    package func has(from id: Int64) -> Bool { state.withLock { state in state.parts.first.map { $0.first <= id } ?? false } }

    /// Lends the moments of the records from one number to another, in their order, where it has all of them.
    ///
    /// - Parameter body: takes the number of a record and its moment, and says whether to go on.
    /// - Returns: Whether it has them. Otherwise nothing was lent.
    package func lend(from first: Int64, through last: Int64, _ body: (Int64, Moment) -> Bool) -> Bool {
        // The arrays are shared: nothing is copied, and what is stored meanwhile waits for nothing.
        let parts = state.withLock { state -> [Part] in
            guard let start = state.parts.first, start.first <= first, let end = state.parts.last, end.end > last else { return [] }
            return state.parts.filter { $0.end > first && $0.first <= last }
        }
        guard !parts.isEmpty else { return false }
        for part in parts {
            let (start, end) = (max(first, part.first), min(last, part.end - 1))
            guard start <= end else { continue }
            for id in start...end where !body(id, part.moments[Int(id - part.first)]) { return true }
        }
        return true
    }
}
