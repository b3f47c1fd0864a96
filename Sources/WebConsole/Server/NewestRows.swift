import NIOCore
import Reports
import Sessions
import Synchronization

/// What one page has seen of its view, and the newest rows where it follows them: the thread that scans reads these as soon as it has found them, and
/// they are sent with their count. So a page that follows requests none.
final class NewestRows: Sendable {
    /// What was said of a view last.
    struct Seen: Equatable, Sendable {
        var total: Int64
        var scanned: Int64
        var isComplete: Bool
    }

    /// The message about a view, with its newest rows.
    struct Message: Sendable {
        var view: String
        var seen: Seen
        var bytes: [UInt8]
    }

    private struct State {
        var view: String?
        var count: Int64 = 0
        var seen: Seen?
        var last = NIODeadline.uptimeNanoseconds(0)
        var isWriting = false
    }

    private let state = Mutex(State())

    var view: String? { state.withLock { $0.view } }
    var seen: Seen? { state.withLock { $0.seen } }
    /// Whether the page follows.
    var isFollowed: Bool { state.withLock { $0.view != nil && $0.count > 0 } }

    /// The page looks at a view, and at so many of its newest rows.
    func look(at view: String?, count: Int64) {
        state.withLock { state in (state.view, state.count, state.seen) = (view, max(0, min(count, Console.mostRows)), nil) }
    }

    /// The page is sent what there is at a moment.
    func look(at moment: NIODeadline) { state.withLock { $0.last = moment } }

    func note(_ seen: Seen) { state.withLock { $0.seen = seen } }

    /// Something is on its way to the page.
    func note(isWriting: Bool) { state.withLock { $0.isWriting = isWriting } }

    /// Whether the page may be sent something.
    ///
    /// - Parameter interval: Between two times.
    func isDue(_ interval: TimeAmount) -> Bool { state.withLock { !$0.isWriting && NIODeadline.now() - $0.last >= interval } }

    /// The message that has the newest rows; nil where the page does not follow, and where there are no others. For the thread that scans.
    func message(_ console: Console) -> Message? {
        let (name, count, before) = state.withLock { ($0.view, $0.count, $0.seen) }
        guard let name, count > 0, let view = console.views.view(name) else { return nil }
        let seen = Seen(view.progress, console.store)
        guard seen != before else { return nil }
        guard let rows = try? console.newestRows(of: view, from: max(0, seen.total - count), count: count), !console.store.isOverwritten
        else {
            return nil
        }
        var composer = JSONComposer(isCompact: true)
        composer.object { object in
            object.member("view", name)
            console.add(view, to: &object)
            console.add(rows, to: &object)
        }
        return Message(view: name, seen: seen, bytes: composer.finish())
    }
}

extension NewestRows.Seen {
    init(_ progress: ConsoleView.Progress, _ store: ConsoleStore) {
        (total, scanned) = (progress.total, progress.scanned)
        isComplete = progress.scanned >= store.lastCounts.rows && store.isFinished
    }
}
