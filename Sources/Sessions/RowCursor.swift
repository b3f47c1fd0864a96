import GRDB
import GRDBSQLite

/// The rows of a query, one after another. What it lends is valid until it goes on.
final class RowCursor {
    private let statement: Statement
    /// The row is there and was not taken.
    private var isPending = false
    private var hasEnded = false
    /// Rows so far, and bytes of their texts and blobs.
    private(set) var rows: UInt64 = 0
    private(set) var bytes = 0

    init(_ database: Database, _ sql: String) throws { statement = try database.makeStatement(sql: sql) }

    private var handle: OpaquePointer { statement.sqliteStatement }

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
                throw StatementError(code: code, systemError: 0, words: String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))))
            }
        }
        return isPending ? sqlite3_column_int64(handle, 0) : nil
    }

    /// Takes the row; its columns can be read until the next `peek`.
    func advance() { isPending = false }

    /// An integer; nil for anything else.
    func integer(_ column: Int32) -> Int64? {
        sqlite3_column_type(handle, column) == SQLITE_INTEGER ? sqlite3_column_int64(handle, column) : nil
    }

    func unsigned(_ column: Int32) -> UInt64? { integer(column).map { UInt64(bitPattern: $0) } }

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
