import Dissection
import Reports

// What records mean for the tables of conversations, exchanges and findings.

extension SessionWriter {
    /// Writes what a record says of its conversation.
    ///
    /// - Parameter id: the number of the record.
    func add(_ fact: SessionFact, of row: SessionRow, _ id: Int64, _ statements: SessionStatements) throws {
        let number = conversation(row)
        switch fact {
        case .opened(let client, let server, let transport):
            let statement = statements.opened
            statement.bind(1, number)
            statement.bind(2, file.run)
            statement.bind(3, unsigned: row.conversation)
            statement.bind(4, row.place.time?.nanoseconds)
            for (index, end) in [(Int32(5), client), (8, server)] {
                statement.bind(index, copying: end.address)
                statement.bind(index + 1, end.address.isEmpty ? nil : Int64(end.port))
                statement.bind(index + 2, copying: end.name)
            }
            statement.bind(11, transport)
            try statement.run()
        case .named(let host, let spoken, let path): try name(number, host: host, spoken: spoken, path: path, statements)
        case .request(let exchange, let method, let target, let host, let known):
            let statement = statements.request
            statement.bind(1, number)
            statement.bind(2, unsigned: exchange)
            statement.bind(3, id)
            statement.bind(4, row.place.time?.nanoseconds)
            statement.bind(5, copying: method)
            statement.bind(6, copying: target)
            statement.bind(7, copying: host)
            try statement.run()
            if let known { try name(number, host: known.host, spoken: known.spoken, path: known.path, statements) }
        case .response(let exchange, let status, let latency):
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
            statement.bind(3, row.place.time?.nanoseconds)
            statement.bind(4, rowID)
            statement.bind(5, severity)
            statement.bind(6, reference)
            statement.bind(7, copying: detail)
            try statement.run()
        case .closed(let closing, let spoken, let worst, let findings):
            let statement = statements.closed
            statement.bind(1, row.place.time?.nanoseconds)
            statement.bind(2, closing.how.word)
            statement.bind(3, closing.by.word)
            statement.bind(4, closing.code.map { Int64($0) })
            statement.bind(5, closing.duration)
            statement.bind(6, unsigned: closing.client.bytes)
            statement.bind(7, unsigned: closing.server.bytes)
            statement.bind(8, unsigned: closing.client.messages)
            statement.bind(9, unsigned: closing.server.messages)
            statement.bind(10, unsigned: findings)
            if let worst { statement.bind(11, worst) } else { statement.bindNull(11) }
            statement.bind(12, copying: spoken)
            statement.bind(13, number)
            try statement.run()
        }
    }

    private func name(_ number: Int64, host: [UInt8], spoken: [UInt8], path: [UInt8], _ statements: SessionStatements) throws {
        let statement = statements.name
        statement.bind(1, copying: host)
        statement.bind(2, copying: spoken)
        statement.bind(3, copying: path)
        statement.bind(4, number)
        try statement.run()
    }
}
