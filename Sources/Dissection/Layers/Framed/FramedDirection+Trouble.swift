// What is no message, and what is lost: where the next one is found.
extension FramedDirection {
    /// What was taken for a message is none: tells what came of it, and how the next one is looked for. Returns how many bytes of the run it
    /// has told; the others are read on, in the same loop, for one run may have many of them.
    mutating func take<Sink: ConversationSink & ~Copyable>(
        _ fault: CutFault, _ rest: RawSpan, at here: Arrival, guess: inout MessageFrame.Guess?, context: inout ConversationContext,
        sink: inout Sink
    ) -> Int {
        let begin = start ?? here
        let before = kept
        let count = came
        let broken = cutter
        clear()
        cutter.restart()
        if case .protocol = framing {
            context.emit(.framingNotOfProtocol, at: begin, content: framing.words.rawBytes, isAlwaysTold: true, sink: &sink)
        } else {
            let words = clue(to: fault, of: broken, before, count, rest) ?? fault.words
            context.emit(.framingLengthWrong, a: fault.number, at: begin, content: words.rawBytes, sink: &sink)
        }
        if var machine = broken as? DelimiterCutter {
            // Not all of a long one is kept; what was looked at of this run goes with it.
            tellKept(before, count, at: begin, context: &context, sink: &sink)
            let lookedAt = machine.lookedAt
            tellData(rest.extracting(0..<lookedAt), at: here, context: &context, sink: &sink)
            machine.forgetBound()
            phase = .untilDelimiter(machine, skipped: count + UInt64(lookedAt))
            return lookedAt
        }
        if case .protocol(let name) = framing {
            // What the machine has looked at is not looked at again: messages inside of messages would take ever so long.
            let lookedAt = max(broken.lookedAt, count == 0 ? 1 : 0)
            tellKept(before, count, at: begin, context: &context, sink: &sink)
            let isAtBoundary = lookedAt > 0 && rest[lookedAt - 1] == name.rules?.boundary
            lose(FramingLoss(isAtBoundary: isAtBoundary, skipped: count + UInt64(lookedAt)))
            // Where nothing is looked for, what came together is told together.
            let told = if case .data = phase { rest.byteCount } else { lookedAt }
            tellData(rest.extracting(0..<told), at: here, context: &context, sink: &sink)
            return told
        }
        lose()
        let isSearching = if case .searching = phase { true } else { false }
        if isSearching, before.count == Int(clamping: count) {
            // The next message may begin in what was taken for this one.
            _ = receive(before.rawBytes, at: begin, afterPeer: false, guess: &guess, context: &context, sink: &sink)
        } else {
            tellKept(before, count, at: begin, context: &context, sink: &sink)
        }
        return 0
    }

    /// What a message that is too long shows besides; nil where that is nothing.
    private func clue(
        to fault: CutFault, of machine: any CuttingMachine, _ before: [UInt8], _ count: UInt64, _ rest: RawSpan
    ) -> [UInt8]? {
        guard case .tooLong = fault, before.count == Int(clamping: count) else { return nil }
        func bytes(_ count: Int) -> [UInt8] {
            var bytes = Array(before.prefix(count))
            bytes.append(copying: rest.extracting(0..<max(0, min(rest.byteCount, count - bytes.count))))
            return bytes
        }
        if let machine = machine as? LengthCutter, let prefix = framing.prefix {
            let header = bytes(Int(clamping: machine.came))
            return Array(LengthClues.tooLong(header.rawBytes, prefix, after: firstEnds).utf8)
        }
        guard machine is DelimiterCutter, !hasEnded else { return nil }
        let all = bytes(before.count + machine.lookedAt)
        let words = DelimiterClues.words(framing, all.rawBytes)
        return words.isEmpty ? nil : fault.words + Array(" (\(words))".utf8)
    }

    /// What the open message shows besides, where nearly all of it is missing and it is the first, for the end of a sentence.
    func clue(toMissing missing: UInt64?) -> String {
        guard !hasEnded, kept.count == Int(clamping: came) else { return "" }
        guard let missing else {
            let words = DelimiterClues.words(framing, kept.rawBytes)
            return words.isEmpty ? "" : "; \(words)"
        }
        guard missing > came, let prefix = framing.prefix else { return "" }
        return LengthClues.cut(kept.rawBytes, prefix)
    }

