extension SessionRows {
    /// The first number from `id` on that a record has: those of a stranger's file may lie far from one another.
    package func next(from id: Int64) throws -> Int64? {
        try [counters.nextMessage.firstInteger(id), counters.nextRecord.firstInteger(id)].compactMap { $0 }.min()
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
        let last = try counters.last.firstInteger()
        guard let last, last > counts.last, last <= SessionCounts.greatest else { return }
        let others = try counters.others.firstInteger(counts.last, last) ?? 0
        counts.messages += max(0, last - counts.last - others)
        counts.conversations = try counters.conversations.firstInteger() ?? 0
        counts.hasEnd = try counters.end.firstInteger(last) == 1
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
