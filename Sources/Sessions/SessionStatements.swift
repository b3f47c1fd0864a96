/// The statements of a writer, prepared once.
struct SessionStatements {
    let begin, commit, rollback: BoundStatement
    /// `message` writes one row; `messages` writes `messagesAtOnce`, which costs a third less for each.
    let message, messages: BoundStatement
    static let messagesAtOnce = 16
    static let messageColumns = 18
    let record, conversation, opened, openedAgain, name, closed, request, response, finding, foundLate, trace, page, search: BoundStatement

    init(_ connection: SQLiteConnection) throws {
        func prepare(_ sql: String) throws -> BoundStatement { try BoundStatement(connection, sql) }
        begin = try prepare("BEGIN IMMEDIATE")
        commit = try prepare("COMMIT")
        rollback = try prepare("ROLLBACK")
        let values = "(" + repeatElement("?", count: Self.messageColumns).joined(separator: ",") + ")"
        message = try prepare("INSERT INTO messages VALUES\(values)")
        messages = try prepare("INSERT INTO messages VALUES" + repeatElement(values, count: Self.messagesAtOnce).joined(separator: ","))
        record = try prepare("INSERT INTO records VALUES(?,?,?,?,?,?,?,?,?)")
        conversation = try prepare("INSERT OR IGNORE INTO conversations(id, run, number) VALUES(?,?,?)")
        // Where a row may have to give way, SQLite keeps what is needed to take the statement back, which costs as much again.
        let opening = """
            INTO conversations(id, run, number, opened, client_address, client_port, client_name, server_address, server_port, server_name,
              transport, host, protocol, path, closed, how, closed_by, code, duration, client_bytes, server_bytes, client_messages,
              server_messages, findings, worst) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
            """
        opened = try prepare("INSERT " + opening)
        openedAgain = try prepare("INSERT OR REPLACE " + opening)
        name = try prepare("UPDATE conversations SET host = ?, protocol = ?, path = ? WHERE id = ?")
        closed = try prepare(
            """
            UPDATE conversations SET closed = ?, how = ?, closed_by = ?, code = ?, duration = ?, client_bytes = ?, server_bytes = ?,
              client_messages = ?, server_messages = ?, findings = ?, worst = ?, protocol = ifnull(?, protocol) WHERE id = ?
            """)
        request = try prepare(
            """
            INSERT OR REPLACE INTO exchanges(conversation, exchange, request, response, time, method, target, host, status, latency)
              VALUES(?,?,?,?,?,?,?,?,?,?)
            """)
        response = try prepare("UPDATE exchanges SET response = ?, status = ?, latency = ? WHERE conversation = ? AND exchange = ?")
        finding = try prepare("INSERT INTO findings VALUES(?,?,?,?,?,?,?)")
        // Of a conversation that has ended; the end of one that is open says how many there were.
        foundLate = try prepare(
            """
            UPDATE conversations SET findings = findings + ?1, worst = CASE
              WHEN worst = 'violation' OR ?2 = 'note' AND worst IS NOT NULL OR ?2 = 'warning' AND worst = 'warning' THEN worst ELSE ?2 END
              WHERE id = ?3 AND findings IS NOT NULL
            """)
        trace = try prepare("INSERT INTO traces VALUES(?,?,?)")
        page = try prepare("INSERT INTO pages VALUES(?,?,?,?,?)")
        search = try prepare("INSERT INTO search(rowid, words) VALUES(?,?)")
    }
}
