import Libc
import Reports
import Sessions
import Synchronization

/// The views of all pages, and the thread that scans for them: each gets its turn.
final class Views: Sendable {
    private struct State {
        /// The least recently used first.
        var views: [ConsoleView] = []
        var last = 0
        var isScanning = false
        /// When the last turn of all views began, in nanoseconds.
        var begun: Int64 = 0
    }

    /// Reports when there is more in the store or in a view.
    let growth = Growth()

    /// What the scans keep; touched on the thread that scans alone.
    private final class Scans: @unchecked Sendable {
        var open: [ViewScan] = []
        var counts = SessionCounts()
        var isFinished = false
        var hasMore = false
    }

    private let store: ConsoleStore
    private let worker: Worker
    private let state = Mutex(State())
    private let scans = Scans()

    /// Nanoseconds between two times that they look at what comes: pages are sent how much there is five times a second (`LiveSocket`).
    private static let pause: Int64 = 185_000_000

    /// Views that are kept at most.
    static let most = 16

    init(_ store: ConsoleStore, on worker: Worker) { (self.store, self.worker) = (store, worker) }

    /// Makes a view and begins to scan for it. Where there are too many, the one that was not asked for longest goes.
    ///
    /// - Parameter replaced: The name of a view that the page does not need any more.
    func make(_ request: ViewRequest, replacing replaced: String? = nil) -> ConsoleView {
        let view = state.withLock { state in
            if let replaced { Self.close(replaced, in: &state) }
            state.last += 1
            let view = ConsoleView(state.last, request, store)
            state.views.append(view)
            if state.views.count > Self.most { state.views.removeFirst().close() }
            return view
        }
        scan()
        return view
    }

    func view(_ name: some StringProtocol) -> ConsoleView? {
        state.withLock { state in
            guard let place = state.views.firstIndex(where: { $0.name == name }) else { return nil }
            let view = state.views.remove(at: place)
            state.views.append(view)
            return view
        }
    }

    /// - Returns: Whether there was one.
    @discardableResult
    func close(_ name: some StringProtocol) -> Bool { state.withLock { Self.close(String(name), in: &$0) } }

    @discardableResult
    private static func close(_ name: String, in state: inout State) -> Bool {
        guard let place = state.views.firstIndex(where: { $0.name == name }) else { return false }
        state.views.remove(at: place).close()
        return true
    }

    /// Ends what is done for all of them.
    func closeAll() {
        state.withLock { state in
            for view in state.views { view.close() }
            state.views = []
        }
    }

    /// Has the scans look at what has come since, unless they did so a moment ago: what comes in that moment is looked at with what comes after it,
    /// or when a page's clock has it looked at.
    func scanAfterPause() {
        let now = MonotonicTime.nanoseconds
        if state.withLock({ $0.begun == 0 || now - $0.begun >= Self.pause }) { scan() }
    }

    /// Has the scans look at what has come since.
    func scan() {
        let now = MonotonicTime.nanoseconds
        let begins = state.withLock { state in
            guard !state.isScanning else { return false }
            (state.isScanning, state.begun) = (true, now)
            return true
        }
        if begins { worker.submit { [self] in round() } }
    }

    /// One turn of each view.
    private func round() {
        let views = state.withLock { $0.views }
        scans.open.removeAll { $0.view.isClosed }
        for view in views where !scans.open.contains(where: { $0.view === view }) { scans.open.append(ViewScan(view)) }
        let counts = store.counts(through: store.scans)
        var hasMore = false
        for scan in scans.open {
            do {
                if try scan.advance(store, counts) { hasMore = true }
            } catch {
                store.note(error)
            }
        }
        let isFinished = store.isFinished
        let hasGrown = hasMore || scans.hasMore || counts != scans.counts || isFinished != scans.isFinished
        (scans.hasMore, scans.counts, scans.isFinished) = (hasMore, counts, isFinished)
        let goesOn = state.withLock { state in
            // One that has come meanwhile has its turn too.
            let isNew = state.views.last.map { last in !views.contains { $0 === last } } ?? false
            state.isScanning = hasMore || isNew
            return state.isScanning
        }
        if hasGrown { growth.report() }
        if goesOn { worker.submit { [self] in round() } }
    }
}
