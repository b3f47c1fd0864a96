import Dissection

/// The parts of one body, which have one line together when the body is done.
struct BodyRun {
    /// Followed lines tell of a body that goes on when so much time has passed since they last did: ten seconds.
    static let patience: Int64 = 10_000_000_000
    /// Bytes of the beginning that are kept for the line.
    static let mostKept = 256
    /// Bytes that are kept of what the body says.
    static let mostWords = 1_024

    /// What a body says as a whole, as much of it as its line shows.
    struct Said {
        let format: StaticString
        /// In the words of the format; none where the body says it best, or cannot be read.
        let words: [UInt8]
        /// Why it cannot be read.
        let problem: (reason: [UInt8], position: UInt64)?

        init(_ decoded: DecodedPayload) {
            format = decoded.format
            words = decoded.hasStopped ? [] : Array(decoded.summary.prefix(BodyRun.mostWords))
            problem = decoded.isSure ? decoded.problem : nil
        }
    }

    let from: Side
    /// The stream of HTTP/2 that it belongs to; 0 where there is none.
    let stream: UInt32
    /// Whether it begins with the first byte of the body.
    let isFromStart: Bool
    /// The number of the last part.
    private(set) var last: UInt32 = 0
    private(set) var isFinal = false
    /// The greatest of the verdicts on its parts.
    private(set) var verdict = EventVerdict.leaveOut
    private(set) var length: UInt64 = 0
    private(set) var wireLength: UInt64 = 0
    /// Events or lines that had a line of their own, and which of both they are. Comments have lines, and do not count.
    private(set) var elements: UInt64 = 0
    private(set) var element: BodyPart.Element?
    /// Bytes that no line has told of yet.
    private(set) var untold: UInt64 = 0
    private(set) var startedAt: Timestamp?
    private(set) var endedAt: Timestamp?
    private var toldAt: Timestamp?
    /// What it says, as soon as that is known.
    var said: Said?
    /// The beginning, and the name of its coding.
    let beginning: [UInt8]
    let encoding: [UInt8]

    /// A run begins with a part.
    ///
    /// - Parameter headAt: when the head before the body came.
    init(
        _ part: BodyPart, _ content: RecordContent, from side: Side, stream: UInt32, headAt: Timestamp?, at time: Timestamp?,
        _ verdict: EventVerdict
    ) {
        from = side
        self.stream = stream
        isFromStart = part.part == 1
        beginning = content.part(part.payload).prefix(min(Self.mostKept, content.policy.limit)).copy
        encoding = content.part(part.encoding).prefix(64).copy
        startedAt = isFromStart ? headAt ?? time : time
        toldAt = startedAt
        add(part, at: time, verdict)
    }

    /// Bytes of memory that it takes.
    var heldBytes: Int { MemoryLayout<BodyRun>.stride + beginning.count + encoding.count + (said?.words.count ?? 0) }

    /// Whether a part goes on where this run ends.
    func takes(_ part: BodyPart, from side: Side) -> Bool { side == from && part.part == last &+ 1 && !isFinal }

    mutating func add(_ part: BodyPart, at time: Timestamp?, _ verdict: EventVerdict) {
        self.verdict = max(self.verdict, verdict)
        last = part.part
        isFinal = part.final
        length = length.clampedSum(part.length)
        wireLength = wireLength.clampedSum(part.wireLength)
        if let time { endedAt = time }
        guard let unit = part.element else {
            untold = untold.clampedSum(part.length)
            return
        }
        // The line of an element tells of all its parts.
        untold = 0
        element = unit == .line || unit == .message ? unit : .event
        if unit == .line || unit == .event || unit == .message { elements &+= 1 }
    }

    /// Whether so much time has passed that a line tells how far it has come.
    var isDue: Bool {
        guard untold > 0, let toldAt, let endedAt else { return false }
        return endedAt.nanoseconds(since: toldAt) >= Self.patience
    }

    /// A line has told of it.
    mutating func noteTold() {
        untold = 0
        toldAt = endedAt
    }

    /// Nanoseconds that it took; nil where there is no clock, or less than a millisecond passed.
    var duration: Int64? {
        guard let startedAt, let endedAt else { return nil }
        let span = endedAt.nanoseconds(since: startedAt)
        return span >= 1_000_000 ? span : nil
    }

    /// Bytes of the wire in a second.
    var rate: UInt64? {
        guard isFromStart, let duration else { return nil }
        let (scaled, overflow) = wireLength.multipliedReportingOverflow(by: 1_000)
        return overflow ? nil : scaled / UInt64(duration / 1_000_000)
    }
}

