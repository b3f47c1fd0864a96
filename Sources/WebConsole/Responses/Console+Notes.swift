import Libc
import Reports
import Sessions

extension Console {
    /// Bytes of the text of a note.
    private static let mostNote = 64 << 10

    func notes() throws -> ConsoleResponse {
        let notes = try store.slow.notes()
        return .object { object in
            object.member("writable", store.takesNotes)
            object.array("list") { array in
                for note in notes {
                    array.object { object in
                        object.member("row", note.record)
                        object.member("conversation", note.conversation)
                        object.member("text", note.text)
                        object.member("mark", note.isMarked)
                        object.member("time", moment: note.time)
                    }
                }
            }
        }
    }

    /// Keeps a note in the session file.
    func addNote(_ body: [UInt8]) -> ConsoleResponse {
        guard let value = JSONValue(body, mostLevels: 4), case .object = value else { return .error(400, "the body has to be an object") }
        let record = value["row"]?.unsigned.flatMap(Int64.init(exactly:))
        let conversation = value["conversation"]?.unsigned.flatMap(Int64.init(exactly:))
        guard (record ?? conversation ?? 0) > 0, record == nil || conversation == nil else {
            return .error(400, "a note is about a row or about a conversation")
        }
        let text = value["text"]?.string ?? []
        guard text.count <= Self.mostNote else { return .error(413, "the note is longer than 64 KiB") }
        let words = String(decoding: text, as: UTF8.self).replacing("\0", with: "\u{FFFD}")
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let note = StoredNote(
            record: record, conversation: conversation, text: words, isMarked: value["mark"]?.boolean == true,
            time: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
        do {
            try store.write(note)
            return .object { _ in }
        } catch {
            return .error(409, "\(error)")
        }
    }
}
