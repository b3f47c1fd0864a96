import Dissection
import Reports

// What records mean for the tables of conversations, exchanges and findings.

extension SessionWriter {
    /// Gathers what a record says of its conversation; a finding is written at once.
    ///
    /// - Parameter id: the number of the record.
    func add(_ fact: SessionFact, of row: SessionRow, _ id: Int64, _ statements: SessionStatements) throws {
        let number = conversation(row)
        let time = row.place.time?.nanoseconds
        switch fact {
        case .opened(let client, let server, let transport):
            facts.open(number, .init(number: row.conversation, time: time, client: client, server: server, transport: transport))
        case .named(let host, let spoken, let path): facts.name(number, host: host, spoken: spoken, path: path)
        case .request(let exchange, let method, let target, let host, let known):
            let key = GatheredFacts.ExchangeKey(conversation: number, exchange: exchange)
            facts.ask(key, .init(record: id, time: time, method: method, target: target, host: host))
            if let known { facts.name(number, host: known.host, spoken: known.spoken, path: known.path) }
        case .response(let exchange, let status, let latency):
            let key = GatheredFacts.ExchangeKey(conversation: number, exchange: exchange)
            if facts.answer(key, record: id, status: status, latency: latency) { return }
            let statement = statements.response
            statement.bind(1, id)
            statement.bind(2, Int64(status))
            statement.bind(3, latency)
            statement.bind(4, number)
            statement.bind(5, unsigned: exchange)
            try statement.run()
        case .finding(let rowID, let severity, let reference, let detail):
            let statement = statements.finding
            statement.bind(1, id)
            statement.bind(2, row.conversation == 0 ? nil : number)
            statement.bind(3, time)
            statement.bind(4, rowID)
            statement.bind(5, severity.word)
            statement.bind(6, reference)
            statement.bind(7, copying: detail)
            try statement.run()
            if row.conversation != 0 { facts.find(number, severity: severity) }
        case .closed(let closing, let spoken, let worst, let findings):
            let found = GatheredFacts.Found(count: findings, worst: worst)
            facts.close(number, .init(time: time, closing: closing, spoken: spoken, found: found))
        }
    }

    /// Writes what was gathered of a conversation, which has records in this batch.
    func writeConversation(_ number: Int64, _ statements: SessionStatements) throws {
        let fact = facts.conversations[number]
        let isNew = number > highestConversation
        highestConversation = max(highestConversation, number)
        if isNew, fact?.opening != nil {
            counts.conversations += 1
        } else {
            statements.conversation.bind(1, number)
            statements.conversation.bind(2, file.run)
            statements.conversation.bind(3, number - file.base)
            try statements.conversation.run()
            counts.conversations += file.connection.changes
        }
        if let opening = fact?.opening {
            let statement = isNew ? statements.opened : statements.openedAgain
            statement.bind(1, number)
            statement.bind(2, file.run)
            statement.bind(3, unsigned: opening.number)
            statement.bind(4, opening.time)
            for (index, end) in [(Int32(5), opening.client), (8, opening.server)] {
                statement.bind(index, copying: end.address)
                statement.bind(index + 1, end.address.isEmpty ? nil : Int64(end.port))
                statement.bind(index + 2, copying: end.name)
            }
            statement.bind(11, opening.transport)
            bind(fact?.name, spoken: fact?.end?.spoken, to: statement, from: 12)
            bind(fact?.end, to: statement, from: 15)
            return try statement.run()
        }
        if let name = fact?.name {
            bind(name, spoken: nil, to: statements.name, from: 1)
            statements.name.bind(4, number)
            try statements.name.run()
        }
        if let end = fact?.end {
            bind(end, to: statements.closed, from: 1)
            statements.closed.bind(12, copying: end.spoken)
            statements.closed.bind(13, number)
            try statements.closed.run()
        } else if let found = fact?.found, let worst = found.worst {
            statements.foundLate.bind(1, unsigned: found.count)
            statements.foundLate.bind(2, worst.word)
            statements.foundLate.bind(3, number)
            try statements.foundLate.run()
        }
    }

    /// Writes the exchanges whose requests came in this batch, in the order of the table.
    func writeExchanges(_ statements: SessionStatements) throws {
        let statement = statements.request
        for (key, exchange) in facts.exchanges.sorted(by: { $0.key < $1.key }) {
            statement.bind(1, key.conversation)
            statement.bind(2, unsigned: key.exchange)
            statement.bind(3, exchange.record)
            statement.bind(4, exchange.response?.record)
            statement.bind(5, exchange.time)
            statement.bind(6, copying: exchange.method)
            statement.bind(7, copying: exchange.target)
            statement.bind(8, copying: exchange.host)
            statement.bind(9, exchange.response.map { Int64($0.status) })
            statement.bind(10, exchange.response?.latency)
            try statement.run()
        }
    }

    /// Binds host, protocol and path; what was spoken at the end counts for the protocol where it is known.
    private func bind(
        _ name: (host: [UInt8], spoken: [UInt8], path: [UInt8])?, spoken: [UInt8]?, to statement: BoundStatement, from first: Int32
    ) {
        let last = spoken ?? []
        statement.bind(first, copying: name?.host ?? [])
        statement.bind(first + 1, copying: last.isEmpty ? name?.spoken ?? [] : last)
        statement.bind(first + 2, copying: name?.path ?? [])
    }

    /// Binds the eleven columns of an end.
    private func bind(_ end: GatheredFacts.End?, to statement: BoundStatement, from first: Int32) {
        guard let end else {
            for index in first..<first + 11 { statement.bindNull(index) }
            return
        }
        let closing = end.closing
        statement.bind(first, end.time)
        statement.bind(first + 1, closing.how.word)
        statement.bind(first + 2, closing.by.word)
        statement.bind(first + 3, closing.code.map { Int64($0) })
        statement.bind(first + 4, closing.duration)
        statement.bind(first + 5, unsigned: closing.client.bytes)
        statement.bind(first + 6, unsigned: closing.server.bytes)
        statement.bind(first + 7, unsigned: closing.client.messages)
        statement.bind(first + 8, unsigned: closing.server.messages)
        statement.bind(first + 9, unsigned: end.found.count)
        if let worst = end.found.worst { statement.bind(first + 10, worst.word) } else { statement.bindNull(first + 10) }
    }
}
