import CSQLite
import Libc
import Reports

/// Why a session file cannot be used.
package struct SessionFileError: Error, CustomStringConvertible {
    package let path: String
    /// One sentence without a full stop.
    package let problem: String

    package var description: String { "\(path): \(problem)" }
}

/// A session file that is open for writing: a new one, or one that another run is added to.
///
/// Whoever opens it has made the file before, empty or not, and holds its lock (`OutputFile`): two programs that write to one session would mix up
/// the numbers of its records.
package struct SessionFile: Sendable {
    let connection: SQLiteConnection
    let path: String
    /// The number of this run, and what its first record and the conversation before its first one are numbered.
    let run: Int64
    let firstRecord: Int64
    let base: Int64
    /// Whether records of another run stand before.
    package let isAppended: Bool

    /// - Parameter appends: Whether what is there stays. Otherwise a session file is emptied; nothing else is.
    package init(path: String, appends: Bool) throws(SessionFileError) {
        self.path = path
        let isThere = try SessionFile.check(path)
        if isThere, !appends { try SessionFile.empty(path) }
        isAppended = isThere && appends
        do {
            connection = try SQLiteConnection(path: path, isReadOnly: false)
            // Of a new file: larger pages than SQLite's own make a fifth less work of records that come one after another.
            try connection.execute("PRAGMA page_size = 16384; PRAGMA cache_size = -16000; PRAGMA wal_autocheckpoint = 1000")
            // Debian's SQLite overwrites with zeros what moves from one page to another.
            try connection.execute("PRAGMA secure_delete = OFF")
            if !isAppended { try SessionFile.build(connection) }
            // Only now, so that the file itself says what it is from the beginning.
            try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            (run, firstRecord, base) = try SessionFile.addRun(connection)
        } catch {
            throw SessionFileError(path: path, problem: "cannot be written as a session file: \(error)")
        }
    }

    /// What writes to it.
    ///
    /// - Parameters:
    ///   - tail: takes what was stored last.
    ///   - stored: called each time that records were stored, on the thread that writes.
    package func makeStore(tail: SessionTail? = nil, stored: @escaping @Sendable () -> Void = {}) -> any SessionStore {
        SessionWriter(self, tail, stored)
    }

    /// Looks at what is there.
    ///
    /// - Returns: Whether it is a session file; false where there is nothing.
    @discardableResult
    package static func check(_ path: String) throws(SessionFileError) -> Bool {
        let head = SessionFile.head(of: path)
        guard !head.isEmpty else { return false }
        guard head.starts(with: SessionSchema.magic), SessionFile.applicationID(head) == SessionSchema.applicationID else {
            throw SessionFileError(path: path, problem: "the file is not a session file and is not overwritten; choose another name")
        }
        return true
    }

    /// The first bytes of a file, up to 100: what SQLite calls the header.
    static func head(of path: String) -> [UInt8] {
        let descriptor = systemOpen(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var head = [UInt8](repeating: 0, count: 100)
        let count = read(descriptor, &head, head.count)
        return count > 0 ? Array(head.prefix(count)) : []
    }

    /// SQLite's application_id; 0 where the header is cut off.
    static func applicationID(_ head: [UInt8]) -> Int32 {
        guard head.count >= 72 else { return 0 }
        return head[68..<72].reduce(0) { $0 << 8 | Int32($1) }
    }

    /// The size of a page in bytes (https://www.sqlite.org/fileformat2.html, sections 1.3.2 and 1.3.3), where the file holds every page itself; nil
    /// where a write-ahead log beside it may hold some, and where the header is cut off.
    static func pageSize(_ head: [UInt8]) -> UInt64? {
        guard head.count == 100, head[18] == 1 else { return nil }
        let size = UInt64(head[16]) << 8 | UInt64(head[17])
        return size == 1 ? 65_536 : size >= 512 ? size : nil
    }

    /// Empties a session file. What a run that was killed has left beside it goes first: it must not become part of the new one.
    private static func empty(_ path: String) throws(SessionFileError) {
        for ending in ["-wal", "-shm", "-journal"] { unlink(path + ending) }
        guard truncate(path, 0) == 0 else {
            throw SessionFileError(path: path, problem: "the file cannot be emptied: \(String(cString: strerror(errno)))")
        }
    }

    private static func build(_ connection: SQLiteConnection) throws {
        try connection.execute("PRAGMA application_id = \(SessionSchema.applicationID); PRAGMA user_version = \(SessionSchema.version)")
        let tables = SessionSchema.tables.map(\.sql) + SessionSchema.rest
        // Where one fails, closing the connection takes the others back.
        let mark = "PRAGMA schema_version = \(SessionMark.new())"
        try connection.execute((["BEGIN", mark] + tables + ["COMMIT"]).joined(separator: ";\n"))
    }

    private static func addRun(_ connection: SQLiteConnection) throws -> (Int64, Int64, Int64) {
        guard try connection.integer("PRAGMA user_version") == Int64(SessionSchema.version) else {
            throw SQLiteError(code: SQLITE_ERROR, systemError: 0, words: "it is of another version of the format")
        }
        let record = try connection.integer(
            "SELECT max(ifnull((SELECT max(id) FROM messages), 0), ifnull((SELECT max(id) FROM records), 0)) + 1")
        let base = try connection.integer("SELECT ifnull(max(id), 0) FROM conversations")
        guard let record, let base, record > 0, base >= 0, record < .max / 2, base < .max / 2 else {
            throw SQLiteError(code: SQLITE_ERROR, systemError: 0, words: "its numbers are too large")
        }
        try connection.execute("INSERT INTO runs(first, base) VALUES(\(record), \(base))")
        return (sqlite3_last_insert_rowid(connection.handle), record, base)
    }
}

/// The system's `open`, under a name that does not collide with methods.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
