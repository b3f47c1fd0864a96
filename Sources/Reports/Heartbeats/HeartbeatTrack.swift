import Dissection

/// The heartbeats of one kind that one side sends, and how they were answered.
struct HeartbeatTrack: Sendable {
    let from: Side
    let kind: HeartbeatKind
    private(set) var rhythm = HeartbeatRhythm()
    /// Beats that were answered.
    private(set) var answered: UInt64 = 0
    /// The last beat has no answer yet.
    private(set) var isPending = false
    /// What answers a message of the app's own: what the peer says after each.
    private(set) var answer: UInt64?

    init(from: Side, kind: HeartbeatKind) {
        self.from = from
        self.kind = kind
    }

    /// Whether a beat of a kind that no protocol names is one: only a row of them shows it.
    var isBelieved: Bool {
        if case .message = kind { rhythm.isRegular } else { true }
    }

    /// Whether answers mean something: a peer that answered twice in the same words does so.
    var isAnswered: Bool { answered >= 2 }

    /// Whether it is the one to be given up: a row is kept before what is none, then what came last.
    func isQuieter(than other: HeartbeatTrack) -> Bool {
        guard rhythm.isRegular == other.rhythm.isRegular else { return other.rhythm.isRegular }
        guard let mine = rhythm.lastAt, let others = other.rhythm.lastAt else { return rhythm.lastAt == nil }
        return mine < others
    }

    mutating func beat(at time: Timestamp) {
        rhythm.beat(at: time)
        isPending = true
    }

    mutating func takeAnswer() {
        guard isPending else { return }
        isPending = false
        answered &+= 1
    }

    /// More time has passed, and what the peer says is no answer.
    private static let longestWait: Int64 = 10_000_000_000

    /// Takes what the peer says of messages of the app's own. Whether it is the answer, as before: of two that come in turn the second one
    /// is, not the next first one.
    mutating func takeAnswer(_ fingerprint: UInt64, at time: Timestamp) -> Bool {
        guard isPending, case .message = kind, let lastAt = rhythm.lastAt else { return false }
        let wait = time.nanoseconds(since: lastAt)
        guard wait <= Self.longestWait, rhythm.period == 0 || wait <= rhythm.period / 2 else { return false }
        isPending = false
        if answer != fingerprint {
            (answer, answered) = (fingerprint, 0)
        }
        answered &+= 1
        return isAnswered && isBelieved
    }
}

/// What is said of heartbeats at the end of their conversation.
struct HeartbeatSummary: Sendable {
    var from: Side
    var kind: HeartbeatKind
    /// Nanoseconds, and the most that an interval strayed from it.
    var period: Int64
    var jitter: Int64
    /// Beats that came, that are missing between them, and that were answered; nil where such beats have no answers.
    var sent: UInt64
    var missed: UInt64
    var answered: UInt64?
    /// Nanoseconds from the last beat to the end.
    var silence: Int64
    /// The next beat should have come before the end.
    var isOverdue: Bool
}
