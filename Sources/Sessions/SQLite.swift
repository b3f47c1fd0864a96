import CSQLite

/// A connection to an SQLite database, by SQLite's own calls (https://www.sqlite.org/c3ref/intro.html).
///
/// It may be made on one thread and used on another, by one thread at a time: SQLite takes no lock of its own for each of the many calls that a row
/// is made of (`SQLITE_OPEN_NOMUTEX`, https://www.sqlite.org/threadsafe.html), nor does it count the memory of all connections under one lock. What
/// interrupts a statement may come from any thread.
final class SQLiteConnection: @unchecked Sendable {
    let handle: OpaquePointer

    /// How long a statement waits for a lock of another program.
    private static let busyMilliseconds: Int32 = 5_000
    /// Once, before the first connection: afterwards SQLite refuses it, and counts on.
    private static let hasNoMemoryStatistics = sqlite3_omit_memory_statistics() == SQLITE_OK

    /// Opens a database. SQLite looks into the file with the first statement.
    ///
    /// - Parameters:
    ///   - isReadOnly: Whether nothing is written.
    ///   - isMade: Whether the file is made where there is none, and may be.
    /// - Throws: `SQLiteError`.
    init(path: String, isReadOnly: Bool, isMade: Bool = true) throws {
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | (isMade ? SQLITE_OPEN_CREATE : 0)
        var opened: OpaquePointer?
        _ = Self.hasNoMemoryStatistics
        let status = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX, nil)
        guard status == SQLITE_OK, let opened else {
            let error = opened.map { SQLiteError(status, $0) }
            sqlite3_close_v2(opened)
            throw error ?? SQLiteError(code: status, systemError: 0, words: String(cString: sqlite3_errstr(status)))
        }
        handle = opened
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, Self.busyMilliseconds)
    }

    /// Statements that are there still keep what they need of it.
    deinit { sqlite3_close_v2(handle) }

    /// How many rows the last statement has written that writes any.
    var changes: Int64 { sqlite3_changes64(handle) }

    /// Runs statements, separated by semicolons, that give no rows or whose rows nobody wants.
    func execute(_ sql: String) throws {
        let status = sqlite3_exec(handle, sql, nil, nil, nil)
        guard status == SQLITE_OK else { throw SQLiteError(status, handle) }
    }

    /// The first column of the first row of a query, where it is an integer.
    func integer(_ sql: String) throws -> Int64? {
        let rows = try RowCursor(self, sql)
        return try rows.peek() == nil ? nil : rows.integer(0)
    }

    /// The first column of each row of a query that is a text.
    func texts(_ sql: String) throws -> [String] {
        let rows = try RowCursor(self, sql)
        var texts: [String] = []
        while try rows.peek() != nil {
            if let bytes = rows.bytes(0) { texts.append(String(decoding: bytes, as: UTF8.self)) }
            rows.advance()
        }
        return texts
    }

    fileprivate func prepare(_ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        let status = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard status == SQLITE_OK, let statement else { throw SQLiteError(status, handle) }
        return statement
    }
}

/// Why SQLite did not do something.
struct SQLiteError: Error, CustomStringConvertible {
    let code: Int32
    /// That of the system call that failed; 0 where none did.
    let systemError: Int32
    let words: String

    var description: String { words }

    init(code: Int32, systemError: Int32, words: String) { (self.code, self.systemError, self.words) = (code, systemError, words) }

    fileprivate init(_ code: Int32, _ connection: OpaquePointer?) {
        self.init(code: code, systemError: sqlite3_system_errno(connection), words: String(cString: sqlite3_errmsg(connection)))
    }
}

/// A statement that is run again and again with other values.
///
/// Bytes are bound where they lie; they have to stay until `run`.
final class BoundStatement {
    private let handle: OpaquePointer

    init(_ connection: SQLiteConnection, _ sql: String) throws { handle = try connection.prepare(sql) }

    deinit { sqlite3_finalize(handle) }

    func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

    /// Numbers above the greatest that SQLite knows become negative, and themselves again when they are read.
    func bind(_ index: Int32, unsigned value: UInt64) { sqlite3_bind_int64(handle, index, Int64(bitPattern: value)) }

    func bind(_ index: Int32, _ value: Int64?) {
        if let value { sqlite3_bind_int64(handle, index, value) } else { sqlite3_bind_null(handle, index) }
    }

    func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

