import CaptureFiles
import Dissection
import Reports
import Sessions

/// What messages say in the words of their formats, for rows: the same that the text has in the place of their payloads.
///
/// Each message is read with what its conversation agreed on at its beginning (the upgrade, the version that a CONNECT of MQTT names) and nothing else:
/// the rows of a view may be far from one another, so that what waits for the next message would wait for another one. So a message says the same in
/// every view, without what the text knows from messages before it, such as how long a reply took.
struct RowWords {
    /// Bytes of a message that is read: a page waits for its rows.
    private static let mostBytes = 8 << 10
    /// Records at which a conversation begins, and the messages among them that may agree on something.
    private static let mostBeginning = (records: 64, messages: 4)
    private static let heads: Set<String> = ["request", "response", "upgrade"]

    private var words: [Int64: String] = [:]

    /// - Parameters:
    ///   - rows: the connection of the calling thread.
    ///   - list: rows in the order of their numbers.
    ///   - beginnings: what was read for rows before, by this thread.
    init(_ rows: SessionRows, _ list: [StoredRow], _ beginnings: Beginnings) throws {
        guard list.contains(where: Self.isRead) else { return }
        // Made with the first record that is lent as a line: of most files none is.
        var madeTeller: LogTeller?
        func tell(_ line: RawSpan, _ sink: inout WordsSink) {
            var teller = madeTeller ?? LogTeller()
            if madeTeller == nil { teller.begin(CaptureSource(kind: .file, name: "", tool: ""), after: Totals()) }
            _ = teller.tell(line, into: &sink) { _, _ in }
            madeTeller = teller
        }
        func take(_ id: Int64, _ sink: inout WordsSink) throws {
            try rows.lend(from: id, through: id) { _, message in
                sink.receive(message)
            } line: { _, _, line in
                tell(line, &sink)
            }
        }
        var readings: [Int64: Reading] = [:]
        var index = list.startIndex
        while index < list.endIndex {
            let number = list[index].conversation
            if readings[number] == nil, let known = beginnings.reading(of: number, before: list[index].id) { readings[number] = known }
            let run = Self.run(in: list, from: index, readings)
            if run.count > 1 {
                try takeRun(rows, list[run], readings, tell)
                index = run.upperBound
                continue
            }
            let row = list[index]
            index += 1
            guard Self.isRead(row) || Self.heads.contains(row.kind) else { continue }
            let known = readings[row.conversation]
            var reading = try known ?? Reading(try Self.beginning(rows, row.conversation))
            while let id = reading.beginning.first, id < row.id {
                reading.beginning.removeFirst()
                try take(id, &reading.sink)
                reading.sink.skip()
            }
            if known == nil { beginnings.keep(reading, of: row.conversation) }
            if row.kind == "message" {
                var sink = reading.sink
                try take(row.id, &sink)
                words[row.id] = sink.words
            } else {
                if reading.beginning.first == row.id { reading.beginning.removeFirst() }
                try take(row.id, &reading.sink)
            }
            readings[row.conversation] = reading
        }
    }

    /// The rows from one on that are messages one after another, of conversations whose beginnings were read.
    private static func run(in list: [StoredRow], from start: Int, _ readings: [Int64: Reading]) -> Range<Int> {
        var end = start
        while end < list.endIndex, isRead(list[end]), readings[list[end].conversation]?.beginning.isEmpty == true,
            end == start || list[end].id - 1 == list[end - 1].id
        {
            end += 1
        }
        return start..<end
    }

    /// Reads such messages in one go.
    private mutating func takeRun(
        _ rows: SessionRows, _ run: ArraySlice<StoredRow>, _ readings: [Int64: Reading], _ tell: (RawSpan, inout WordsSink) -> Void
    ) throws {
        guard let first = run.first, let last = run.last else { return }
        func sink(_ id: Int64) -> WordsSink? { readings[run[run.startIndex + Int(id - first.id)].conversation]?.sink }
        var found = words
        try rows.lend(from: first.id, through: last.id) { id, message in
            guard var sink = sink(id) else { return }
            sink.receive(message)
            found[id] = sink.words
        } line: { id, _, line in
            guard var sink = sink(id) else { return }
            tell(line, &sink)
            found[id] = sink.words
        }
        words = found
    }

    private static func isRead(_ row: StoredRow) -> Bool { row.kind == "message" && row.form != .absent && row.stored <= mostBytes }

    /// The heads and the first messages of a conversation.
    ///
    /// - Returns: Their numbers, and whether the conversation has come so far that nothing is added to them.
    private static func beginning(_ rows: SessionRows, _ conversation: Int64) throws -> (ids: [Int64], isWhole: Bool) {
        var ids: [Int64] = []
        try rows.records(of: conversation, after: 0) { more in
            ids += more.prefix(mostBeginning.records)
            return ids.count < mostBeginning.records
        }
        var messages = 0
        let wanted = try rows.rows(ids).filter { row in
            guard isRead(row) else { return heads.contains(row.kind) }
            messages += 1
            return messages <= mostBeginning.messages
        }
        return (wanted.map(\.id), ids.count >= mostBeginning.records)
    }

    /// What a message says; nil where its payload says it best.
    subscript(id: Int64) -> String? { words[id] }
}

/// A conversation of which some rows are shown.
private struct Reading {
    /// What is still to be read of its beginning.
    var beginning: [Int64]
    /// The last record of that.
    let end: Int64
    /// Nothing is added to it any more.
    let isWhole: Bool
    var sink = WordsSink()

    init(_ beginning: (ids: [Int64], isWhole: Bool)) {
        (self.beginning, isWhole) = beginning
        end = beginning.ids.last ?? 0
    }
}

/// What conversations have agreed on at their beginnings, of those whose rows were shown last: a page that follows asks for rows of the same ones
/// several times a second. It belongs to the thread of one connection.
final class Beginnings: @unchecked Sendable {
    private var readings: [Int64: Reading] = [:]
    /// The one that was read first at the front.
    private var order: [Int64] = []

    private static let most = 16
    /// Bytes that one may hold.
    private static let mostBytes = 64 << 10

    /// What was read of a conversation, for a record after its beginning.
    fileprivate func reading(of conversation: Int64, before id: Int64) -> Reading? {
        guard let reading = readings[conversation], reading.end < id else { return nil }
        return reading
    }

    /// Keeps what was read, where that was the whole beginning.
    fileprivate func keep(_ reading: Reading, of conversation: Int64) {
        guard reading.isWhole, reading.beginning.isEmpty, reading.sink.heldBytes <= Self.mostBytes else { return }
        if readings.updateValue(reading, forKey: conversation) == nil { order.append(conversation) }
        if order.count > Self.most { readings[order.removeFirst()] = nil }
    }
}

/// Reads the payloads of messages, and what is agreed on before them.
private struct WordsSink: ConversationSink {
    private var reader: PayloadReader
    private var conversation: UInt64 = 0
    private(set) var words: String?

    init() {
        reader = PayloadReader(.standard)
        reader.isForLines = true
    }

    mutating func receive(_ event: borrowing ConversationEvent) {
        conversation = event.conversation
        words = nil
        guard let decoded = reader.read(event), event.kind == .message, !decoded.hasStopped, !decoded.summary.isEmpty else { return }
        words = "\(decoded.format) \(String(decoding: decoded.summary, as: UTF8.self))"
    }

    /// What comes next may be from anywhere in the conversation.
    mutating func skip() { reader.skip(in: conversation) }

    var heldBytes: Int { reader.heldBytes }
}
