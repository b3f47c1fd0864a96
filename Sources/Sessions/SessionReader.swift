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
    private var line: StoredLine
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
        (connection, messages, records) = (opened.connection, opened.messages, opened.records)
        line = StoredLine(opened.runs)
        name = path
        inputSize = FileSize.of(path)
    }

    /// What reading takes.
    private struct Opened {
        var connection: SQLiteConnection
        var messages: RowCursor
        var records: RowCursor
        var runs: [StoredRun]
    }

    private static func opened(_ path: String, _ wanted: ConversationSelection?, _ window: ClosedRange<Int64>?, _ longest: Int)
        throws(CaptureFileError) -> Opened
    {
        try checkHead(path)
        do {
            let connection = try open(path, longest: longest)
            try check(connection)
            let runs = try StoredRun.all(in: connection)
            let query = try query(wanted, window, runs.count, connection)
            return Opened(
                connection: connection, messages: try RowCursor(connection, query),
                records: try RowCursor(connection, "SELECT id, json, split, truncated, payload FROM records ORDER BY id"), runs: runs)
        } catch {
            throw refusal(path, error)
        }
    }

    /// Looks at the first bytes of a file before SQLite does. Not of one that this process writes to: closing it again would take SQLite's locks away.
    static func checkHead(_ path: String) throws(CaptureFileError) {
        let head = SessionFile.head(of: path)
        guard SessionFile.applicationID(head) == SessionSchema.applicationID else {
            throw refusal(
                path, "an SQLite database that is not a session file of unmask", "give a file that --save wrote, or a capture")
        }
        // SQLite counts a part of a page as a page, and reads zeros for the rest of it: payloads of zeros, which nobody has sent.
        if let page = SessionFile.pageSize(head), let size = FileSize.of(path), size % page != 0 {
            throw refusal(path, "the session file is cut off inside a page, at byte \(size)")
        }
    }

    /// Why a file cannot be read.
    static func refusal(_ path: String, _ problem: String, _ advice: String = "") -> CaptureFileError {
        CaptureFileError(kind: .notACapture, input: path, offset: 0, problem: problem, advice: advice)
    }

    static func refusal(_ path: String, _ error: any Error) -> CaptureFileError {
        if let problem = error as? SchemaProblem { return refusal(path, problem.words, problem.advice) }
        return refusal(path, "the session file cannot be read: \(error)")
    }

    /// Opens a file for reading alone, as one of a stranger.
    static func open(_ path: String, longest: Int) throws -> SQLiteConnection {
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

    /// Looks at whether the tables are those of the format.
    static func check(_ connection: SQLiteConnection) throws {
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
                guard line.compose(message: messages) else { throw damage("its columns are not those of a message") }
            case (_, let id?):
                lastID = id
                records.advance()
                guard line.compose(record: records) else { throw damage("its columns are not those of a record") }
            case (_, nil): return nil
            }
            return line.bytes
        }
    }

    package func damage(_ problem: String) -> CaptureFileError {
        CaptureFileError(
            kind: .notACapture, input: name, offset: 0,
            problem: "\(lastID > 0 ? "record \(lastID)" : "the first record") of the session file cannot be read: \(problem)", canGoOn: true
        )
    }

    /// The number of the row that a cursor stands at; nil at its end.
    private func peek(_ cursor: RowCursor) throws(CaptureFileError) -> Int64? {
        do {
            return try cursor.peek()
        } catch {
            let place = lastID > 0 ? "after record \(lastID)" : "from its first record on"
            throw CaptureFileError(
                kind: .notACapture, input: name, offset: 0, problem: "the session file is damaged \(place): \(error)",
                advice: lastID > 0 ? "the records before it are complete" : "none can be read")
        }
    }
}

/// The size of a file.
private enum FileSize {
    static func of(_ path: String) -> UInt64? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(max(0, status.st_size)) : nil
    }
}
