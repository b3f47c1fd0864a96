/// What is run at each look for more, ten times a second for each page: prepared once.
struct SessionCounters {
    let last, others, conversations, end, pages, nextMessage, nextRecord: RowCursor

    init(_ connection: SQLiteConnection) throws {
        func cursor(_ sql: String) throws -> RowCursor { try RowCursor(connection, sql) }
        last = try cursor("SELECT max(ifnull((SELECT max(id) FROM messages), 0), ifnull((SELECT max(id) FROM records), 0))")
        others = try cursor("SELECT count(*) FROM records WHERE id > ? AND id <= ?")
        conversations = try cursor("SELECT count(*) FROM conversations")
        end = try cursor("SELECT kind = 'end' FROM records WHERE id = ?")
        pages = try cursor("SELECT max(id), min(earliest), max(latest) FROM pages WHERE id > ?")
        nextMessage = try cursor("SELECT id FROM messages WHERE id >= ? ORDER BY id LIMIT 1")
        nextRecord = try cursor("SELECT id FROM records WHERE id >= ? ORDER BY id LIMIT 1")
    }
}

extension RowCursor {
    /// The first column of the first row with these values, where it is an integer.
    func firstInteger(_ values: Int64...) throws -> Int64? {
        restart(values)
        defer { end() }
        guard try peek() != nil else { return nil }
        advance()
        return integer(0)
    }
}
