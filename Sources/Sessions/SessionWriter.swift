import CSQLite
import Dissection
import Libc
import Reports

/// Writes records to a session file, a batch in one transaction.
final class SessionWriter: SessionStore {
    let file: SessionFile
    private let tail: SessionTail?
    private let stored: () -> Void
    private var statements: SessionStatements?
    private var nextRecord: Int64
    private var nextPage: Int64?
    private var words = PageWords()
    private var traces: [Int64: [Int64]] = [:]
    /// What the records of the batch say of conversations and exchanges.
    var facts = GatheredFacts()
    /// The messages whose values are bound to the statement that writes several: where they are in the batch, and their numbers.
    private var bound: [(row: Int, id: Int64)] = []
    /// The page that is being filled, and the words of those that are full.
    private var page = Page()
    private var pageWords: [(page: Int64, text: [UInt8])] = []
    /// The highest number of a conversation that was written.
    var highestConversation: Int64 = 0
    /// What a file has of which this is the first run, with the batch that is written and before it.
    var (counts, countsBefore) = (SessionCounts(), SessionCounts())
    /// Those of the batch.
    private var moments: [SessionTail.Moment] = []

    private struct Page {
        var first: Int64 = 0
        var count = 0
        var earliest = Int64.max
        var latest = Int64.min
    }

    /// Records that one page has at most.
    private static let pageRecords = 4_096

    init(_ file: SessionFile, _ tail: SessionTail?, _ stored: @escaping () -> Void) {
        (self.file, self.tail, self.stored) = (file, tail, stored)
        nextRecord = file.firstRecord
    }

    func store(_ batch: SessionBatch) -> OutputError? {
        let first = nextRecord
        countsBefore = counts
        do {
            let statements = try self.statements ?? SessionStatements(file.connection)
            self.statements = statements
            try statements.begin.run()
            do {
                try write(batch, statements)
                try statements.commit.run()
            } catch {
                // Where SQLite has done so already, there is nothing to take back.
                try? statements.rollback.run()
                throw error
            }
            tail?.take(file.isAppended ? nil : counts, from: first, moments)
            stored()
            return nil
        } catch {
            (nextRecord, nextPage, counts) = (first, nil, countsBefore)
            return SessionWriter.outputError(error)
        }
    }

    /// The file stands for itself when what is beside it has gone into it; where another program reads it at the moment, that stays beside it.
    func finish() {
        statements = nil
        try? file.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try? file.connection.execute("PRAGMA journal_mode = DELETE")
    }

    private static func outputError(_ error: any Error) -> OutputError {
        var (code, system) = (SQLITE_ERROR, Int32(0))
        if let error = error as? SQLiteError { (code, system) = (error.code, error.systemError) }
        if code & 0xff == SQLITE_FULL { return .failed(errno: ENOSPC) }
        return .failed(errno: system > 0 ? system : EIO)
    }

    // MARK: - Writing

    private func write(_ batch: SessionBatch, _ statements: SessionStatements) throws {
        traces.removeAll(keepingCapacity: true)
        facts.removeAll()
        words.removeAll()
        bound.removeAll(keepingCapacity: true)
        (page, pageWords, moments) = (Page(), [], [])
        let isWatched = tail?.isWatched ?? false
        if isWatched { moments.reserveCapacity(batch.rows.count) }
        if nextPage == nil { nextPage = try lastPage() + 1 }
        try batch.bytes.withUnsafeBytes { bytes in
            for (index, row) in batch.rows.enumerated() {
                let id = nextRecord
                nextRecord += 1
                if page.count == 0 { page.first = id }
                page.count += 1
                if let time = row.place.time?.nanoseconds {
                    (page.earliest, page.latest) = (min(page.earliest, time), max(page.latest, time))
                }
                if isWatched { moments.append(moment(row)) }
                if let message = row.message {
                    counts.messages += 1
                    bind(message, of: row, id, bytes, to: statements.messages, after: bound.count * SessionStatements.messageColumns)
                    bound.append((index, id))
                    if bound.count == SessionStatements.messagesAtOnce {
                        try statements.messages.run()
                        bound.removeAll(keepingCapacity: true)
                    }
                } else {
                    try add(row, id, bytes, statements)
                }
                if let fact = row.fact { try add(fact, of: row, id, statements) }
                if row.conversation != 0 { traces[conversation(row), default: []].append(id) }
                if !row.words.isEmpty { words.take(UnsafeRawBufferPointer(rebasing: bytes[row.words])) }
                if page.count == Self.pageRecords || words.isFull { try endPage(statements) }
            }
            // Those for which there were too few.
            for (index, id) in bound {
                guard let message = batch.rows[index].message else { continue }
                bind(message, of: batch.rows[index], id, bytes, to: statements.message, after: 0)
                try statements.message.run()
            }
        }
        if page.count > 0 { try endPage(statements) }
        for (conversation, ids) in traces.sorted(by: { $0.key < $1.key }) {
            try writeConversation(conversation, statements)
            try add(trace: ids, of: conversation, statements)
        }
        try writeExchanges(statements)
        try writeSearch(statements)
        (counts.first, counts.last) = (file.firstRecord, nextRecord - 1)
        counts.hasEnd = batch.rows.last?.kind.description == "end"
    }

    private func moment(_ row: SessionRow) -> SessionTail.Moment {
        SessionTail.Moment(
            kind: row.kind, isMessage: row.message != nil, side: row.from.map { $0 == .client ? 0 : 1 },
            conversation: row.conversation == 0 ? 0 : conversation(row), time: row.place.time?.nanoseconds,
            length: max(0, Int64(bitPattern: row.message?.length ?? 0)))
    }

