import Reports
import Sessions

extension Console {
    /// Messages of one type: a packet or an event of a known format, or JSON with the same word under one of the names that say what it is.
    struct MessageType {
        var count: Int64 = 0
        var bytes: Int64 = 0
    }

    /// Messages of a view whose types are counted, from its first one on, and rows that are looked at for them.
    private static let mostTyped = (messages: 20_000, rows: 60_000)
    private static let mostTypes = 100
    private static let longestType = 60
    /// Members of JSON that say of what kind a message is, as `unmask diff` aligns by them (docs/diff.md).
    private static let names: [StaticString] = ["type", "event", "method", "op", "action", "kind", "cmd", "command", "topic", "name", "t"]
    /// Words of formats after which the name of an event or a call comes.
    private static let named: Set<Substring> = ["event", "call", "invocation", "push", "message", "publish", "request"]

    /// The types of the messages of a view, the most frequent first, and whether all of them were counted.
    func types(of view: ConsoleView) throws -> (list: [(name: String, type: MessageType)], isWhole: Bool) {
        var (types, messages, place): ([String: MessageType], Int, Int64) = ([:], 0, 0)
        while messages < Self.mostTyped.messages, place < Self.mostTyped.rows, !view.isClosed {
            let ids = view.ids(from: place, count: Int(Self.mostRows))
            guard !ids.isEmpty else { break }
            place += Int64(ids.count)
            let rows = try store.slow.rows(ids)
            let words = try RowWords(store.slow, rows, slowBeginnings)
            for row in rows where row.kind == "message" {
                messages += 1
                let name = words[row.id].map { Self.type(ofWords: $0) } ?? Self.type(ofPayload: row)
                let key = types.count < Self.mostTypes || types[name] != nil ? name : "other"
                types[key, default: MessageType()].count += 1
                types[key, default: MessageType()].bytes &+= Int64(clamping: row.length ?? UInt64(row.stored))
            }
        }
        let list = types.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map { (name: $0.key, type: $0.value) }
        return (list, place >= view.progress.total)
    }

    /// Format and kind, such as `mqtt PUBLISH`, with the name of an event or a call, such as `socket.io event chat`.
    private static func type(ofWords words: String) -> String {
        let parts = words.split(separator: " ", maxSplits: 3)
        let isNamed = parts.count > 2 && named.contains(parts[1])
        return cut(parts.prefix(isNamed ? 3 : 2).joined(separator: " ").trimmedEnd)
    }

    private static func type(ofPayload row: StoredRow) -> String {
        let kind = row.form == .binary || row.opcode == 2 ? "binary" : "text"
        guard row.stored <= row.beginning.count, let value = JSONValue(row.beginning, mostLevels: 64), case .object = value
        else { return kind }
        for name in names {
            guard let word = value[name]?.string ?? value[name]?.unsigned.map({ Array(String($0).utf8) }) else { continue }
            return cut("\(name): \(String(decoding: word, as: UTF8.self))")
        }
        return "JSON"
    }

    private static func cut(_ text: String) -> String {
        let shown = text.visible
        return shown.count > longestType ? shown.prefix(longestType - 1) + "…" : shown
    }
}

extension String {
    /// Without the comma that parts the kind from what follows.
    fileprivate var trimmedEnd: String { last == "," ? String(dropLast()) : self }
}
