import Sessions
import Synchronization

/// The records that one page looks at, in their order: all of them, or those that a scan has found so far.
final class ConsoleView: Sendable {
    /// Records that are not shown, by what hides them.
    struct Hidden: Sendable {
        var filter: Int64 = 0
        var search: Int64 = 0
        var heartbeats: Int64 = 0
    }

    /// How far it has come.
    struct Progress: Sendable {
        /// Records that it shows.
        var total: Int64
        /// Records of the store that were looked at.
        var scanned: Int64
        var hidden: Hidden
        /// Searches that were given up because they took too many steps.
        var givenUp: UInt64
    }

    private struct State {
        var ids = RecordIDs()
        var scanned: Int64 = 0
        var hidden = Hidden()
        var givenUp: UInt64 = 0
        var isClosed = false
    }

    let number: Int
    let request: ViewRequest
    private let store: ConsoleStore
    private let state = Mutex(State())
    /// What is drawn of it, as far as a page requested it.
    let picture = Mutex(ViewPicture())

    init(_ number: Int, _ request: ViewRequest, _ store: ConsoleStore) {
        (self.number, self.request, self.store) = (number, request, store)
    }

    var name: String { "v\(number)" }

    /// No page shows it any more: the scan ends.
    func close() { state.withLock { $0.isClosed = true } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    var progress: Progress {
        if request.isEverything {
            let rows = store.lastCounts.rows
            return Progress(total: rows, scanned: rows, hidden: Hidden(), givenUp: 0)
        }
        return state.withLock {
            Progress(total: Int64($0.ids.count), scanned: $0.scanned, hidden: $0.hidden, givenUp: $0.givenUp)
        }
    }

    /// The numbers of the records that it shows, from a place on.
    func ids(from start: Int64, count: Int) -> [Int64] {
        guard start >= 0, count > 0 else { return [] }
        if request.isEverything {
            let counts = store.lastCounts
            guard start < counts.rows else { return [] }
            return Array(counts.first + start...min(counts.last, counts.first + start + Int64(count) - 1))
        }
        return state.withLock { $0.ids.slice(from: Int(clamping: start), count: count) }
    }

    /// The place of the first record from a number on that it shows.
    func place(of id: Int64) -> Int64? {
        if request.isEverything {
            let counts = store.lastCounts
            return id <= counts.last && counts.rows > 0 ? max(0, id - counts.first) : nil
        }
        return state.withLock { $0.ids.place(atLeast: id).map { Int64($0) } }
    }

    /// Those calls whose replies it shows.
    func only(_ calls: [Calls.Call]) -> [Calls.Call] {
        if request.isEverything { return calls }
        return state.withLock { state in
            calls.filter { call in state.ids.place(atLeast: call.record).map { state.ids[$0] == call.record } ?? false }
        }
    }

    /// The scan has come further.
    func add(_ ids: [Int64], scanned: Int64, hidden: Hidden, givenUp: UInt64) {
        state.withLock { state in
            state.ids.append(ids)
            (state.scanned, state.hidden, state.givenUp) = (scanned, hidden, givenUp)
        }
    }
}
