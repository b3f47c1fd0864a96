import CaptureFiles
import Dissection
import Reports
import Sessions
import Synchronization

/// The replies among the messages, of whatever protocol, with how long their calls took: found once for all views, from when a page first shows a
/// picture. HTTP's responses and pongs are not among them: their records have it.
final class Calls: Sendable {
    /// A message that replied to a call.
    struct Call: Sendable {
        var record: Int64
        /// When the reply came, in nanoseconds since 1970.
        var end: Int64
        /// In nanoseconds.
        var took: Int64
    }

    private struct State {
        var list: [Call] = []
        var scanned: Int64 = 0
        var isScanning = false
    }

    /// Belongs to the thread that scans.
    private final class Scan: @unchecked Sendable {
        var sink = CallSink()
        var teller = Scan.teller
        /// The last record that was looked at; nil before the first.
        var position: Int64?

        static var teller: LogTeller {
            var teller = LogTeller(mostBytes: 16 << 20)
            teller.begin(CaptureSource(kind: .file, name: "", tool: ""), after: Totals())
            return teller
        }

        /// Begins anew: what was left out while it was live can be had now.
        func restart() { (sink, teller, position) = (CallSink(), Scan.teller, nil) }
    }

    private let store: ConsoleStore
    private let worker: Worker
    private let state = Mutex(State())
    private let scan = Scan()

    /// Calls that are kept: of more, the half that took less goes.
    private static let most = 200_000
    /// Records that are looked at in one go; of those that were stored a moment ago few, so that few are read of a conversation that comes again.
    private static let (step, shortStep): (Int64, Int64) = (1_024, 64)
    /// How long a turn takes, so that the scans of views get theirs.
    private static let turn = Duration.milliseconds(25)

    init(_ store: ConsoleStore, on worker: Worker) { (self.store, self.worker) = (store, worker) }

    /// Has the thread look at what has come since.
    func advance() {
        let begins = state.withLock { state in
            guard !state.isScanning else { return false }
            state.isScanning = true
            return true
        }
        if begins { worker.submit { [self] in round() } }
    }

    /// Whether every record was looked at.
    var isComplete: Bool { state.withLock { $0.scanned } >= store.lastCounts.last }

    /// Those of a view, in no order.
    func list(of view: ConsoleView) -> [Call] { view.only(state.withLock { $0.list }) }

    /// What a message replies to took longest, where it is a reply that was found by now.
    func reply(_ record: Int64) -> Call? {
        state.withLock { state in state.list.lazy.filter { $0.record == record }.max { $0.took < $1.took } }
    }

    private func round() {
        var goesOn = false
        do { goesOn = try look() } catch { store.note(error) }
        state.withLock { $0.isScanning = goesOn }
        if goesOn { worker.submit { [self] in round() } }
    }

    /// - Returns: Whether there is more to look at.
    private func look() throws -> Bool {
        let counts = store.counts(through: store.scans)
        let isLive = store.origin.isLive && !store.isFinished
        if !isLive, scan.sink.hasSkipped {
            scan.restart()
            state.withLock { $0.list = [] }
        }
        var position = max(scan.position ?? 0, counts.first - 1)
        scan.sink.skips = isLive && store.scans.hasOneRun
        let begun = ContinuousClock.now
        while position < counts.last, ContinuousClock.now - begun < Self.turn {
            guard let next = try store.next(from: position + 1, through: store.scans), next <= counts.last else {
                position = counts.last
                break
            }
            let isRecent = scan.sink.skips && store.tail?.has(from: next) == true
            var last = min(counts.last, next + Self.step - 1)
            if isRecent { last = min(last, max(next + Self.shortStep, scan.sink.nextReturn ?? 0) - 1) }
            let leftOut = scan.sink.leftOut(through: last)
            position = last
            if isRecent, hasNothing(from: next, through: last, but: leftOut) { continue }
            try store.scans.lend(from: next, through: last, without: leftOut) { id, message in
                scan.sink.record = id
                scan.sink.receive(message)
            } line: { id, _, line in
                scan.sink.record = id
                _ = scan.teller.tell(line, into: &scan.sink) { _, _ in }
            }
        }
        scan.position = position
        keep(position)
        return position < counts.last
    }

    /// Whether records that were stored a moment ago are nothing but messages of these conversations.
    private func hasNothing(from first: Int64, through last: Int64, but leftOut: [Int64]) -> Bool {
        guard let tail = store.tail, !leftOut.isEmpty else { return false }
        var hasOthers = false
        let isKnown = tail.lend(from: first, through: last) { _, moment in
            hasOthers = !moment.isMessage || !leftOut.contains(moment.conversation)
            return !hasOthers
        }
        return isKnown && !hasOthers
    }

    private func keep(_ position: Int64) {
        state.withLock { state in
            state.scanned = position
            state.list += scan.sink.found
            guard state.list.count > Self.most else { return }
            state.list.sort { $0.took > $1.took }
            state.list.removeLast(state.list.count - Self.most / 2)
        }
        scan.sink.found.removeAll()
    }
}