    private func lastPage() throws -> Int64 { try file.connection.integer("SELECT ifnull(max(id), 0) FROM pages") ?? 0 }

    func conversation(_ row: SessionRow) -> Int64 { file.base &+ Int64(bitPattern: row.conversation) }

    private func endPage(_ statements: SessionStatements) throws {
        let number = nextPage ?? 1
        nextPage = number + 1
        statements.page.bind(1, number)
        statements.page.bind(2, page.first)
        statements.page.bind(3, nextRecord - 1)
        statements.page.bind(4, page.earliest == .max ? nil : page.earliest)
        statements.page.bind(5, page.earliest == .max ? nil : page.latest)
        if page.earliest != .max {
            counts.earliest = min(counts.earliest ?? page.earliest, page.earliest)
            counts.latest = max(counts.latest ?? page.latest, page.latest)
        }
        try statements.page.run()
        pageWords.append((number, words.take()))
        page = Page()
    }

    /// Writes what pages can be found by. Nothing is written afterwards in the same transaction: with a statement that may have to be taken back, the
    /// search would store what it has collected, as a segment of its own.
    private func writeSearch(_ statements: SessionStatements) throws {
        for (page, text) in pageWords {
            try text.withUnsafeBytes { text in
                statements.search.bind(1, page)
                statements.search.bind(2, text: text)
                try statements.search.run()
            }
        }
    }

    private func add(trace ids: [Int64], of conversation: Int64, _ statements: SessionStatements) throws {
        var text: [UInt8] = [UInt8(ascii: "[")]
        for id in ids {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text.append(decimal: UInt64(bitPattern: id))
        }
        text.append(UInt8(ascii: "]"))
        try text.withUnsafeBytes { text in
            statements.trace.bind(1, conversation)
            statements.trace.bind(2, ids[0])
            statements.trace.bind(3, text: text)
            try statements.trace.run()
        }
    }

    /// Binds the columns of a message to a statement, after those of others.
    private func bind(
        _ message: SessionRow.OfMessage, of row: SessionRow, _ id: Int64, _ bytes: UnsafeRawBufferPointer, to statement: BoundStatement,
        after others: Int
    ) {
        let base = Int32(others)
        statement.bind(base + 1, id)
        statement.bind(base + 2, conversation(row))
        statement.bind(base + 3, row.place.time?.nanoseconds)
        statement.bind(base + 4, row.from.map { $0 == .client ? 0 : 1 })
        statement.bind(base + 6, unsigned: message.length)
        statement.bind(base + 7, unsigned: message.wireLength)
        if message.isFramed {
            statement.bindNull(base + 5)
            statement.bindNull(base + 8)
            statement.bindNull(base + 9)
        } else {
            statement.bind(base + 5, Int64(message.opcode))
            statement.bind(base + 8, Int64(message.fragments))
            statement.bind(base + 9, message.isCompressed ? 1 : 0)
        }
        if row.json.isEmpty {
            statement.bindNull(base + 15)
        } else {
            statement.bind(base + 15, text: UnsafeRawBufferPointer(rebasing: bytes[row.json]))
        }
        let packets = row.place.packets
        statement.bind(base + 10, packets.map { Int64(bitPattern: $0.lowest) })
        statement.bind(base + 11, packets.flatMap { $0.highest == $0.lowest ? nil : Int64(bitPattern: $0.highest) })
        statement.bind(base + 12, row.offset.map { Int64(bitPattern: $0) })
        statement.bind(base + 13, row.channel.depth == 0 ? nil : Int64(row.channel.depth))
        statement.bind(base + 14, row.channel.stream == 0 ? nil : Int64(row.channel.stream))
        statement.bind(base + 16, row.isTruncated ? 1 : nil)
        statement.bind(base + 17, row.redacted == 0 ? nil : Int64(row.redacted))
        bind(payloadOf: row, to: statement, at: base + 18, bytes)
    }

    private func bind(payloadOf row: SessionRow, to statement: BoundStatement, at index: Int32, _ bytes: UnsafeRawBufferPointer) {
        let payload = UnsafeRawBufferPointer(rebasing: bytes[row.payload])
        switch row.form {
        case .absent: statement.bindNull(index)
        case .text: statement.bind(index, text: payload)
        case .bytes: statement.bind(index, bytes: payload)
        }
    }

    private func add(_ row: SessionRow, _ id: Int64, _ bytes: UnsafeRawBufferPointer, _ statements: SessionStatements) throws {
        let statement = statements.record
        statement.bind(1, id)
        statement.bind(2, row.kind)
        statement.bind(3, row.conversation == 0 ? nil : conversation(row))
        statement.bind(4, row.place.time?.nanoseconds)
        statement.bind(5, row.from.map { $0 == .client ? 0 : 1 })
        statement.bind(6, text: UnsafeRawBufferPointer(rebasing: bytes[row.json]))
        statement.bind(7, row.split.map { Int64($0) })
        statement.bind(8, row.isTruncated ? 1 : nil)
        bind(payloadOf: row, to: statement, at: 9, bytes)
        try statement.run()
    }
}

extension [UInt8] {
    /// Appends a number in decimal digits.
    fileprivate mutating func append(decimal value: UInt64) {
        let start = count
        var rest = value
        repeat {
            append(0x30 + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        self[start...].reverse()
    }
}
