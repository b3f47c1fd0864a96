import Dissection

/// Joins a row of heartbeats that began before its side's bytes were framed with the row that went on after it: the bytes of a message have
/// neither the line end nor the length that stood beside them as data, so the two look like different messages.
///
/// ```
/// data     PING␊    5.000  10.000  15.000
/// message  PING                            20.000  25.000     one row of five
/// ```
struct HeartbeatJoining {
    private let tracks: [HeartbeatTrack]
    /// For a row of data, the row of messages that goes on with it.
    private var later: [Int: Int] = [:]
    private let isFramed: (Side) -> Bool

    init(_ tracks: [HeartbeatTrack], isFramed: @escaping (Side) -> Bool) {
        self.tracks = tracks
        self.isFramed = isFramed
        for index in tracks.indices where isBefore(index) && tracks[index].isBelieved && tracks[index].rhythm.isRegular {
            later[index] = tracks.indices.first { tracks[$0].goesOn(with: tracks[index]) }
        }
    }

    /// Whether a row ended because its side is framed since.
    func isBefore(_ index: Int) -> Bool { tracks[index].isOfData && isFramed(tracks[index].from) }

    /// Of the row that goes on with this one; nil where none does.
    func next(_ index: Int) -> Int? { later[index] }

    /// The row of data that this one goes on with: of several, the first.
    func previous(_ index: Int) -> Int? { tracks.indices.first { later[$0] == index } }
}

extension HeartbeatTrack {
    /// Whether this row of messages begins where a row of data has its next beat.
    fileprivate func goesOn(with data: HeartbeatTrack) -> Bool {
        guard !isOfData, from == data.from, let first = rhythm.firstAt, let last = data.rhythm.lastAt else { return false }
        let (wait, period) = (first.nanoseconds(since: last), data.rhythm.period)
        let tolerance = period / 8 + 50_000_000
        // A clock that was set far back or ahead is none that a beat keeps to.
        func fits(_ span: Int64) -> Bool {
            let (difference, isTooFar) = span.subtractingReportingOverflow(period)
            return !isTooFar && difference.magnitude <= tolerance.magnitude
        }
        return fits(wait) && (rhythm.period == 0 || fits(rhythm.period))
    }
}

extension HeartbeatSummary {
    /// Counts what the same row had before.
    mutating func add(_ before: HeartbeatTrack) {
        sent &+= before.rhythm.beats
        missed &+= before.rhythm.missed
        jitter = max(jitter, before.rhythm.jitter)
        hasGaps = hasGaps || before.hasGaps
        lostAnswers = lostAnswers || before.lostAnswers
        if lostAnswers {
            answered = nil
        } else if before.isAnswered || answered != nil {
            answered = (answered ?? 0) &+ before.answered
        }
    }
}
