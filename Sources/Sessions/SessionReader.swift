import CSQLite
import CaptureFiles
import Dissection
import Libc
import Reports

/// Reads a session file: lends the lines of the log that its records were made of.
///
/// The file may be a stranger's. It is opened for reading alone; its tables have to be those of the format, word for word, so that nothing that a
/// stranger has written runs; what its columns hold is taken for what it is, and the lines are checked as those of any log are.
package struct SessionReader: RecordLines, ~Copyable {
    package let name: String
    private let connection: SQLiteConnection
    private let messages: RowCursor
    private let records: RowCursor
    /// Of each run the first record, and the number before that of its first conversation.
    private let runs: [(first: Int64, base: Int64)]
    private var line = SessionLine()
    private var lastID: Int64 = 0

    /// The whole, for who waits for it.
    package let inputSize: UInt64?
    package var inputBytes: UInt64 { UInt64(max(0, messages.bytes)) }
    package var heldBytes: Int { line.heldBytes + (4 << 20) }
    package var isArchive: Bool { false }
    /// Rows of messages that were read, for tests of what is left out.
    package var messageRows: UInt64 { messages.rows }

    /// Whether a file begins as an SQLite database does. Looks at regular files alone: nothing is taken from others.
    package static func isSession(_ path: String) -> Bool {
        guard path != "-", FileIdentity(path: path) != nil else { return false }
        return SessionFile.head(of: path).starts(with: SessionSchema.magic)
    }

    /// - Parameters:
    ///   - wanted: Where nobody looks at the messages of other conversations, these conversations. The file leaves the others out where nothing else
    ///     changes by that.
    ///   - window: Where nobody looks at messages of other times, the times, in nanoseconds since 1970. Pages without any of it are left out.
    ///   - longestLine: bytes of one value that are read.
    /// - Throws: where it is not a session file, or cannot be opened.
    package init(path: String, wanted: ConversationSelection? = nil, window: ClosedRange<Int64>? = nil, longestLine: Int = 64 << 20)
        throws(CaptureFileError)
    {
        let opened = try SessionReader.opened(path, wanted, window, longestLine)
        (connection, messages, records, runs) = (opened.connection, opened.messages, opened.records, opened.runs)
        name = path
        inputSize = FileSize.of(path)
    }

    /// What reading takes.
    private struct Opened {
        var connection: SQLiteConnection
        var messages: RowCursor
        var records: RowCursor
        var runs: [(first: Int64, base: Int64)]
    }

    private static func opened(_ path: String, _ wanted: ConversationSelection?, _ window: ClosedRange<Int64>?, _ longest: Int)
        throws(CaptureFileError) -> Opened
    {
        func refusal(_ problem: String, _ advice: String = "") -> CaptureFileError {
            CaptureFileError(kind: .notACapture, input: path, offset: 0, problem: problem, advice: advice)
        }
        let head = SessionFile.head(of: path)
        guard SessionFile.applicationID(head) == SessionSchema.applicationID else {
            throw refusal("an SQLite database that is not a session file of unmask", "give a file that --save wrote, or a capture")
        }
        // SQLite counts a part of a page as a page, and reads zeros for the rest of it: payloads of zeros, which nobody has sent.
        if let page = SessionFile.pageSize(head), let size = FileSize.of(path), size % page != 0 {
            throw refusal("the session file is cut off inside a page, at byte \(size)")
        }
        do {
            let connection = try open(path, longest: longest)
            try check(connection)
            let runs = try runs(connection)
            let query = try query(wanted, window, runs.count, connection)
            return Opened(
                connection: connection, messages: try RowCursor(connection, query),
                records: try RowCursor(connection, "SELECT id, json, split, truncated, payload FROM records ORDER BY id"), runs: runs)
        } catch let error as SchemaProblem {
            throw refusal(error.words, error.advice)
        } catch {
            throw refusal("the session file cannot be read: \(error)")
        }
    }

    /// Where each run begins. What is no number counts as 0.
    private static func runs(_ connection: SQLiteConnection) throws -> [(first: Int64, base: Int64)] {
        let cursor = try RowCursor(connection, "SELECT id, first, base FROM runs ORDER BY first LIMIT 100000")
        var runs: [(first: Int64, base: Int64)] = []
        while try cursor.peek() != nil {
            cursor.advance()
            runs.append((cursor.integer(1) ?? 0, cursor.integer(2) ?? 0))
        }
        return runs
    }

    private static func open(_ path: String, longest: Int) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, isReadOnly: true)
        _ = sqlite3_defend(connection.handle)
        sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, Int32(clamping: longest + (1 << 20)))
        try connection.execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA cache_size = -4000")
        return connection
    }

    /// What is wrong with the tables.
    private struct SchemaProblem: Error {
        var words: String
        var advice = ""
    }

    private static func check(_ connection: SQLiteConnection) throws {
        let version = try connection.integer("PRAGMA user_version") ?? 0
        guard version == Int64(SessionSchema.version) else {
            throw SchemaProblem(
                words: "a session file of version \(version) of the format; this program reads version \(SessionSchema.version)",
                advice: version > SessionSchema.version ? "use a newer unmask" : "")
        }
        for (table, sql) in SessionSchema.tables {
            let found = try connection.texts("SELECT sql FROM sqlite_schema WHERE name = '\(table)' AND type = 'table' LIMIT 2")
            guard found == [sql] else {
                throw SchemaProblem(
                    words: "the table \(table) of the session file is \(found.isEmpty ? "missing" : "not as unmask makes it")")
            }
        }
    }

    /// The query for the messages.
    ///
    /// Conversations are numbered on from input to input and run to run, and the totals of a log that has no end are counted: what is left out must change
    /// neither.
    private static func query(
        _ wanted: ConversationSelection?, _ window: ClosedRange<Int64>?, _ runs: Int, _ connection: SQLiteConnection
    ) throws -> String {
        let all = "SELECT messages.* FROM messages ORDER BY messages.id"
        guard wanted != nil || window != nil, runs == 1 else { return all }
        let last = try connection.texts("SELECT kind FROM records ORDER BY id DESC LIMIT 1")
        guard last == ["end"] else { return all }
        var conditions: [String] = []
        if let wanted, wanted.ranges.count <= 64 {
            let ranges = wanted.ranges.map {
                "conversation BETWEEN \(Int64(clamping: $0.lowerBound)) AND \(Int64(clamping: $0.upperBound))"
            }
            let ids = "SELECT ids.value FROM traces, json_each(traces.ids) AS ids WHERE \(ranges.joined(separator: " OR "))"
            conditions.append("messages.id IN (\(ids))")
        }
        var (source, order) = ("messages", "messages.id")
        if let window {
            source = "pages CROSS JOIN messages ON messages.id BETWEEN pages.first AND pages.last"
            order = "pages.id, messages.id"
            conditions.append("pages.latest >= \(window.lowerBound) AND pages.earliest <= \(window.upperBound)")
        }
        let choice = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        return "SELECT messages.* FROM \(source)\(choice) ORDER BY \(order)"
    }

    @_lifetime(&self)
    package mutating func next() throws(CaptureFileError) -> RawSpan? {
        while true {
            let (message, record) = (try peek(messages), try peek(records))
            switch (message, record) {
            case (nil, nil): return nil
            case (let id?, let other) where other.map({ id < $0 }) ?? true:
                lastID = id
                messages.advance()
                guard composeMessage() else { throw damage("its columns are not those of a message") }
            case (_, let id?):
                lastID = id
                records.advance()
                guard composeRecord() else { throw damage("its columns are not those of a record") }
            case (_, nil): return nil
            }
            return line.bytes
        }
    }

    package func damage(_ problem: String) -> CaptureFileError {
        CaptureFileError(
            kind: .notACapture, input: name, offset: 0, problem: "record \(lastID) of the session file cannot be read: \(problem)",
            canGoOn: true)
    }

    /// The number of the row that a cursor stands at; nil at its end.
    private func peek(_ cursor: RowCursor) throws(CaptureFileError) -> Int64? {
        do {
            return try cursor.peek()
        } catch {
            throw CaptureFileError(
                kind: .notACapture, input: name, offset: 0,
                problem: "the session file is damaged after record \(lastID): \(error)", advice: "the records before it are complete")
        }
    }

    // MARK: - Lines

    private mutating func composeRecord() -> Bool {
        guard let json = records.bytes(1), !json.isEmpty else { return false }
        let split = records.integer(2).map { Int(clamping: $0) }
        let payload = records.bytes(4) ?? UnsafeRawBufferPointer(start: nil, count: 0)
        return line.compose(json: json.bytes, split: split, payload: payload.bytes, isTruncated: records.integer(3) == 1)
    }

    private mutating func composeMessage() -> Bool {
        guard let id = messages.integer(0), let conversation = messages.integer(1), let length = messages.unsigned(5),
            let wireLength = messages.unsigned(6)
        else { return false }
        let base = runs.last { $0.first <= id }?.base ?? 0
        guard conversation > base, base >= 0 else { return false }
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
        let framing = messages.bytes(14) ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let payload = messages.bytes(17)
        let shown = payload ?? UnsafeRawBufferPointer(start: nil, count: 0)
        return line.compose(row, message, framing: framing.bytes, hasPayload: payload != nil, payload: shown.bytes)
    }
}

/// The size of a file.
private enum FileSize {
    static func of(_ path: String) -> UInt64? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(max(0, status.st_size)) : nil
    }
}
