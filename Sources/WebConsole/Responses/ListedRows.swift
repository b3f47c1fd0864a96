import Sessions

/// Rows of a view, with what their messages say.
struct ListedRows {
    var start: Int64
    var ids: [Int64]
    var rows: [StoredRow]
    var words: RowWords

    /// - Parameters:
    ///   - store: the connection of the calling thread.
    ///   - beginnings: those of that thread.
    init(_ store: SessionRows, _ view: ConsoleView, from start: Int64, count: Int64, _ beginnings: Beginnings) throws {
        let ids = view.ids(from: start, count: Int(min(count, Console.mostRows)))
        (rows, words) = try store.together {
            let rows = try store.rows(ids)
            return (rows, try RowWords(store, rows, beginnings))
        }
        (self.start, self.ids) = (start, ids)
    }
}