extension TextReport {
    /// Adds a part of a body to those that have one line together, which is shown when the body is done.
    ///
    /// - Parameter decoded: what the body says, where the part makes that known.
    mutating func addToBody(
        _ part: BodyPart, _ content: RecordContent, _ decoded: DecodedPayload?, from side: Side, _ time: Timestamp?, at place: Int
    ) {
        if var run = body(of: side, at: place), run.takes(part, from: side) {
            run.add(part, at: time, selection?.verdict ?? .show)
            table.keep(run, of: side, stream: stream, at: place)
        } else {
            showBody(of: side, at: place)
            table.keep(nil, of: side, stream: stream, at: place)
            let headAt = side == .client ? table[place].headAt.client : table[place].headAt.server
            table.keep(
                BodyRun(part, content, from: side, stream: stream, headAt: headAt, at: time, selection?.verdict ?? .show), of: side,
                stream: stream,
                at: place)
        }
        if let decoded, var run = body(of: side, at: place) {
            run.said = BodyRun.Said(decoded)
            table.keep(run, of: side, stream: stream, at: place)
        }
        guard let run = body(of: side, at: place), run.isFinal || settings.follows && run.isDue else { return }
        if run.isFinal, run.element != nil { showRest(part, content, from: side, time, at: place) }
        beginBodyLine(run, at: place)
        if let said = run.said { addProblem(said.problem, of: said.format, at: place) }
        addTrailers(of: part, content, at: place)
        judging(run.verdict) { $0.commit(at: place) }
        var told = run
        told.noteTold()
        table.keep(run.isFinal ? nil : told, of: side, stream: stream, at: place)
    }

    /// Shows what came after the last element of a body that is streamed.
    private mutating func showRest(_ part: BodyPart, _ content: RecordContent, from side: Side, _ time: Timestamp?, at place: Int) {
        let rest = content.part(part.payload)
        guard rest.withoutLineEnds.byteCount > 0 else { return }
        beginLine(at: place, time, from: side)
        line.appendRest(part, content)
        guard let form = line.leftOut else { return commit(at: place) }
        commit(at: place, payload: rest.prefix(content.policy.limit), length: content.shown(part.length), form: form)
    }

    /// Bytes that an event or a message had in parts before the one that ends it.
    func bytesOfElement(before event: borrowing ConversationEvent, at place: Int) -> UInt64 {
        guard case .body(let part) = event.fact, part.element != nil else { return 0 }
        let side = event.from ?? .server
        guard let run = body(of: side, at: place), run.takes(part, from: side) else { return 0 }
        return run.untold
    }

    /// Counts an element that had a line of its own.
    mutating func noteElement(_ part: BodyPart, _ content: RecordContent, from side: Side, _ time: Timestamp?, at place: Int) {
        var run = body(of: side, at: place)
        if run?.takes(part, from: side) == true {
            run?.add(part, at: time, selection?.verdict ?? .show)
        } else {
            let headAt = side == .client ? table[place].headAt.client : table[place].headAt.server
            run = BodyRun(part, content, from: side, stream: stream, headAt: headAt, at: time, selection?.verdict ?? .show)
        }
        table.keep(run?.isFinal == true ? nil : run, of: side, stream: stream, at: place)
    }

    /// Shows what came of a body, if there is anything that was not shown.
    private mutating func showBody(of side: Side, at place: Int) {
        guard var run = body(of: side, at: place), run.untold > 0 else { return }
        beginBodyLine(run, at: place)
        judging(run.verdict) { $0.commit(at: place) }
        run.noteTold()
        table.keep(run, of: side, stream: stream, at: place)
    }

    private mutating func beginBodyLine(_ run: BodyRun, at place: Int) {
        beginLine(at: place, run.endedAt, from: run.from)
        line.appendBody(run, settings.payload)
    }

    /// Shows what came of all bodies, because nothing more comes.
    mutating func endBodies(at place: Int) {
        guard !table[place].bodies.isEmpty else { return }
        let before = stream
        for run in table[place].bodies.sorted(by: { ($0.from.rawValue, $0.stream) < ($1.from.rawValue, $1.stream) }) {
            stream = run.stream
            showBody(of: run.from, at: place)
            table.keep(nil, of: run.from, stream: stream, at: place)
        }
        stream = before
    }

    /// What came of the body of a side, in the stream whose event is shown.
    private func body(of side: Side, at place: Int) -> BodyRun? {
        table[place].bodies.first { $0.from == side && $0.stream == stream }
    }

    /// Shows what came of bodies before something else is shown that stands after it.
    mutating func showBodies(before event: borrowing ConversationEvent, at place: Int) {
        guard !table[place].bodies.isEmpty else { return }
        switch event.fact {
        case .finding, .body: return
        case .closed: endBodies(at: place)
        default: if let side = event.from { showBody(of: side, at: place) }
        }
    }
}
