import Dissection

/// The heartbeats of one conversation, and when its sides were last heard.
struct HeartbeatConversation: Sendable {
    /// When each side last sent something.
    struct Lives: Sendable {
        private var client: Timestamp?
        private var server: Timestamp?

        subscript(side: Side) -> Timestamp? {
            get { side == .client ? client : server }
            set { if side == .client { client = newValue } else { server = newValue } }
        }

        /// The last of both.
        var last: Timestamp? {
            guard let client, let server else { return client ?? server }
            return max(client, server)
        }
    }

    /// Whether what a side says is cut into messages by now.
    struct Framed: Sendable {
        private var client = false
        private var server = false

        subscript(side: Side) -> Bool {
            get { side == .client ? client : server }
            set { if side == .client { client = newValue } else { server = newValue } }
        }
    }

    private(set) var tracks: [HeartbeatTrack] = []
    private(set) var lives = Lives()
    /// When each side last sent something else than a beat of a protocol and its answer.
    private var traffic = Lives()
    private(set) var timeouts = HeartbeatTimeouts()
    /// When they were announced.
    private(set) var announcedAt: Timestamp?
    /// The conversation that connected under the same name since, and when.
    var takeover: (conversation: UInt64, time: Timestamp)?
    /// When the client last sent something before a Close frame, which it answers.
    private(set) var clientBeforeClose: Timestamp?
    /// A side took its leave.
    var hasGoodbye = false
    /// The client has signed off, by a word of the app's own, and has said nothing since.
    var hasSignedOff = false
    /// Of Socket.IO: with the last of them the client takes its leave.
    private(set) var namespaces = HeartbeatNamespaces()
    var isFramed = Framed()
    /// Beats and answers.
    var beats: UInt64 = 0

    /// More kinds are no heartbeats but talk; the one that has been quiet for longest gives way, a row and what may become one last.
    private static let mostTracks = 16
    /// An end of line so soon after bytes of its side belongs to them (STOMP: many servers send one after each frame).
    private static let shortestRest: Int64 = 50_000_000
    /// What comes so soon after the other side's bytes was asked for.
    private static let promptly: Int64 = 1_000_000_000

    var heldBytes: Int {
        tracks.capacity * MemoryLayout<HeartbeatTrack>.stride + namespaces.heldBytes
    }

    /// Something of a side came that is not a beat.
    mutating func note(_ side: Side, _ time: Timestamp) {
        hear(side, time)
        traffic[side] = max(traffic[side] ?? time, time)
    }

    /// A Close frame of a side came.
    mutating func close(_ side: Side, _ time: Timestamp) {
        if clientBeforeClose == nil { clientBeforeClose = lives[.client] }
        // The side that has signed off closes.
        let hadSignedOff = hasSignedOff
        note(side, time)
        hasSignedOff = hadSignedOff
    }

    private mutating func hear(_ side: Side, _ time: Timestamp) {
        lives[side] = max(lives[side] ?? time, time)
        if side == .client { hasSignedOff = false }
    }

    mutating func note(_ decoded: DecodedPayload, at time: Timestamp) {
        decoded.traits?.note(decoded, in: &timeouts)
        if announcedAt == nil, timeouts.pingInterval > 0 { announcedAt = time }
    }

    mutating func noteNamespace(_ decoded: DecodedPayload, from side: Side) { namespaces.take(decoded, from: side) }

    /// The conversation goes on with a session of which the times are known.
    mutating func note(_ known: HeartbeatTimeouts) { timeouts = known }

    /// Bytes of a side were not seen.
    mutating func lose(_ side: Side, _ time: Timestamp) {
        note(side, time)
        for index in tracks.indices { tracks[index].lose(of: side) }
    }

    mutating func beat(_ kind: HeartbeatKind, _ from: Side, _ time: Timestamp, isNamed: Bool = false) {
        let rest = rest(of: kind, from)
        defer { hear(from, time) }
        let last = tracks.first { $0.kind == kind && $0.from == from }?.rhythm.lastAt
        if kind.delay == .ownBytes, let own = lives[from], let last, own > last, time.nanoseconds(since: own) < Self.shortestRest {
            return
        }
        let own = place(of: kind, from, isNamed: isNamed)
        guard kind.isTypeOfApp else { return tracks[own].beat(at: time, after: rest, isPrompted: false) }
        // No protocol says who answers: what one side sends right after the other's is the answer, though it has the same name.
        for index in tracks.indices
        where tracks[index].from != from && tracks[index].kind.isTypeOfApp && tracks[index].kind.word == kind.word {
            _ = tracks[index].takeAnswer(HeartbeatTrack.sameName, at: time)
        }
        tracks[own].beat(at: time, after: rest, isPrompted: isPrompted(isAfterPeer(from, time), time, own))
    }

