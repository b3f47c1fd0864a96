import Dissection

/// Tells the records of logs again, as the events that they were made of.
///
/// Conversations and packets are numbered on after those of the inputs before. Memory is that of one record, and of what is known of the conversations
/// that are open. Where that, with what the sink keeps for them, becomes too much, the least recently used ones are given up, each with an event
/// that says so; records of them that come later are told as those of a log that begins in the middle.
package struct LogTeller {
    /// What became of a line.
    package enum Outcome: Sendable {
        case told
        /// It is no record; the words say why.
        case problem(String)
        /// It was told, but not all of it; the words say what is left out.
        case loss(String)
        /// It is a record of a kind that this version does not know.
        case unknownKind(String)
    }

    /// Numbers end here, so that a run can go on counting after any log.
    private static let mostNumber = UInt64(Int64.max)

    /// Records nest four levels. Of deeper ones nothing is made, which would cost a hundred times what it takes to pass over them.
    private static let mostLevels = 8

    private let findings = FindingRows()
    /// Made with the first line: most runs read no log.
    private lazy var keys = FieldTable.keysOfRecords
    private let mostBytes: Int
    /// Bytes of one payload that are told.
    private let payloadBytes: Int
    /// Bytes that the caller keeps beside it for the same run (the buffer of the log, conversations of captures), which count as well.
    package var reservedBytes = 0
    private var open = LoggedConversations()
    private var hasGivenUp = false
    /// Bytes above which conversations are given up.
    private var patience: Int
    private var allLogs = LogTotals()
    // Of the log that is told now.
    private var input = CaptureSource(kind: .file, name: "", tool: "")
    private var hasBegun = false
    /// What its last `capture` says that it was made of.
    private var lastSource: CaptureSource?
    /// The log before, whose run a rotated log goes on with.
    private var earlier: LoggedPart?
    /// The log goes on with the run of the one before.
    private var resumed: LoggedPart?
    /// What a log was made of that goes on with a run whose beginning was not read before it.
    private var headless: CaptureSource?
    /// The log goes on with a run, whether or not that was read.
    private var isContinuation = false
    /// Rotated logs came in the wrong order: this one goes on in one that was read before it.
    package private(set) var isOutOfOrder = false
    /// What the numbers of the log are counted on from.
    private var before: (conversations: UInt64, packets: UInt64) = (0, 0)
    private var ended = Totals()
    // Of the run in it that is told now.
    private var conversations: UInt64 = 0
    private var packets: UInt64 = 0
    private var run = LoggedRun()
    /// A run has no end of its own, as that of a proxy that was killed: conversations above this number stay open in the log.
    private var unendedAbove: UInt64?
    /// A `capture` came in the middle that does not say whose it is: the first conversation after it tells.
    private var mayBeginRun = false

    /// - Parameters:
    ///   - mostBytes: Bytes that open conversations may take, with what is reserved.
    ///   - payloadBytes: Bytes of one message, or one part of a body, that are told: as many as a dissector keeps for the same sinks.
    package init(mostBytes: Int = .max, payloadBytes: Int = .max) {
        self.mostBytes = mostBytes
        self.payloadBytes = payloadBytes
        patience = mostBytes
    }

    /// Begins with a log.
    ///
    /// - Parameters:
    ///   - input: What to call the log where it does not say itself what it was made of.
    ///   - totals: Of the dissector, which has counted the logs before.
    package mutating func begin(_ input: CaptureSource, after totals: Totals) {
        self.input = input
        let hadBegun = hasBegun
        (hasBegun, lastSource, resumed, isContinuation, isOutOfOrder) = (false, nil, nil, false, false)
        // Unless this log goes on with the one before, what that left open stays open.
        if hadBegun || unendedAbove != nil { unendedAbove = min(unendedAbove ?? .max, conversations) }
        before = (totals.conversations, totals.packets)
        // Not where a capture was read between the two.
        if earlier?.isFollowed(by: before) == false { earlier = nil }
        (conversations, packets) = before
        (ended, run, mayBeginRun) = (Totals(), LoggedRun(), false)
    }

    /// Packets that the log has told of so far.
    package var toldPackets: UInt64 { ended.packets.clampedSum(run.highestPacket) }

    /// Ends with a log.
    ///
    /// - Returns: what the dissector has to count, so that its next numbers come after those of the log.
    package mutating func finish() -> Totals {
        var numbers = Totals()
        numbers.conversations = conversations - before.conversations + run.highestConversation
        numbers.packets = packets - before.packets + run.highestPacket
        earlier = LoggedPart(
            source: lastSource, before: before, conversations: conversations, packets: packets, ended: ended, run: run, numbers: numbers,
            allLogs: allLogs)
        // A run that has ended goes on nowhere.
        isOutOfOrder = !isContinuation && run.highestConversation > 0 && headless.map { earlier?.isOf($0) == true } == true
        // As a log says at its end where it has all of its run, otherwise as far as was counted.
        ended.addClamped(run.totals)
        allLogs.add(ended, numbers: numbers)
        // The log before has been counted.
        numbers.conversations -= min(resumed?.numbers.conversations ?? 0, numbers.conversations)
        numbers.packets -= min(resumed?.numbers.packets ?? 0, numbers.packets)
        return numbers
    }

    /// Goes on with the run of the log before: a proxy whose log was rotated numbers on, and its `end` counts all of its run.
    private mutating func resume(_ part: LoggedPart) {
        (before, conversations, packets) = (part.before, part.conversations, part.packets)
        unendedAbove = nil
        (ended, run, allLogs) = (part.ended, part.run, part.allLogs)
        (hasBegun, resumed) = (true, part)
    }

    /// What the run amounts to.
    ///
    /// - Parameter dissected: the totals of the dissector, which has counted all logs.
    package func totals(with dissected: Totals) -> Totals { allLogs.joined(with: dissected) }

    /// Tells one line.
    ///
    /// - Parameter begin: takes what the log was made of, for sinks that are told of that.
    package mutating func tell<Sink: ConversationSink & ~Copyable>(
        _ line: RawSpan, into sink: inout Sink, begin: (CaptureSource, inout Sink) -> Void
    ) -> Outcome {
        do {
            var reader = JSONReader(line, mostLevels: Self.mostLevels) { [keys] in keys.contains($0) }
            var record = try LoggedRecord(try reader.whole())
            switch String(decoding: try record.words("kind"), as: UTF8.self) {
            case "capture":
                let source = try source(of: record)
                closeUnended(into: &sink)
                begin(source, &sink)
            case "end": try end(record)
            case let kind:
                guard let fact = try record.fact(findings) else { return .unknownKind(String(kind.prefix(64))) }
                if let conversation = record.value["conversation"]?.unsigned, conversation > 0 { try noteNumber(conversation, fact) }
                closeUnended(into: &sink)
                let place = try place(of: record)
                let number = try number(of: record)
                if !hasBegun { begin(input, &sink) }
                hasBegun = true
                tell(fact, record, number, place, into: &sink)
            }
            return .told
        } catch let problem as JSONReader.Problem {
            return .problem(problem.words)
        } catch let problem as LoggedRecord.Problem {
            return .problem(problem.words)
        } catch {
            return .problem("\(error)")
        }
    }

    private mutating func source(of record: LoggedRecord) throws(LoggedRecord.Problem) -> CaptureSource {
        guard let version = record.value["version"]?.unsigned, version == RecordReport.formatVersion else {
            throw .init(words: "it is of another version of the format than \(RecordReport.formatVersion), which is read here")
        }
        var source = input
        if let text = record.value["source"]?["name"]?.string { source.name = String(decoding: text, as: UTF8.self) }
        if let type = record.value["source"]?["type"]?.string {
            source.kind = CaptureSource.Kind(rawValue: String(decoding: type, as: UTF8.self)) ?? source.kind
        }
        mayBeginRun = false
        let isContinued = record.value["continued"]?.boolean == true
        if record.value["appended"]?.boolean == true {
            // The run before was killed, or has ended: the numbers begin anew either way.
            try endUnended()
        } else if !hasBegun {
            if isContinued {
                isContinuation = true
                if let earlier, earlier.isOf(source) { resume(earlier) } else { headless = source }
            }
        } else if !isContinued {
            // Logs that somebody has joined: the one before may have no end.
            if let first = record.value["firstPacket"]?.unsigned {
                if first <= run.highestPacket { try endUnended() }
            } else {
                mayBeginRun = true
            }
        }
        lastSource = source
        if let first = record.value["firstPacket"]?.unsigned { source.firstPacket = try shift(first, by: packets, "firstPacket") }
        hasBegun = true
        return source
    }

    /// A run has ended; the next one in the log, if any, begins its numbers anew.
    private mutating func end(_ record: LoggedRecord) throws(LoggedRecord.Problem) {
        let said = run.said(by: record.value)
        try endRun(said, counts: run.isPart(of: said) ? run.totals : said)
    }

    /// Ends the run where a conversation opens whose number it has had: logs were joined, and the one before has no end.
    private mutating func noteNumber(_ number: UInt64, _ fact: Fact) throws(LoggedRecord.Problem) {
        let mayBegin = mayBeginRun
        mayBeginRun = false
        guard case .opened = fact, run.has(number) || mayBegin && number <= run.highestConversation else { return }
        try endUnended()
    }

    /// The run ended without saying so.
    private mutating func endUnended() throws(LoggedRecord.Problem) {
        let above = conversations
        try endRun(run.totals, counts: run.totals)
        unendedAbove = above
    }

    /// Closes the conversations that stayed open in a run without an end.
    private mutating func closeUnended<Sink: ConversationSink & ~Copyable>(into sink: inout Sink) {
        guard let above = unendedAbove else { return }
        unendedAbove = nil
        ended.bytes = ended.bytes.clampedSum(closeAll(above: above, into: &sink))
    }

    /// Closes the conversations that are open at the end of the last log, as those of a capture that ends: with what its records amount to.
    ///
    /// Not those that a run with an end has left open: its log has a part of it.
    package mutating func closeOpen<Sink: ConversationSink & ~Copyable>(into sink: inout Sink) {
        var amounts = Totals()
        amounts.bytes = closeAll(above: min(unendedAbove ?? .max, conversations), into: &sink)
        allLogs.add(amounts, numbers: Totals())
    }

    /// - Returns: their bytes.
    private mutating func closeAll<Sink: ConversationSink & ~Copyable>(above base: UInt64, into sink: inout Sink) -> UInt64 {
        var bytes: UInt64 = 0
        for conversation in open.takeAll(above: base) {
            let closing = conversation.closing(.endOfCapture)
            bytes = bytes.clampedSum(closing.client.bytes).clampedSum(closing.server.bytes)
            sink.receive(
                ConversationEvent(
                    conversation: conversation.number, from: nil, place: conversation.last, offset: nil, fact: .closed(closing),
                    content: RawSpan()))
        }
        return bytes
    }

    /// What follows is of another run, and numbered on after this one.
    ///
    /// - Parameter counts: what of its totals counts for the whole.
    private mutating func endRun(_ said: Totals, counts: Totals) throws(LoggedRecord.Problem) {
        let nextConversations = try shift(max(said.conversations, run.highestConversation), by: conversations, "conversations")
        packets = try shift(max(said.packets, run.highestPacket), by: packets, "packets")
        conversations = nextConversations
        ended.addClamped(counts)
        run = LoggedRun()
    }

    /// A number of the log as a number of the run.
    private func shift(_ number: UInt64, by base: UInt64, _ key: StaticString) throws(LoggedRecord.Problem) -> UInt64 {
        guard number <= Self.mostNumber, base <= Self.mostNumber - number else { throw .init(words: "its \"\(key)\" is too large") }
        return number + base
    }

    /// The number of the conversation in this run; 0 where the record has none.
    private func number(of record: LoggedRecord) throws(LoggedRecord.Problem) -> UInt64 {
        guard let number = record.value["conversation"]?.unsigned, number > 0 else { return 0 }
        return try shift(number, by: conversations, "conversation")
    }

    private func place(of record: LoggedRecord) throws(LoggedRecord.Problem) -> Place {
        var place = Place(time: record.value["time"]?.string.flatMap(Timestamp.init(rfc3339:)))
        if let range = record.value["packets"]?.elements, range.count == 2, let low = range[0].unsigned, let high = range[1].unsigned {
            guard low <= high else { throw .init(words: "its \"packets\" end before they begin") }
            place.packets = PacketRange(lowest: try shift(low, by: packets, "packets"), highest: try shift(high, by: packets, "packets"))
        }
        return place
    }

    private mutating func tell<Sink: ConversationSink & ~Copyable>(
        _ fact: Fact, _ record: LoggedRecord, _ number: UInt64, _ place: Place, into sink: inout Sink
    ) {
        let from = record.value["from"]?.string
        let side: Side? = from.flatMap { $0 == Array("client".utf8) ? .client : $0 == Array("server".utf8) ? .server : nil }
        let offset = record.value["offset"]?.unsigned
        let channel = ByteChannel(
            depth: record.value["channel"]?.unsigned.flatMap(UInt8.init(exactly:)) ?? 0,
            stream: record.value["stream"]?.unsigned.flatMap(UInt32.init(exactly:)) ?? 0)
        var isNew = false
        if number > 0 { isNew = open.note(fact, of: number, from: side, place, offset: channel.depth == 0 ? offset : nil) }
        // Those that were given up have been counted.
        if hasGivenUp, isNew { if case .opened = fact {} else { isNew = false } }
        run.note(fact, of: number - min(number, conversations), isNew: isNew, packets: place.packets, after: packets)
        // Frames are for sinks that take them, as from a dissector.
        let isLeftOut = if case .frame = fact { !sink.takesFrames } else { false }
        if !isLeftOut {
            var told = fact
            let content = kept(record.content.rawBytes, of: &told)
            sink.receive(
                ConversationEvent(
                    conversation: number, from: side, place: place, offset: offset, channel: channel, fact: told, content: content,
                    asked: record.asked.rawBytes, redaction: record.redaction(of: fact)))
        }
        if case .closed = fact { open.remove(number) }
        giveUp(sink: &sink)
    }

    /// What is told of a record, and of its content.
    @_lifetime(copy content)
    private func kept(_ content: RawSpan, of fact: inout Fact) -> RawSpan {
        switch fact {
        case .message: return content.prefix(payloadBytes)
        case .body(var part) where part.payload.count > payloadBytes:
            part.payload.count = payloadBytes
            fact = .body(part)
            return content
        case _: return content
        }
    }

    /// Gives up an eighth of the conversations where they take too much, those that were not used for longest.
    ///
    /// Tables of a sink do not become smaller, and their places are used again. So what they take now is too much only once it grows.
    private mutating func giveUp<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        guard heldBytes(sink) > patience else { return }
        for _ in 0...open.count / 8 {
            guard let conversation = open.takeOldest() else { break }
            sink.receive(
                ConversationEvent(
                    conversation: conversation.number, from: nil, place: conversation.last, offset: nil,
                    fact: .closed(conversation.closing(.evicted)),
                    content: RawSpan()))
        }
        hasGivenUp = true
        patience = max(mostBytes, heldBytes(sink))
    }

    private func heldBytes<Sink: ConversationSink & ~Copyable>(_ sink: borrowing Sink) -> Int {
        open.heldBytes + sink.heldBytes + reservedBytes
    }
}
