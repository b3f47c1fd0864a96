import GRDB
import GRDBSQLite

/// A statement that is run again and again with other values: SQLite's own calls, without GRDB's conversions, which cost several times the work.
///
/// Bytes are bound where they lie; they have to stay until `run`.
struct BoundStatement {
    private let statement: Statement
    /// What SQLite knows it by, as long as the statement is there.
    private let handle: OpaquePointer

    init(_ database: Database, _ sql: String) throws {
        statement = try database.makeStatement(sql: sql)
        handle = statement.sqliteStatement
    }

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
        var text = Array(String(decoding: text, as: UTF8.self).utf8)
        // SQLite stops reading text there.
        text.replace([0], with: Array("\u{FFFD}".utf8))
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        text.withUnsafeBytes { bytes in
            _ = sqlite3_bind_text(
                handle, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count), transient)
        }
    }

    /// Runs it; it gives no rows.
    func run() throws {
        let status = sqlite3_step(handle)
        sqlite3_reset(handle)
        guard status == SQLITE_DONE else {
            let connection = sqlite3_db_handle(handle)
            throw StatementError(
                code: status, systemError: sqlite3_system_errno(connection), words: String(cString: sqlite3_errmsg(connection)))
        }
    }
}

/// Why SQLite did not do something.
struct StatementError: Error, CustomStringConvertible {
    let code: Int32
    let systemError: Int32
    let words: String

    var description: String { words }
}
