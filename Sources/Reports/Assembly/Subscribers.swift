import Dissection
import Synchronization

/// Outputs that come to a run while it goes on, and leave it again, such as a page that somebody opens in a browser.
///
/// Whoever watches asks from any thread. The thread that writes makes and ends them between two events, when it flushes. An outlet that is lossy may
/// lose: what its reader does not take is left out, and it is told how much once its reader takes something again. With any other the run waits.
package final class Subscribers: Sendable {
    /// One that has come.
    package struct Subscription: Hashable, Sendable { fileprivate let number: UInt64 }

    enum Change: Sendable {
        case join(Subscription, any OutputForm, OutputPlace)
        case leave(Subscription)
    }

    private struct State {
        var changes: [Change] = []
        var last: UInt64 = 0
    }

    private let state = Mutex(State())
    private let hasChanges = Atomic<Bool>(false)

    package init() {}

    /// From the next flush on an output is told what comes. Of conversations that are open then it learns what is said from there on; frames, and
    /// more of a payload than the outputs from the beginning show, it has only where these ask for it.
    package func join(_ form: any OutputForm, to outlet: Outlet) -> Subscription {
        let place = OutputPlace(outlet: outlet, drain: .everyRecord, keepsTrying: outlet.isLossy)
        let subscription = state.withLock { state in
            state.last += 1
            let subscription = Subscription(number: state.last)
            state.changes.append(.join(subscription, form, place))
            return subscription
        }
        hasChanges.store(true, ordering: .releasing)
        return subscription
    }

    /// Nothing more is written to it after the next flush.
    package func leave(_ subscription: Subscription) {
        state.withLock { $0.changes.append(.leave(subscription)) }
        hasChanges.store(true, ordering: .releasing)
    }

    /// What was asked since the last call.
    func takeChanges() -> [Change] {
        guard hasChanges.exchange(false, ordering: .acquiringAndReleasing) else { return [] }
        return state.withLock { state in
            defer { state.changes = [] }
            return state.changes
        }
    }
}

/// The subscribers of a line, on the thread that writes.
struct Guests {
    private let subscribers: Subscribers
    private var outputs: [(subscription: Subscribers.Subscription, output: LineOutput)] = []

    init(_ subscribers: Subscribers) { self.subscribers = subscribers }

    var isEmpty: Bool { outputs.isEmpty }
    var heldBytes: Int { outputs.reduce(0) { $0 + $1.output.heldBytes } }

    func forEach(_ body: (LineOutput) -> Void) { for (_, output) in outputs { body(output) } }

    /// Writes what waits, and tells those of what they lost whose readers take something again.
    func flush(_ decoding: DecodingStage) {
        for (_, output) in outputs {
            output.flush()
            guard let told = output.retry(), told.lostRecords > 0 else { continue }
            let (finding, words) = (Finding(.proxyRecordsLost, a: told.lostRecords), Array(told.error.message.utf8))
            decoding.next()
            output.receive(
                ConversationEvent(
                    conversation: 0, from: nil, place: Place(), offset: nil, fact: .finding(finding), content: words.rawBytes))
        }
    }

    /// Lets those in and out that have asked for it, and those out whose readers are gone.
    mutating func admit(_ source: CaptureSource?, _ decoding: DecodingStage) {
        outputs.removeAll { $0.output.error == .readerGone }
        for change in subscribers.takeChanges() {
            switch change {
            case .join(let subscription, let form, let place):
                let output = form.make(at: place, decoding: decoding)
                if let source { output.begin(source) }
                outputs.append((subscription, output))
            case .leave(let subscription):
                outputs.removeAll { guest in
                    guard guest.subscription == subscription else { return false }
                    guest.output.flush()
                    return true
                }
            }
        }
    }
}
