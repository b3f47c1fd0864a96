import Dissection

/// Tells the records of logs again, as the events that they were made of.
///
/// Conversations and packets are numbered on behind those of the inputs before. Memory is that of one record.
package struct LogTeller {
    /// What became of a line.
    package enum Outcome: Sendable {
        case told
        /// It is no record; the words say why.
        case problem(String)
        /// It is a record of a kind that this version does not know.
        case unknownKind(String)
    }

    private let findings = FindingRows()
    /// Every key that a record may have.
    private let known = Set(
        FieldCarrier.allCases.filter(\.isRecord).flatMap { FieldTable.rows(of: $0) }.map { Array($0.name.utf8) }
            + ["kind", "text", "base64"].map { Array($0.utf8) })
    private let input: CaptureSource
    /// What the numbers of the log are counted on from.
    private var conversations: UInt64
    private var packets: UInt64
    private var hasBegun = false
    private var highestConversation: UInt64 = 0
    private var highestPacket: UInt64 = 0
    private var counted = Totals()
    private var ended = Totals()

    /// - Parameters:
    ///   - input: What to call the log where it does not say itself what it was made of.
    ///   - totals: Of the inputs before.
    package init(_ input: CaptureSource, after totals: Totals) {
        self.input = input
        conversations = totals.conversations
        packets = totals.packets
    }

    /// What the log amounted to: as it says at its end, otherwise as far as was counted.
    package var totals: Totals {
        var totals = ended
        totals.add(counted)
        return totals
    }

    /// Tells one line.
    ///
    /// - Parameter begin: takes what the log was made of, for sinks that are told of that.
    package mutating func tell<Sink: ConversationSink & ~Copyable>(
        _ line: RawSpan, into sink: inout Sink, begin: (CaptureSource, inout Sink) -> Void
    ) -> Outcome {
        do {
            var reader = JSONReader(line) { [known] in known.contains($0) }
            var record = try LoggedRecord(try reader.whole())
            switch String(decoding: try record.words("kind"), as: UTF8.self) {
            case "capture": begin(try source(of: record), &sink)
            case "end": end(record)
            case let kind:
                guard let fact = try record.fact(findings) else { return .unknownKind(kind) }
                if !hasBegun { begin(input, &sink) }
                hasBegun = true
                tell(fact, record, into: &sink)
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
        source.firstPacket = record.value["firstPacket"]?.unsigned.map { $0 &+ packets }
        hasBegun = true
        return source
    }

    /// A run has ended; the next one in the log, if any, begins its numbers anew.
    private mutating func end(_ record: LoggedRecord) {
        var totals = Totals()
        totals.packets = record.value["packets"]?.unsigned ?? counted.packets
        totals.conversations = record.value["conversations"]?.unsigned ?? counted.conversations
        totals.messages = record.value["messages"]?.unsigned ?? counted.messages
        totals.findings = record.value["findings"]?.unsigned ?? counted.findings
        totals.bytes = record.value["bytes"]?.unsigned ?? counted.bytes
        for (index, reason) in SkipReason.allCases.enumerated() {
            guard let skipped = record.value["skipped"], case .object(let members) = skipped else { break }
            totals.skipped[index] = members.first { String(decoding: $0.name, as: UTF8.self) == reason.rawValue }?.value.unsigned ?? 0
        }
        conversations &+= max(totals.conversations, highestConversation)
        packets &+= max(totals.packets, highestPacket)
        (highestConversation, highestPacket) = (0, 0)
        ended.add(totals)
        counted = Totals()
    }

    private mutating func tell<Sink: ConversationSink & ~Copyable>(_ fact: Fact, _ record: LoggedRecord, into sink: inout Sink) {
        let number = record.value["conversation"]?.unsigned ?? 0
        var place = Place(time: record.value["time"]?.string.flatMap(Timestamp.init(rfc3339:)))
        if let range = record.value["packets"]?.elements, range.count == 2, let low = range[0].unsigned, let high = range[1].unsigned {
            place.packets = PacketRange(lowest: low &+ packets, highest: high &+ packets)
            highestPacket = max(highestPacket, high)
        }
        highestConversation = max(highestConversation, number)
        count(fact)
        let from = record.value["from"]?.string
        let side: Side? = from.flatMap { $0 == Array("client".utf8) ? .client : $0 == Array("server".utf8) ? .server : nil }
        let channel = ByteChannel(
            depth: record.value["channel"]?.unsigned.flatMap(UInt8.init(exactly:)) ?? 0,
            stream: record.value["stream"]?.unsigned.flatMap(UInt32.init(exactly:)) ?? 0)
        sink.receive(
            ConversationEvent(
                conversation: number == 0 ? 0 : number &+ conversations, from: side, place: place, offset: record.value["offset"]?.unsigned,
                channel: channel, fact: fact, content: record.content.rawBytes, asked: record.asked.rawBytes))
    }

    private mutating func count(_ fact: Fact) {
        counted.packets = highestPacket
        counted.conversations = highestConversation
        switch fact {
        case .message: counted.messages &+= 1
        case .finding: counted.findings &+= 1
        case .closed(let closing): counted.bytes &+= closing.client.bytes &+ closing.server.bytes
        case _: return
        }
    }
}