    func bind(_ index: Int32, text: UnsafeRawBufferPointer) {
        guard let start = text.baseAddress, !text.isEmpty else {
            // A literal stays where it is; what Swift passes for a String is gone before `run`.
            return bind(index, "" as StaticString)
        }
        sqlite3_bind_text(handle, index, start.assumingMemoryBound(to: CChar.self), Int32(clamping: text.count), nil)
    }

    func bind(_ index: Int32, bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            sqlite3_bind_zeroblob(handle, index, 0)
            return
        }
        sqlite3_bind_blob(handle, index, start, Int32(clamping: bytes.count), nil)
    }

    func bind(_ index: Int32, _ word: StaticString) {
        word.utf8Start.withMemoryRebound(to: CChar.self, capacity: word.utf8CodeUnitCount) { start in
            _ = sqlite3_bind_text(handle, index, start, Int32(word.utf8CodeUnitCount), nil)
        }
    }

    /// Binds a copy of a text; null where it is empty. What is not UTF-8 is mended.
    func bind(_ index: Int32, copying text: [UInt8]) {
        if text.isEmpty { return bindNull(index) }
        let isWhole = !text.contains(0) && (try? UTF8Span(validating: text.span)) != nil
        let text = isWhole ? text : Self.mended(text)
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        text.withUnsafeBytes { bytes in
            _ = sqlite3_bind_text(
                handle, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count), transient)
        }
    }

    /// Characters that are not UTF-8, and zeros, at which SQLite stops reading text, become U+FFFD.
    private static func mended(_ text: [UInt8]) -> [UInt8] {
        String(decoding: text, as: UTF8.self).unicodeScalars.flatMap { Array(String($0 == "\0" ? "\u{FFFD}" : $0).utf8) }
    }

    /// Runs it; it gives no rows.
    func run() throws {
        let status = sqlite3_step(handle)
        sqlite3_reset(handle)
        guard status == SQLITE_DONE else { throw SQLiteError(status, sqlite3_db_handle(handle)) }
    }
}

/// The rows of a query, one after another. What it lends is valid until it goes on.
final class RowCursor {
    private let handle: OpaquePointer
    /// The row is there and was not taken.
    private var isPending = false
    private var hasEnded = false
    /// Rows so far, and bytes of their texts and blobs.
    private(set) var rows: UInt64 = 0
    private(set) var bytes = 0

    init(_ connection: SQLiteConnection, _ sql: String) throws { handle = try connection.prepare(sql) }

    deinit { sqlite3_finalize(handle) }

    /// The first column of the next row, which is its number; nil at the end.
    func peek() throws -> Int64? {
        if !isPending, !hasEnded {
            switch sqlite3_step(handle) {
            case SQLITE_ROW:
                isPending = true
                rows += 1
            case SQLITE_DONE: hasEnded = true
            case let code:
                hasEnded = true
                throw SQLiteError(code, sqlite3_db_handle(handle))
            }
        }
        return isPending ? sqlite3_column_int64(handle, 0) : nil
    }

    /// Takes the row; its columns can be read until the next `peek`.
    func advance() { isPending = false }

    /// Begins anew, with these values for the parameters of the query.
    func restart(_ values: [Int64]) {
        sqlite3_reset(handle)
        for (index, value) in values.enumerated() { sqlite3_bind_int64(handle, Int32(index) + 1, value) }
        (isPending, hasEnded) = (false, false)
    }

    /// Gives a parameter a text, for the rows after the next `restart`.
    func bind(_ index: Int32, text: String) {
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        sqlite3_bind_text(handle, index, text, -1, transient)
    }

    /// Ends the query: what it read of the file is free for the one who writes.
    func end() {
        sqlite3_reset(handle)
        (isPending, hasEnded) = (false, true)
    }

    /// An integer; nil for anything else.
    func integer(_ column: Int32) -> Int64? {
        sqlite3_column_type(handle, column) == SQLITE_INTEGER ? sqlite3_column_int64(handle, column) : nil
    }

    /// A number that is no integer, or one that is; nil for anything else.
    func real(_ column: Int32) -> Double? {
        let type = sqlite3_column_type(handle, column)
        return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? sqlite3_column_double(handle, column) : nil
    }

    func unsigned(_ column: Int32) -> UInt64? { integer(column).map { UInt64(bitPattern: $0) } }

    /// A text; nil for anything else.
    func text(_ column: Int32) -> String? {
        guard sqlite3_column_type(handle, column) == SQLITE_TEXT else { return nil }
        return bytes(column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of a text or blob; nil for anything else.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
        let type = sqlite3_column_type(handle, column)
        guard type == SQLITE_TEXT || type == SQLITE_BLOB else { return nil }
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        bytes += count
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }
}
