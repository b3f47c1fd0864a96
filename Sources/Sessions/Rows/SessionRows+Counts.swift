/// How much a session file has, as far as was looked: the next look counts only what has come since.
package struct SessionCounts: Sendable, Equatable {
    /// The numbers of the first record and of the last; the file has all between them. Nothing is there where the last is before the first.
    package var first: Int64 = 1
    package var last: Int64 = 0
    package var messages: Int64 = 0
    package var conversations: Int64 = 0
    /// The moments of its records, in nanoseconds since 1970.
    package var earliest: Int64?
    package var latest: Int64?
    /// The last record is the end of a run.
    package var hasEnd = false
    fileprivate var page: Int64 = 0

    package init() {}

    package var rows: Int64 { last - first + 1 }

    /// The greatest number that is looked at: of more, the double of a browser would lose some.
    static let greatest: Int64 = 1 << 52
}

extension SessionRows {
    /// The first number from `id` on that a record has: those of a stranger's file may lie far from one another.
    package func next(from id: Int64) throws -> Int64? {
        try [counters.nextMessage.first(id), counters.nextRecord.first(id)].compactMap { $0 }.min()
    }

    /// Counts what has come.
    package func count(_ counts: inout SessionCounts) throws {
        if counts.last < counts.first {
            let first = try connection.integer(
                "SELECT min(ifnull((SELECT min(id) FROM messages), 1 << 62), ifnull((SELECT min(id) FROM records), 1 << 62))")
            guard let first, (1...SessionCounts.greatest).contains(first) else { return }
            (counts.first, counts.last) = (first, first - 1)
        }
        // Each transaction writes its pages, so that the last one ends with the last record. A stranger's file may have others.
        let last = try counters.last.first()
        guard let last, last > counts.last, last <= SessionCounts.greatest else { return }
        let others = try counters.others.first(counts.last, last) ?? 0
        counts.messages += max(0, last - counts.last - others)
        counts.conversations = try counters.conversations.first() ?? 0
        counts.hasEnd = try counters.end.first(last) == 1
        let pages = counters.pages
        pages.restart([counts.page])
        defer { pages.end() }
        if try pages.peek() != nil {
            pages.advance()
            counts.page = pages.integer(0) ?? counts.page
            if let earliest = pages.integer(1) { counts.earliest = min(counts.earliest ?? earliest, earliest) }
            if let latest = pages.integer(2) { counts.latest = max(counts.latest ?? latest, latest) }
        }
        counts.last = last
    }
}

/// What is run at each look for more, ten times a second for each page: prepared once.
struct SessionCounters {
    fileprivate let last, others, conversations, end, pages, nextMessage, nextRecord: RowCursor

    init(_ connection: SQLiteConnection) throws {
        func cursor(_ sql: String) throws -> RowCursor { try RowCursor(connection, sql) }
        last = try cursor("SELECT max(ifnull((SELECT max(id) FROM messages), 0), ifnull((SELECT max(id) FROM records), 0))")
        others = try cursor("SELECT count(*) FROM records WHERE id > ? AND id <= ?")
        conversations = try cursor("SELECT ifnull(max(id), 0) FROM conversations")
        end = try cursor("SELECT kind = 'end' FROM records WHERE id = ?")
        pages = try cursor("SELECT max(id), min(earliest), max(latest) FROM pages WHERE id > ?")
        nextMessage = try cursor("SELECT id FROM messages WHERE id >= ? ORDER BY id LIMIT 1")
        nextRecord = try cursor("SELECT id FROM records WHERE id >= ? ORDER BY id LIMIT 1")
    }
}

extension RowCursor {
    /// The first column of the first row with these values, where it is an integer.
    fileprivate func first(_ values: Int64...) throws -> Int64? {
        restart(values)
        defer { end() }
        guard try peek() != nil else { return nil }
        advance()
        return integer(0)
    }
}
