/// What a list of conversations is ordered by.
package enum ConversationOrder: String, Sendable, CaseIterable {
    case number, bytes, messages, duration, findings

    fileprivate var expression: String {
        switch self {
        case .number: "id"
        case .bytes: "ifnull(client_bytes, 0) + ifnull(server_bytes, 0)"
        case .messages: "ifnull(client_messages, 0) + ifnull(server_messages, 0)"
        case .duration: "ifnull(duration, 0)"
        case .findings: "ifnull(findings, 0)"
        }
    }
}

extension SessionRows {
    private static let columns = """
        id, opened, closed, client_address, client_port, client_name, server_address, server_port, server_name, transport, protocol, host, \
        path, how, closed_by, code, duration, client_bytes, server_bytes, client_messages, server_messages, findings, worst
        """

    /// Whether it is inside TLS, which its first records say.
    private var isSecured: String {
        guard hasRecordIndex else { return "0" }
        let first = "SELECT kind FROM records WHERE records.conversation = conversations.id ORDER BY id LIMIT 16"
        return "EXISTS(SELECT 1 FROM (\(first)) WHERE kind = 'tls')"
    }

    /// Some of the conversations, in an order.
    ///
    /// - Parameter match: A text that an address, a name, the path or the protocol has; empty for all.
    package func conversations(
        from start: Int64, count: Int64, by order: ConversationOrder, isDescending: Bool, match: String
    ) throws -> (total: Int64, list: [StoredConversation]) {
        let condition = match.isEmpty ? "" : " WHERE instr(lower(\(Self.searched)), ?1) > 0"
        let all = try RowCursor(connection, "SELECT count(*) FROM conversations\(condition)")
        if !match.isEmpty { all.bind(1, text: match.lowercased()) }
        let total = try all.peek() ?? 0
        all.end()
        let direction = isDescending ? "DESC" : "ASC"
        let rows = try RowCursor(
            connection,
            "SELECT \(Self.columns), \(isSecured) FROM conversations\(condition) ORDER BY \(order.expression) \(direction), id LIMIT \(count) OFFSET \(start)"
        )
        if !match.isEmpty { rows.bind(1, text: match.lowercased()) }
        var list: [StoredConversation] = []
        while try rows.peek() != nil {
            rows.advance()
            list.append(conversation(rows))
        }
        return (total, list)
    }

    private static let searched = """
        ifnull(host, '') || ' ' || ifnull(path, '') || ' ' || ifnull(protocol, '') || ' ' || ifnull(client_address, '') || ':' || \
        ifnull(client_port, '') || ' ' || ifnull(server_address, '') || ':' || ifnull(server_port, '') || ' ' || ifnull(client_name, '') || ' ' || \
        ifnull(server_name, '')
        """

    /// One conversation.
    package func conversation(_ id: Int64) throws -> StoredConversation? {
        let rows = try RowCursor(connection, "SELECT \(Self.columns), \(isSecured) FROM conversations WHERE id = \(id)")
        guard try rows.peek() != nil else { return nil }
        rows.advance()
        return conversation(rows)
    }

    private func conversation(_ row: RowCursor) -> StoredConversation {
        func end(_ first: Int32) -> (address: String, port: Int64, name: String) {
            (row.text(first) ?? "", row.integer(first + 1) ?? 0, row.text(first + 2) ?? "")
        }
        func both(_ first: Int32) -> (Int64, Int64)? { row.integer(first).flatMap { one in row.integer(first + 1).map { (one, $0) } } }
        return StoredConversation(
            id: row.integer(0) ?? 0, opened: row.integer(1), closed: row.integer(2), client: end(3), server: end(6), transport: row.text(9),
            spoken: row.text(10), host: row.text(11), path: row.text(12), how: row.text(13), closedBy: row.text(14), code: row.integer(15),
            duration: row.integer(16), bytes: both(17), messages: both(19), findings: row.integer(21), worst: row.text(22),
            isSecured: row.integer(23) == 1)
    }

