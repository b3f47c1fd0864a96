import CSQLite
import CaptureFiles
import Reports

/// What the user has written beside a record or a conversation of a session file.
package struct StoredNote: Sendable, Equatable {
    /// The record; nil where the note is about a conversation.
    package var record: Int64?
    package var conversation: Int64?
    package var text: String
    package var isMarked: Bool
    /// When it was written, in nanoseconds since 1970.
    package var time: Int64

    package init(record: Int64?, conversation: Int64?, text: String, isMarked: Bool, time: Int64) {
        (self.record, self.conversation, self.text, self.isMarked, self.time) = (record, conversation, text, isMarked, time)
    }
}

/// Writes notes into a session file: into a table of their own, which no other reader looks at.
///
/// One of these is one connection, and is for one thread at a time. The file may be a stranger's, and so may the table be.
package final class SessionNotes: @unchecked Sendable {
    private let connection: SQLiteConnection
    private var isReady = false

    static let table = """
        CREATE TABLE notes(
          record INTEGER NOT NULL, conversation INTEGER NOT NULL, text TEXT NOT NULL, mark INTEGER NOT NULL, time INTEGER NOT NULL,
          PRIMARY KEY(record, conversation)
        ) STRICT
        """
    /// Notes that a file has at most.
    static let most = 10_000

    /// Why a note cannot be written.
    package struct Refusal: Error, CustomStringConvertible { package let description: String }

    /// - Parameter file: The file that is shown; nil where this process has just made it. Another that has its name by now is left alone.
    /// - Throws: where the file cannot be opened. Nothing is written yet.
    package init(path: String, of file: FileIdentity?) throws(CaptureFileError) {
        func isSame() -> Bool { file == nil || FileIdentity(path: path) == file }
        do {
            guard isSame() else { throw Refusal(description: "another file has its name by now") }
            connection = try SQLiteConnection(path: path, isReadOnly: false, isMade: false)
            _ = sqlite3_defend(connection.handle)
            // The first look at the file, after which its name may go.
            let application = try connection.integer("PRAGMA application_id")
            guard isSame(), application == Int64(SessionSchema.applicationID) else {
                throw Refusal(description: "another file has its name by now")
            }
        } catch {
            throw SessionReader.refusal(path, error)
        }
    }

    /// Writes a note in the place of the one that is there; one that says nothing removes it.
    package func set(_ note: StoredNote) throws(Refusal) {
        do {
            if !isReady { try prepare() }
            let (record, conversation) = (note.record ?? 0, note.record == nil ? note.conversation ?? 0 : 0)
            let remove = try RowCursor(connection, "DELETE FROM notes WHERE record = ?1 AND conversation = ?2")
            remove.restart([record, conversation])
            _ = try remove.peek()
            remove.end()
            if note.text.isEmpty, !note.isMarked { return }
            guard try connection.integer("SELECT count(*) FROM notes") ?? 0 < Self.most else {
                throw Refusal(description: "there are \(Self.most) notes, which is the most that a file has")
            }
            let insert = try RowCursor(connection, "INSERT INTO notes(record, conversation, mark, time, text) VALUES(?1, ?2, ?3, ?4, ?5)")
            insert.restart([record, conversation, note.isMarked ? 1 : 0, note.time])
            insert.bind(5, text: note.text)
            _ = try insert.peek()
            insert.end()
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw Refusal(description: "the session file cannot be written: \(error)")
        }
    }

    private func prepare() throws {
        let found = try SessionNotes.found(connection)
        if found.isEmpty {
            try connection.execute(Self.table)
        } else if found != [Self.table] {
            throw Refusal(description: "the session file has something else in the place of its notes")
        }
        isReady = true
    }

    fileprivate static func found(_ connection: SQLiteConnection) throws -> [String] {
        try connection.texts("SELECT sql FROM sqlite_schema WHERE name = 'notes' LIMIT 2")
    }

    /// The notes of a file; none where what has their name is something else.
    fileprivate static func all(in connection: SQLiteConnection) throws -> [StoredNote] {
        guard try found(connection) == [table] else { return [] }
        let rows = try RowCursor(
            connection, "SELECT record, conversation, text, mark, time FROM notes ORDER BY record, conversation LIMIT \(most)")
        var notes: [StoredNote] = []
        while try rows.peek() != nil {
            rows.advance()
            let record = rows.integer(0) ?? 0
            notes.append(
                StoredNote(
                    record: record > 0 ? record : nil, conversation: record > 0 ? nil : rows.integer(1), text: rows.text(2) ?? "",
                    isMarked: rows.integer(3) == 1, time: rows.integer(4) ?? 0))
        }
        return notes
    }
}

extension SessionRows {
    /// Ends what its thread reads with an error; for any thread.
    package func interrupt() { sqlite3_interrupt(connection.handle) }

    /// What was written beside records and conversations.
    package func notes() throws -> [StoredNote] { try SessionNotes.all(in: connection) }
}