    mutating func answer(_ kind: HeartbeatKind, _ from: Side, _ time: Timestamp) {
        hear(from, time)
        guard let index = tracks.firstIndex(where: { $0.kind == kind && $0.from != from }) else { return }
        tracks[index].takeAnswer(at: time)
    }

    /// Takes a message whose type calls itself the answer to a heartbeat. Returns whether it is one, as before.
    mutating func takeNamedAnswer(_ words: UInt64, _ from: Side, _ time: Timestamp) -> Bool {
        var isAnswer = false
        for index in tracks.indices where tracks[index].from != from && tracks[index].kind.isTypeOfApp {
            if tracks[index].takeAnswer(words, at: time) { isAnswer = true }
        }
        if isAnswer { hear(from, time) }
        return isAnswer
    }

    /// Takes a message of the app's own. Returns whether it is a heartbeat, or the answer to one.
    mutating func take(
        _ fingerprint: UInt64, isNamed: Bool, isOfData: Bool = false, _ shape: HeartbeatShape?, _ from: Side, _ time: Timestamp
    ) -> Bool {
        defer { note(from, time) }
        let words = isNamed ? fingerprint : shape?.hash.value ?? fingerprint
        var isBeat = false
        let first = tracks.first { $0.from == from && ($0.kind == .message(fingerprint) || $0.kind == .shape(words)) }?.rhythm.firstAt
        for index in tracks.indices where tracks[index].kind.isOwn {
            if tracks[index].from == from {
                if tracks[index].kind != .message(fingerprint) { tracks[index].takeOther(at: time) }
            } else if tracks[index].takeAnswer(words, saidSince: first, at: time) {
                isBeat = true
            }
        }
        let isAfterPeer = isAfterPeer(from, time)
        let same = place(of: .message(fingerprint), from, isNamed: isNamed, isOfData: isOfData)
        tracks[same].beat(at: time, after: nil, isPrompted: isPrompted(isAfterPeer, time, same))
        if tracks[same].isBelieved { isBeat = true }
        guard let shape, !isNamed else { return isBeat }
        let alike = place(of: .shape(shape.hash.value), from, isNamed: false, isOfData: isOfData)
        tracks[alike].beat(at: time, after: nil, isPrompted: isPrompted(isAfterPeer, time, alike))
        tracks[alike].note(shape.numbers)
        return isBeat || tracks[alike].isBelieved
    }

    func isBelieved(_ kind: HeartbeatKind, _ from: Side) -> Bool {
        tracks.contains { $0.kind == kind && $0.from == from && $0.isBelieved }
    }

    /// Whether the other side has just spoken; nil where it never did.
    private func isAfterPeer(_ from: Side, _ time: Timestamp) -> Bool? {
        lives[from.peer].map { peer in time.nanoseconds(since: peer) <= Self.promptly && lives[from].map { $0 < peer } ?? true }
    }

    /// Of beats that come every second, what comes within a quarter of one.
    private func isPrompted(_ isAfterPeer: Bool?, _ time: Timestamp, _ index: Int) -> Bool {
        guard isAfterPeer == true, let peer = lives[tracks[index].from.peer] else { return false }
        let period = tracks[index].rhythm.period
        return period == 0 || time.nanoseconds(since: peer) <= period / 4
    }

    /// Where the beats of a kind are kept; made where there is none.
    private mutating func place(of kind: HeartbeatKind, _ from: Side, isNamed: Bool, isOfData: Bool = false) -> Int {
        if let known = tracks.firstIndex(where: { $0.kind == kind && $0.from == from }) { return known }
        if tracks.count < Self.mostTracks {
            tracks.append(HeartbeatTrack(from: from, kind: kind, isNamed: isNamed, isOfData: isOfData))
            return tracks.count - 1
        }
        var oldest = 0
        for index in tracks.indices where tracks[index].isQuieter(than: tracks[oldest]) { oldest = index }
        tracks[oldest] = HeartbeatTrack(from: from, kind: kind, isNamed: isNamed, isOfData: isOfData)
        return oldest
    }

    // MARK: - The end

