/// When a record came, from whom and how long it is: what a picture of many of them is drawn of.
package struct StoredMoment: Sendable {
    package var id: Int64
    package var kind: String
    /// In nanoseconds since 1970.
    package var time: Int64?
    /// 0 for the client, 1 for the server.
    package var side: Int64?
    /// Bytes of the payload.
    package var length: Int64
    /// Of a response: nanoseconds since its request; of a pong: since its ping.
    package var latency: Int64?
}

extension SessionRows {
    private static let ofMessages = "SELECT id, time, side, length FROM messages"
    /// The latency stands in the record as seconds.
    private static let ofRecords = """
        SELECT id, time, side, CASE WHEN kind IN ('body', 'data') THEN ifnull(json ->> '$.length', 0) ELSE 0 END, kind, \
        CASE kind WHEN 'response' THEN json ->> '$.latency' WHEN 'pong' THEN json ->> '$.roundTrip' END FROM records
        """

    /// Lends what there is about the records from one number to another, in the order of each table: messages first.
    package func moments(from first: Int64, through last: Int64, _ body: (StoredMoment) -> Void) throws {
        try moments("WHERE id BETWEEN \(first) AND \(last) ORDER BY id", body)
    }

    /// Lends what there is about some records.
    package func moments(of ids: [Int64], _ body: (StoredMoment) -> Void) throws {
        guard !ids.isEmpty else { return }
        try moments("WHERE id IN (\(ids.map { String($0) }.joined(separator: ",")))", body)
    }

    /// Lends what there is about the records from one number to another, without the messages.
    package func momentsOfRecords(from first: Int64, through last: Int64, _ body: (StoredMoment) -> Void) throws {
        try momentsOfRecords("WHERE id BETWEEN \(first) AND \(last) ORDER BY id", body)
    }

    private func moments(_ condition: String, _ body: (StoredMoment) -> Void) throws {
        let messages = try RowCursor(connection, "\(Self.ofMessages) \(condition)")
        while let id = try messages.peek() {
            messages.advance()
            body(
                StoredMoment(
                    id: id, kind: "message", time: messages.integer(1), side: messages.integer(2), length: max(0, messages.integer(3) ?? 0))
            )
        }
        try momentsOfRecords(condition, body)
    }

    private func momentsOfRecords(_ condition: String, _ body: (StoredMoment) -> Void) throws {
        let records = try RowCursor(connection, "\(Self.ofRecords) \(condition)")
        while let id = try records.peek() {
            records.advance()
            body(
                StoredMoment(
                    id: id, kind: records.text(4) ?? "", time: records.integer(1), side: records.integer(2),
                    length: max(0, records.integer(3) ?? 0), latency: records.seconds(5)))
        }
    }

    /// The servers with most bytes, with how many conversations they had.
    package func hosts(most: Int) throws -> [StoredHost] {
        let rows = try RowCursor(
            connection,
            """
            SELECT count(*), coalesce(host, server_name, server_address, ''), sum(ifnull(client_messages, 0)), sum(ifnull(server_messages, 0)), \
            sum(ifnull(client_bytes, 0)), sum(ifnull(server_bytes, 0)), sum(ifnull(findings, 0)) FROM conversations GROUP BY 2 \
            ORDER BY sum(ifnull(client_bytes, 0) + ifnull(server_bytes, 0)) DESC LIMIT \(most)
            """)
        var hosts: [StoredHost] = []
        while let conversations = try rows.peek() {
            rows.advance()
            hosts.append(
                StoredHost(
                    name: rows.text(1) ?? "", conversations: conversations, messages: (rows.integer(2) ?? 0, rows.integer(3) ?? 0),
                    bytes: (rows.integer(4) ?? 0, rows.integer(5) ?? 0), findings: rows.integer(6) ?? 0))
        }
        return hosts
    }
}

/// What a server had with all its clients.
package struct StoredHost: Sendable {
    package var name: String
    package var conversations: Int64
    /// Of the clients and of the server.
    package var messages: (Int64, Int64)
    package var bytes: (Int64, Int64)
    package var findings: Int64
}

extension RowCursor {
    /// A number of seconds, as nanoseconds; nil for anything else.
    fileprivate func seconds(_ column: Int32) -> Int64? {
        guard let value = real(column), value.isFinite, abs(value) < 1e9 else { return nil }
        return Int64((value * 1e9).rounded())
    }
}