    /// Tells what came of a message that is none; what is not kept of it is a gap.
    func tellKept<Sink: ConversationSink & ~Copyable>(
        _ kept: [UInt8], _ count: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        tellData(kept.rawBytes, at: arrival, context: &context, sink: &sink)
        let rest = count - UInt64(kept.count)
        if rest > 0 { context.emit(.gap(Gap(length: rest, cause: .limit)), at: arrival.advanced(by: kept.count), sink: &sink) }
    }

    /// How the next message is looked for.
    private func searchPhase(_ loss: FramingLoss) -> Phase {
        if let machine = cutter as? DelimiterCutter { return .untilDelimiter(machine.unbound, skipped: 0) }
        return switch framing {
        case .fixed: .cutting
        case .protocol(let name): name.rules?.search(from: side, after: loss).map { .searching($0) } ?? .data
        case .delimiter, .lines: .data
        case .contentLength: .searching(ContentLengthSearch())
        case .json: .searching(JSONSearch())
        case .length, .tlv: framing.prefix.flatMap { LengthPlaces($0) }.map { .searching(BoundarySearch($0)) } ?? .untilTurn
        }
    }

    /// Where messages begin is not known any more.
    mutating func lose(_ loss: FramingLoss = FramingLoss()) {
        phase = searchPhase(loss)
        segments.isVoid = true
        cutter.restart()
    }
}

extension FramedDirection {
    /// Bytes are lost before the next that come; what was open has been told as cut.
    mutating func skip(_ length: UInt64) {
        if case .data = phase { return }
        segments.isVoid = true
        var left: UInt64?
        if case .rest(let bytes) = phase { left = bytes }
        if case .fixed(let count) = framing {
            // The boundaries are known whatever is lost.
            let whole = max(1, UInt64(count))
            let behind = (length % whole + whole - (left ?? 0) % whole) % whole
            phase = behind == 0 ? .cutting : .rest(whole - behind)
        } else if let left, left >= length {
            phase = left == length ? .cutting : .rest(left - length)
        } else {
            lose()
        }
    }

    /// The side has no messages of this kind: shows what came as it is, and all that follows.
    mutating func stop<Sink: ConversationSink & ~Copyable>(
        _ rest: RawSpan, at here: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Misfit {
        let (begin, before, count) = (start ?? here, kept, came)
        clear()
        cutter.restart()
        phase = .data
        tellKept(before, count, at: begin, context: &context, sink: &sink)
        tellData(rest, at: here, context: &context, sink: &sink)
        return .none
    }

    /// Both sides have agreed to go on with other bytes: shows these as they come.
    mutating func leave<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        hasLeft = false
        if let start { tellKept(kept, came, at: start, context: &context, sink: &sink) }
        clear()
        cutter.restart()
        phase = .data
    }

    /// Notes that messages did not come as they were written; nothing in a channel inside, whose records cut them once more, and of a protocol,
    /// whose programs know.
    func emitSegments<Sink: ConversationSink & ~Copyable>(at arrival: Arrival, context: inout ConversationContext, sink: inout Sink) {
        if case .protocol = framing { return }
        guard context.channel.depth == 0, let words = segments.words else { return }
        context.emit(
            .framingReadsDiffer, a: segments.messages, b: segments.segments, at: arrival, content: Array(words.utf8).rawBytes, sink: &sink)
    }

    /// Frees what is kept of the open message. False where that is nothing.
    mutating func giveUp() -> Bool {
        guard kept.count > 0 else { return false }
        kept = []
        isGivenUp = true
        return true
    }
}

extension CutFault {
    fileprivate var number: UInt64 {
        switch self {
        case .tooLong(let length), .tooShort(let length): length
        case .malformed: 0
        }
    }

    fileprivate var words: [UInt8] {
        switch self {
        case .tooLong: Array("one that is too long".utf8)
        case .tooShort: Array("a length that is less than its header".utf8)
        case .malformed: Array("other data".utf8)
        }
    }
}