    /// Its heartbeats at the end, and whether they explain it.
    func summaries(_ closing: Closing, at time: Timestamp) -> (heartbeats: [HeartbeatSummary], cause: HeartbeatCause?) {
        let answers = tracks.compactMap { $0.isAnswered && $0.isBelieved ? $0.answer : nil }
        let joining = HeartbeatJoining(tracks) { isFramed[$0] }
        var summaries = tracks.indices.compactMap { index -> HeartbeatSummary? in
            let track = tracks[index]
            // What answers another is told with it.
            switch track.kind {
            case .message(let words), .shape(let words): if answers.contains(words) { return nil }
            case .format, .claim: if track.kind.isTypeOfApp, track.answersItsName, answers.contains(HeartbeatTrack.sameName) { return nil }
            case .ping, .pong: break
            }
            guard track.isBelieved, track.rhythm.isRegular else { return nil }
            return summary(of: index, joining, at: time)
        }
        nameFirst(&summaries)
        let cause = cause(of: closing, at: time)
        if let cause, cause.kind.isOfBeats {
            let explains: HeartbeatSummary.Explanation = cause.isCertain ? .certain : .possible
            if let index = summaries.firstIndex(where: { $0.from == cause.from && $0.kind == cause.beats }) {
                summaries[index].explains = explains
            } else {
                let track = tracks.first { $0.from == cause.from && $0.kind == cause.beats }
                var summary = track.map { self.summary(of: $0, at: time) } ?? HeartbeatSummary(from: cause.from, kind: cause.beats)
                (summary.period, summary.jitter, summary.explains) = (0, 0, explains)
                if track == nil { summary.silence = cause.waited }
                summaries.append(summary)
            }
        }
        return (summaries, cause)
    }

    /// The last bytes that took the place of a beat. The answer to one takes the place of none.
    private func rest(of kind: HeartbeatKind, _ from: Side) -> Timestamp? {
        switch kind.delay {
        case .nothing: nil
        case .ownBytes: lives[from]
        case .anyBytes: traffic.last
        }
    }

    /// Of a row and the one of data that it goes on with; nil where it is told with the one that goes on.
    private func summary(of index: Int, _ joining: HeartbeatJoining, at time: Timestamp) -> HeartbeatSummary? {
        var summary = summary(of: tracks[index], at: time)
        if let previous = joining.previous(index) { summary.add(tracks[previous]) }
        guard joining.isBefore(index) else { return summary }
        // It did not fall silent: what it would say now looks different.
        (summary.isOverdue, summary.due) = (false, nil)
        guard let next = joining.next(index) else { return summary }
        let later = tracks[next]
        if later.isBelieved, later.rhythm.isRegular { return nil }
        summary.add(later)
        summary.silence = self.summary(of: later, at: time).silence
        return summary
    }

    private func summary(of track: HeartbeatTrack, at time: Timestamp) -> HeartbeatSummary {
        let (rhythm, rest) = (track.rhythm, rest(of: track.kind, track.from))
        let last = max(rhythm.lastAt ?? time, rest ?? rhythm.lastAt ?? time)
        return HeartbeatSummary(
            from: track.from, kind: track.kind, period: rhythm.period, jitter: rhythm.jitter, sent: rhythm.beats, missed: rhythm.missed,
            answered: track.kind != .pong && track.isAnswered && !track.lostAnswers ? track.answered : nil, hasGaps: track.hasGaps,
            lostAnswers: track.lostAnswers, silence: time.nanoseconds(since: last),
            isOverdue: rhythm.isOverdue(at: time, after: rest), due: rhythm.due(after: rest))
    }

    /// Of two sides whose beats are overdue, the one whose next was due first has stopped first: surely only where it said nothing else since,
    /// waited for no answer, and the other side was still there half a period after that beat was due.
    private func nameFirst(_ summaries: inout [HeartbeatSummary]) {
        let overdue = summaries.indices.filter { summaries[$0].isOverdue && summaries[$0].due != nil }
        guard Set(overdue.map { summaries[$0].from }).count == 2 else { return }
        let first = overdue.min { summaries[$0].due ?? .distant < summaries[$1].due ?? .distant }
        guard let first, let due = summaries[first].due else { return }
        let (side, kind) = (summaries[first].from, summaries[first].kind)
        let isWaiting = tracks.contains { $0.from == side && $0.kind == kind && $0.isAnswered && $0.waiting != nil }
        guard !isWaiting, let own = lives[side], let other = lives[side.peer], own < due,
            other.nanoseconds(since: due) > summaries[first].period / 2
        else { return }
        summaries[first].isFirst = true
    }
}

extension Timestamp {
    fileprivate static var distant: Timestamp { Timestamp(nanoseconds: .max) }
}
