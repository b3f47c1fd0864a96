import CSQLite
import CaptureFiles
import Dissection
import Reports

/// Reads a session file by row, while its writer may still be at it: what a view needs that holds only the rows that it shows.
///
/// One of these is one connection, and is for one thread at a time. The file may be a stranger's: it is opened as `SessionReader` does it.
package final class SessionRows: @unchecked Sendable {
    let connection: SQLiteConnection
    let runs: [StoredRun]
    private let messages, records: RowCursor
    private let oneMessage, oneRecord: RowCursor
    private let messageLines, recordLines: RowCursor
    private let oneMessageLine, oneRecordLine: RowCursor
    private let messagePlaces, recordPlaces: RowCursor
    let counters: SessionCounters
    private let begin, commit: BoundStatement

    /// Bytes of a payload of which a row has the beginning.
    private static let beginning = 640
    /// Bytes of one value that are read.
    private static let longest = 64 << 20

    private static let messageColumns = "id, conversation, time, side, opcode, length, truncated, framing, typeof(payload), "
    /// What this process writes says how long its payloads are: a short one is read with its row. In a stranger's file it might be a long one.
    private static func messageColumns(isOwn: Bool) -> String {
        messageColumns + (isOwn ? "CASE WHEN length <= \(beginning) THEN payload END" : "NULL")
    }
    private static let recordColumns = "id, kind, conversation, time, side, json, truncated, typeof(payload)"

    /// - Parameter isOwn: This process writes to the file, and has just made it.
    /// - Throws: where it is not a session file, or cannot be opened.
    package init(path: String, isOwn: Bool) throws(CaptureFileError) {
        if !isOwn { try SessionReader.checkHead(path) }
        do {
            let connection = try SessionReader.open(path, longest: Self.longest)
            try SessionReader.check(connection)
            self.connection = connection
            runs = try StoredRun.all(in: connection)
            func cursor(_ sql: String) throws -> RowCursor { try RowCursor(connection, sql) }
            let columns = Self.messageColumns(isOwn: isOwn)
            messages = try cursor("SELECT \(columns) FROM messages WHERE id BETWEEN ? AND ? ORDER BY id")
            records = try cursor("SELECT \(Self.recordColumns) FROM records WHERE id BETWEEN ? AND ? ORDER BY id")
            oneMessage = try cursor("SELECT \(columns) FROM messages WHERE id = ?")
            oneRecord = try cursor("SELECT \(Self.recordColumns) FROM records WHERE id = ?")
            messageLines = try cursor("SELECT * FROM messages WHERE id BETWEEN ? AND ? ORDER BY id")
            let line = "id, json, split, truncated, payload, kind"
            recordLines = try cursor("SELECT \(line) FROM records WHERE id BETWEEN ? AND ? ORDER BY id")
            oneMessageLine = try cursor("SELECT * FROM messages WHERE id = ?")
            oneRecordLine = try cursor("SELECT \(line) FROM records WHERE id = ?")
            messagePlaces = try cursor("SELECT id, time FROM messages WHERE id BETWEEN ? AND ? ORDER BY id")
            counters = try SessionCounters(connection)
            (begin, commit) = (try BoundStatement(connection, "BEGIN"), try BoundStatement(connection, "COMMIT"))
            recordPlaces = try cursor("SELECT id, time, kind FROM records WHERE id BETWEEN ? AND ? ORDER BY id")
        } catch {
            throw SessionReader.refusal(path, error)
        }
    }

    /// Whether conversations have the same numbers in the file as in its run.
    package var hasOneRun: Bool { runs.count == 1 && runs[0].base == 0 }

    /// Whether the records of a conversation are found without a look at all of them.
    lazy var hasRecordIndex: Bool = {
        let index = SessionSchema.rest.first { $0.hasPrefix("CREATE INDEX records_by_conversation ") }
        let found = try? connection.texts(
            "SELECT sql FROM sqlite_schema WHERE name = 'records_by_conversation' AND type = 'index' LIMIT 2")
        return index.map { [$0] } == found
    }()

    /// Whether a table that readers do not need is there as the format has it: those of a stranger may be anything.
    func has(_ table: String) -> Bool {
        guard let sql = SessionSchema.rest.first(where: { $0.hasPrefix("CREATE TABLE \(table)(") }) else { return false }
        let found = try? connection.texts("SELECT sql FROM sqlite_schema WHERE name = '\(table)' AND type = 'table' LIMIT 2")
        return found == [sql]
    }

    /// Reads the file as it is at one moment, whatever is written meanwhile: it is locked and looked at once.
    package func together<Result>(_ body: () throws -> Result) throws -> Result {
        try begin.run()
        do {
            let result = try body()
            try commit.run()
            return result
        } catch {
            try? commit.run()
            throw error
        }
    }

    // MARK: - Rows

    /// The rows of the records from one number to another, in their order; numbers that the file lacks are left out.
    package func rows(from first: Int64, through last: Int64) throws -> [StoredRow] {
        guard first <= last else { return [] }
        messages.restart([first, last])
        records.restart([first, last])
        defer {
            messages.end()
            records.end()
        }
        var rows: [StoredRow] = []
        var ofMessages = StoredPayload(connection, "messages")
        var ofRecords = StoredPayload(connection, "records")
        while true {
            let (message, record) = (try messages.peek(), try records.peek())
            if let message, record.map({ message < $0 }) ?? true {
                messages.advance()
                rows.append(row(message: messages, &ofMessages))
            } else if record != nil {
                records.advance()
                rows.append(row(record: records, &ofRecords))
            } else {
                return rows
            }
        }
    }

    /// The rows of some records, in this order; those that the file lacks are left out.
    package func rows(_ ids: [Int64]) throws -> [StoredRow] {
        if let first = ids.first, let last = ids.last {
            let (distance, isTooFar) = last.subtractingReportingOverflow(first)
            if !isTooFar, distance == Int64(ids.count) - 1 { return try rows(from: first, through: last) }
        }
        defer {
            oneMessage.end()
            oneRecord.end()
        }
        var rows: [StoredRow] = []
        var ofMessages = StoredPayload(connection, "messages")
        var ofRecords = StoredPayload(connection, "records")
        for id in ids {
            oneMessage.restart([id])
            if try oneMessage.peek() != nil {
                oneMessage.advance()
                rows.append(row(message: oneMessage, &ofMessages))
                continue
            }
            oneRecord.restart([id])
            guard try oneRecord.peek() != nil else { continue }
            oneRecord.advance()
            rows.append(row(record: oneRecord, &ofRecords))
        }
        return rows
    }

    private func row(message cursor: RowCursor, _ payload: inout StoredPayload) -> StoredRow {
        var row = StoredRow(id: cursor.integer(0) ?? 0, kind: "message")
        row.conversation = cursor.integer(1) ?? 0
        (row.time, row.side) = (cursor.integer(2), cursor.integer(3))
        (row.opcode, row.length) = (cursor.integer(4), cursor.unsigned(5))
        row.isTruncated = cursor.integer(6) == 1
        row.json = cursor.bytes(7).map { Array($0) } ?? []
        if let bytes = cursor.bytes(9) {
            row.form = cursor.text(8) == "text" ? .text : .binary
            row.stored = bytes.count
            row.beginning = Array(bytes.prefix(Self.beginning))
        } else {
            addPayload(cursor.text(8), &payload, to: &row)
        }
        return row
    }

    private func row(record cursor: RowCursor, _ payload: inout StoredPayload) -> StoredRow {
        var row = StoredRow(id: cursor.integer(0) ?? 0, kind: cursor.text(1) ?? "")
        row.conversation = cursor.integer(2) ?? 0
        (row.time, row.side) = (cursor.integer(3), cursor.integer(4))
        row.json = cursor.bytes(5).map { Array($0) } ?? []
        row.isTruncated = cursor.integer(6) == 1
        addPayload(cursor.text(7), &payload, to: &row)
        return row
    }

    private func addPayload(_ type: String?, _ payload: inout StoredPayload, to row: inout StoredRow) {
        guard type == "text" || type == "blob", let count = payload.open(row.id) else { return }
        row.form = type == "text" ? .text : .binary
        row.stored = count
        row.beginning = payload.read(from: 0, count: min(count, Self.beginning)) ?? []
    }

    /// A slice of the payload of a record, and how long the whole is; nil where there is none.
    package func payload(of id: Int64, from start: Int, count: Int) -> (bytes: [UInt8], stored: Int)? {
        for table in ["messages", "records"] {
            var payload = StoredPayload(connection, table)
            guard let stored = payload.open(id) else { continue }
            guard start < stored else { return ([], stored) }
            return payload.read(from: start, count: min(count, stored - start)).map { ($0, stored) }
        }
        return nil
    }

    // MARK: - Lines

    /// Lends the records from one number to another.
    ///
    /// - Parameters:
    ///   - message: takes the number of a message, and the event that it was made of. Files of several runs lend lines instead, as conversations are
    ///     numbered on from run to run.
    ///   - line: takes the number of another record, its kind, and the line of the log that it was made of.
    ///   - leftOut: conversations whose messages are not lent.
    package func lend(
        from first: Int64, through last: Int64, without leftOut: [Int64] = [], message: (Int64, borrowing ConversationEvent) -> Void,
        line: (Int64, String, RawSpan) -> Void
    ) throws {
        let others = leftOut.map { String($0) }.joined(separator: ",")
        let messageLines =
            leftOut.isEmpty
            ? self.messageLines
            : try RowCursor(connection, "SELECT * FROM messages WHERE id BETWEEN ? AND ? AND conversation NOT IN (\(others)) ORDER BY id")
        messageLines.restart([first, last])
        recordLines.restart([first, last])
        defer {
            messageLines.end()
            recordLines.end()
        }
        var composed = StoredLine(runs)
        while true {
            let (next, record) = (try messageLines.peek(), try recordLines.peek())
            if let next, record.map({ next < $0 }) ?? true {
                messageLines.advance()
                if hasOneRun {
                    _ = composed.lend(message: messageLines) { message(next, $0) }
                } else if composed.compose(message: messageLines) {
                    line(next, "message", composed.bytes)
                }
            } else if let record {
                recordLines.advance()
                if composed.compose(record: recordLines) { line(record, recordLines.text(5) ?? "", composed.bytes) }
            } else {
                return
            }
        }
    }

    /// Lends the line of one record.
    ///
    /// - Returns: Whether there is one.
    @discardableResult
    package func line(of id: Int64, _ body: (String, RawSpan) -> Void) throws -> Bool {
        defer {
            oneMessageLine.end()
            oneRecordLine.end()
        }
        var line = StoredLine(runs)
        oneMessageLine.restart([id])
        if try oneMessageLine.peek() != nil {
            oneMessageLine.advance()
            guard line.compose(message: oneMessageLine) else { return false }
            body("message", line.bytes)
            return true
        }
        oneRecordLine.restart([id])
        guard try oneRecordLine.peek() != nil else { return false }
        oneRecordLine.advance()
        guard line.compose(record: oneRecordLine) else { return false }
        body(oneRecordLine.text(5) ?? "", line.bytes)
        return true
    }
}

extension SessionRows {
    /// Lends number, time and kind of the records from one number to another, in their order.
    package func places(from first: Int64, through last: Int64, _ body: (Int64, Int64?, String) -> Void) throws {
        messagePlaces.restart([first, last])
        recordPlaces.restart([first, last])
        defer {
            messagePlaces.end()
            recordPlaces.end()
        }
        while true {
            let (message, record) = (try messagePlaces.peek(), try recordPlaces.peek())
            if let message, record.map({ message < $0 }) ?? true {
                messagePlaces.advance()
                body(message, messagePlaces.integer(1), "message")
            } else if let record {
                recordPlaces.advance()
                body(record, recordPlaces.integer(1), recordPlaces.text(2) ?? "")
            } else {
                return
            }
        }
    }
}
