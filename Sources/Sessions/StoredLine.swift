import CSQLite
import Dissection
import Reports

/// A run in a session file: its first record, and the number before that of its first conversation.
struct StoredRun {
    var first: Int64
    var base: Int64

    /// Where each run begins. What is not a number counts as 0.
    static func all(in connection: SQLiteConnection) throws -> [StoredRun] {
        let cursor = try RowCursor(connection, "SELECT id, first, base FROM runs ORDER BY first LIMIT 100000")
        var runs: [StoredRun] = []
        while try cursor.peek() != nil {
            cursor.advance()
            runs.append(StoredRun(first: cursor.integer(1) ?? 0, base: cursor.integer(2) ?? 0))
        }
        return runs
    }
}

/// Makes a row that a query has given into the line of the log that it was made of.
struct StoredLine: ~Copyable {
    private let runs: [StoredRun]
    private var line = SessionLine()

    init(_ runs: [StoredRun]) { self.runs = runs }

    /// The line that was made last; valid until the next one.
    var bytes: RawSpan {
        @_lifetime(borrow self)
        get { line.bytes }
    }

    var heldBytes: Int { line.heldBytes }

    /// Makes a record of any kind but `message`.
    ///
    /// - Parameter records: at a row with the columns `id, json, split, truncated, payload`.
    /// - Returns: Whether the row can be one.
    mutating func compose(record records: RowCursor) -> Bool {
        guard let json = records.bytes(1), !json.isEmpty else { return false }
        let split = records.integer(2).map { Int(clamping: $0) }
        let payload = records.bytes(4) ?? UnsafeRawBufferPointer(start: nil, count: 0)
        return line.compose(json: json.bytes, split: split, payload: payload.bytes, isTruncated: records.integer(3) == 1)
    }

    /// Makes a message.
    ///
    /// - Parameter messages: at a row with all columns of the table.
    /// - Returns: Whether the row can be one.
    mutating func compose(message messages: RowCursor) -> Bool {
        guard let (row, message) = row(messages) else { return false }
        let framing = messages.bytes(14) ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let payload = messages.bytes(17)
        let shown = payload ?? UnsafeRawBufferPointer(start: nil, count: 0)
        return line.compose(row, message, framing: framing.bytes, hasPayload: payload != nil, payload: shown.bytes)
    }

    /// Lends the event that a message was made of: what its line says, without the way through a line.
    ///
    /// - Returns: Whether the row can be one.
    func lend(message messages: RowCursor, _ body: (borrowing ConversationEvent) -> Void) -> Bool {
        guard let (row, message) = row(messages) else { return false }
        let framing = messages.bytes(14) ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let payload = messages.bytes(17) ?? UnsafeRawBufferPointer(start: nil, count: 0)
        return SessionLine.lend(row, message, framing: framing.bytes, payload: payload.bytes, body)
    }

    private func row(_ messages: RowCursor) -> (row: SessionRow, message: SessionRow.OfMessage)? {
        guard let id = messages.integer(0), let conversation = messages.integer(1), let length = messages.unsigned(5),
            let wireLength = messages.unsigned(6)
        else { return nil }
        let base = runs.last { $0.first <= id }?.base ?? 0
        guard conversation > base, base >= 0 else { return nil }
        var place = Place(time: messages.integer(2).map { Timestamp(nanoseconds: $0) })
        if let first = messages.unsigned(9) { place.packets = PacketRange(lowest: first, highest: messages.unsigned(10) ?? first) }
        let from: Side? = messages.integer(3).map { $0 == 0 ? .client : .server }
        let channel = ByteChannel(
            depth: UInt8(clamping: messages.integer(12) ?? 0), stream: UInt32(clamping: messages.integer(13) ?? 0))
        var row = SessionRow(
            kind: "message", conversation: UInt64(conversation - base), place: place, from: from, offset: messages.unsigned(11),
            channel: channel)
        row.isTruncated = messages.integer(15) == 1
        row.redacted = UInt32(clamping: messages.integer(16) ?? 0)
        let message = SessionRow.OfMessage(
            opcode: UInt8(clamping: messages.integer(4) ?? 0), length: length, wireLength: wireLength,
            fragments: UInt32(clamping: messages.integer(7) ?? 0), isCompressed: messages.integer(8) == 1,
            isFramed: messages.integer(4) == nil)
        return (row, message)
    }
}
