import Dissection

/// The heartbeats of one kind that one side sends, and how they were answered.
struct HeartbeatTrack: Sendable {
    let from: Side
    let kind: HeartbeatKind
    /// They are bytes as they came, not messages of a framing.
    let isOfData: Bool
    /// The message calls itself a heartbeat.
    private(set) var isNamed: Bool
    private(set) var rhythm = HeartbeatRhythm()
    /// The capture lost bytes of its side while they went on: it may have sent more.
    private(set) var hasGaps = false
    /// It lost bytes of either side: which were answered is not known.
    private(set) var lostAnswers = false
    /// Beats that were answered.
    private(set) var answered: UInt64 = 0
    /// Beats since the last one that was answered, and when the first of them came.
    private(set) var waiting: (beats: UInt64, since: Timestamp)?
    /// Beats that waited together with one that was answered: each may have an answer of its own that comes later, and none need have one (a Pong
    /// may answer several pings, RFC 6455, section 5.5.3).
    private var owed: UInt64 = 0
    /// The longest that a beat waited for its answer, in nanoseconds.
    private(set) var longestAnswer: Int64 = 0
    /// What answers a message of the app's own: what the peer says after each.
    private(set) var answer: UInt64?
    /// Of messages that differ in their numbers.
    private var growth = HeartbeatGrowth()
    /// The other side said the words that answer it before its first beat: it asks, and this is what it gets.
    private var isAsked = false
    /// Its side said something else when a beat was due that did not come, as a feed does whose values repeat.
    private var isOfFeed = false
    private var wasReplaced = false
    /// Beats that came right after what the other side said.
    private var prompted: UInt64 = 0

    init(from: Side, kind: HeartbeatKind, isNamed: Bool, isOfData: Bool = false) {
        self.from = from
        self.kind = kind
        self.isNamed = isNamed
        self.isOfData = isOfData
    }

    /// Whether a beat of a kind that no protocol names is one: only a row of them shows it.
    var isBelieved: Bool {
        switch kind {
        case .ping, .pong, .format: true
        case .claim: rhythm.isRegular
        case .message: rhythm.isRegular && isUnasked && (isNamed || !isAsked && !isOfFeed)
        // The same beginning and numbers are less than the same bytes.
        case .shape:
            rhythm.isRegular && !isAsked && rhythm.fitting >= 4 && isUnasked && (growth.isSteady || growth.isGrowing && answered >= 3)
        }
    }

    /// What answers a beat, where it has the same name: no fingerprint is 0.
    static let sameName: UInt64 = 0

    /// It comes right after the other side's, mostly: an answer by the same name, and no beat.
    var answersItsName: Bool { !isUnasked }

    /// A side that speaks at regular times because it is asked then has no heartbeat of its own.
    private var isUnasked: Bool { isNamed || prompted < rhythm.beats - rhythm.beats / 4 }

    /// Whether answers mean something: the protocol says so, or a peer that answered twice in the same words.
    var isAnswered: Bool { kind.wantsAnswer || answered >= 2 }

    /// Whether it is the one to be given up: a row is kept before what is none, then what calls itself a heartbeat or may become a row, then
    /// what came last.
    func isQuieter(than other: HeartbeatTrack) -> Bool {
        guard rank == other.rank else { return rank < other.rank }
        guard let mine = rhythm.lastAt, let others = other.rhythm.lastAt else { return rhythm.lastAt == nil }
        return mine < others
    }

    private var rank: Int { rhythm.isRegular && isBelieved ? 3 : isNamed || !kind.isOwn ? 2 : rhythm.isPromising ? 1 : 0 }

    /// - Parameters:
    ///   - rest: the last bytes that took the place of a beat.
    ///   - isPrompted: the other side has just spoken.
    mutating func beat(at time: Timestamp, after rest: Timestamp?, isPrompted: Bool) {
        if wasReplaced, rhythm.isLate(at: time) { isOfFeed = true }
        wasReplaced = false
        rhythm.beat(at: time, after: rest)
        if isPrompted { prompted &+= 1 }
        let (beats, since) = waiting ?? (0, time)
        waiting = (beats &+ 1, since)
    }

    mutating func note(_ numbers: SIMD4<UInt64>) { growth.take(numbers) }

    mutating func takeAnswer(at time: Timestamp) {
        guard let waiting else {
            guard owed > 0 else { return }
            owed -= 1
            answered &+= 1
            return
        }
        owed &+= waiting.beats - 1
        // An answer that comes after several beats may be that to the first.
        longestAnswer = max(longestAnswer, time.nanoseconds(since: waiting.since))
        self.waiting = nil
        answered &+= 1
    }

    /// Its side says something else.
    mutating func takeOther(at time: Timestamp) {
        if !isNamed, !wasReplaced, rhythm.isDue(at: time) { wasReplaced = true }
    }

    /// Bytes of a side are lost, and a beat or an answer may be among them.
    mutating func lose(of side: Side) {
        guard rhythm.beats > 0 else { return }
        lostAnswers = true
        if side == from {
            hasGaps = true
            rhythm.interrupt()
        } else {
            waiting = nil
        }
        owed = 0
    }

    /// More time has passed, and what the peer says is no answer.
    private static let longestWait: Int64 = 10_000_000_000

    /// Takes what the peer says of messages of the app's own. Whether it is the answer, as before: of two that come in turn the second one
    /// is, not the next first one.
    ///
    /// - Parameter first: when the peer said it for the first time.
    mutating func takeAnswer(_ fingerprint: UInt64, saidSince first: Timestamp? = nil, at time: Timestamp) -> Bool {
        guard waiting != nil, kind.isOwn || kind.isTypeOfApp, let lastAt = rhythm.lastAt else { return false }
        let wait = time.nanoseconds(since: lastAt)
        guard wait <= Self.longestWait, rhythm.period == 0 || wait <= rhythm.period / 2 else { return false }
        if answer != fingerprint {
            // What is said beside the answers that are known is none.
            if answered >= 2 { return false }
            (answer, answered) = (fingerprint, 0)
            if let first, let own = rhythm.firstAt, first < own { isAsked = true }
        }
        takeAnswer(at: time)
        return isAnswered && isBelieved
    }
}

/// What is said of heartbeats at the end of their conversation.
struct HeartbeatSummary: Sendable {
    /// Whether they explain how the conversation ended.
    enum Explanation: String, Sendable { case certain, possible }

    var from: Side
    var kind: HeartbeatKind
    /// Nanoseconds, and the most that an interval strayed from it; 0 where they are no row.
    var period: Int64 = 0
    var jitter: Int64 = 0
    /// Beats that came, that are missing between them, and that were answered; nil where such beats have no answers, or where the capture lost
    /// bytes among them.
    var sent: UInt64 = 0
    var missed: UInt64 = 0
    var answered: UInt64?
    /// The capture lost bytes of its side among them: more may have been sent.
    var hasGaps = false
    /// It lost bytes of either side among them.
    var lostAnswers = false
    /// Nanoseconds to the end: from the last beat, or from the last bytes that took the place of one.
    var silence: Int64 = 0
    /// The next beat should have come before the end.
    var isOverdue = false
    /// When it should have come.
    var due: Timestamp?
    /// Its side fell silent first, surely.
    var isFirst = false
    var explains: Explanation?

    /// Whether they are a row; what is none is told where it explains the end.
    var isRow: Bool { period > 0 }
}