    /// The numbers of the records of a conversation after one of them, in their order.
    ///
    /// - Parameter body: takes some of them, and says whether to go on.
    package func records(of conversation: Int64, after id: Int64, _ body: ([Int64]) -> Bool) throws {
        let traces = try RowCursor(
            connection, "SELECT first, ids FROM traces WHERE conversation = \(conversation) AND first > \(id) ORDER BY first")
        while try traces.peek() != nil {
            traces.advance()
            guard let text = traces.bytes(1) else { continue }
            var (ids, number, hasDigit): ([Int64], Int64, Bool) = ([], 0, false)
            for byte in text {
                if byte &- 0x30 < 10 {
                    // Beyond the greatest number the digits do not matter.
                    number = min(number, SessionCounts.greatest) * 10 + Int64(byte &- 0x30)
                    hasDigit = true
                } else if hasDigit {
                    // Numbers that go back, or that are too great, would be of a stranger.
                    if number > ids.last ?? id, number <= SessionCounts.greatest { ids.append(number) }
                    (number, hasDigit) = (0, false)
                }
            }
            guard ids.isEmpty || body(ids) else { return }
        }
    }

    /// The numbers of records of a conversation that are not messages, of some kinds, before a record: the last ones, in their order.
    package func context(of conversation: Int64, before id: Int64, kinds: [String], most: Int) throws -> [Int64] {
        guard hasRecordIndex else { return [] }
        let words = kinds.map { "'\($0)'" }.joined(separator: ",")
        let rows = try RowCursor(
            connection,
            "SELECT id FROM records WHERE conversation = \(conversation) AND id < \(id) AND kind IN (\(words)) ORDER BY id DESC LIMIT \(most)"
        )
        var ids: [Int64] = []
        while let next = try rows.peek() {
            rows.advance()
            ids.append(next)
        }
        return ids.reversed()
    }

    /// The messages of one moment in a conversation that came before a record, by side, in their order.
    package func messages(
        of conversation: Int64, at time: Int64, before id: Int64, most: Int
    ) throws -> (client: [Int64], server: [Int64]) {
        let rows = try RowCursor(
            connection,
            """
            SELECT messages.id, messages.side FROM pages CROSS JOIN messages ON messages.id BETWEEN pages.first AND pages.last \
            WHERE pages.earliest <= ?1 AND pages.latest >= ?1 AND messages.conversation = ?2 AND messages.time = ?1 AND messages.id < ?3 \
            ORDER BY messages.id DESC LIMIT \(most)
            """)
        rows.restart([time, conversation, id])
        defer { rows.end() }
        var (client, server): ([Int64], [Int64]) = ([], [])
        while let next = try rows.peek() {
            rows.advance()
            if rows.integer(1) == 0 { client.insert(next, at: 0) } else { server.insert(next, at: 0) }
        }
        return (client, server)
    }

    /// The numbers of the first records of a conversation that are of some kinds.
    package func records(of conversation: Int64, kinds: [String], most: Int) throws -> [Int64] {
        guard hasRecordIndex else { return [] }
        let words = kinds.map { "'\($0)'" }.joined(separator: ",")
        let rows = try RowCursor(
            connection, "SELECT id FROM records WHERE conversation = \(conversation) AND kind IN (\(words)) ORDER BY id LIMIT \(most)")
        var ids: [Int64] = []
        while let next = try rows.peek() {
            rows.advance()
            ids.append(next)
        }
        return ids
    }

    /// Findings of a conversation, of all records or of those in a range; none where the file's table of them is not the format's.
    package func findings(of conversation: Int64, in records: ClosedRange<Int64>? = nil, most: Int) throws -> [StoredFinding] {
        guard has("findings") else { return [] }
        let range = records.map { " AND record BETWEEN \($0.lowerBound) AND \($0.upperBound)" } ?? ""
        return try findings("conversation = \(conversation)\(range)", most)
    }

    /// Findings of all conversations between two records.
    package func findings(in records: ClosedRange<Int64>, most: Int) throws -> [StoredFinding] {
        guard has("findings") else { return [] }
        return try findings("record BETWEEN \(records.lowerBound) AND \(records.upperBound)", most)
    }

    private func findings(_ condition: String, _ most: Int) throws -> [StoredFinding] {
        let rows = try RowCursor(
            connection,
            "SELECT record, conversation, time, finding, severity, reference, detail FROM findings WHERE \(condition) ORDER BY record LIMIT \(most)"
        )
        var findings: [StoredFinding] = []
        while try rows.peek() != nil {
            rows.advance()
            findings.append(
                StoredFinding(
                    record: rows.integer(0) ?? 0, conversation: rows.integer(1) ?? 0, time: rows.integer(2), id: rows.text(3) ?? "",
                    severity: rows.text(4) ?? "", reference: rows.text(5), detail: rows.text(6)))
        }
        return findings
    }
}
