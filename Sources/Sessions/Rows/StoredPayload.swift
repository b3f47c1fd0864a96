import CSQLite

/// The payloads of one table, read in slices where they lie: a long one is not read as a whole for its beginning.
///
/// An open one keeps what the connection reads of the file as it is, so it is closed as soon as the slices are read.
struct StoredPayload: ~Copyable {
    private let connection: SQLiteConnection
    private let table: String
    private var handle: OpaquePointer?

    init(_ connection: SQLiteConnection, _ table: String) { (self.connection, self.table) = (connection, table) }

    deinit { sqlite3_blob_close(handle) }

    /// Goes to the payload of a row.
    ///
    /// - Returns: Its bytes; nil where the row has none.
    mutating func open(_ id: Int64) -> Int? {
        var status: Int32
        if handle == nil {
            status = sqlite3_blob_open(connection.handle, "main", table, "payload", id, 0, &handle)
        } else {
            status = sqlite3_blob_reopen(handle, id)
        }
        guard status == SQLITE_OK, let handle else {
            close()
            return nil
        }
        return Int(sqlite3_blob_bytes(handle))
    }

    /// Bytes of the payload that is open; nil where the file is damaged there.
    func read(from start: Int, count: Int) -> [UInt8]? {
        guard let handle, start >= 0, count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            let status = sqlite3_blob_read(handle, bytes.baseAddress, Int32(clamping: count), Int32(clamping: start))
            filled = status == SQLITE_OK ? count : 0
        }
    }

    mutating func close() {
        sqlite3_blob_close(handle)
        handle = nil
    }
}
