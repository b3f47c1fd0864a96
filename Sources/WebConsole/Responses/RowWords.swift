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

    /// - Parameter list: rows in the order of their numbers.
    init(_ rows: SessionRows, _ list: [StoredRow]) throws {
        guard list.contains(where: Self.isRead) else { return }
        var teller = LogTeller()
        teller.begin(CaptureSource(kind: .file, name: "", tool: ""), after: Totals())
        var readings: [Int64: Reading] = [:]
        func take(_ id: Int64, _ sink: inout WordsSink) throws {
            _ = try rows.line(of: id) { _, line in _ = teller.tell(line, into: &sink) { _, _ in } }
        }
        for row in list where Self.isRead(row) || Self.heads.contains(row.kind) {
            var reading = try readings[row.conversation] ?? Reading(try Self.beginning(rows, row.conversation))
            while let id = reading.beginning.first, id < row.id {
                reading.beginning.removeFirst()
                try take(id, &reading.sink)
                reading.sink.skip()
            }
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

    private static func isRead(_ row: StoredRow) -> Bool { row.kind == "message" && row.form != .absent && row.stored <= mostBytes }

    /// The heads and the first messages of a conversation.
    private static func beginning(_ rows: SessionRows, _ conversation: Int64) throws -> [Int64] {
        var ids: [Int64] = []
        try rows.records(of: conversation, after: 0) { more in
            ids += more.prefix(mostBeginning.records)
            return ids.count < mostBeginning.records
        }
        var messages = 0
        return try rows.rows(ids).filter { row in
            guard isRead(row) else { return heads.contains(row.kind) }
            messages += 1
            return messages <= mostBeginning.messages
        }.map(\.id)
    }

    /// What a message says; nil where its payload says it best.
    subscript(id: Int64) -> String? { words[id] }
}

/// A conversation of which some rows are shown.
private struct Reading {
    /// What is still to be read of its beginning.
    var beginning: [Int64]
    var sink = WordsSink()

    init(_ beginning: [Int64]) { self.beginning = beginning }
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
}
