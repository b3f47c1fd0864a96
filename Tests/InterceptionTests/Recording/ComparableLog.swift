import Foundation

/// A log in the form in which a live one and that of its recording are equal (docs/log-format.md, Live and captured).
struct ComparableLog {
    /// The records of each conversation, in order.
    private(set) var conversations: [UInt64: [String]] = [:]
    /// Conversations that were open when the recording ended.
    private(set) var stayedOpen: Set<UInt64> = []

    init(_ log: String) throws {
        var kept: [UInt64: [[String: Any]]] = [:]
        for line in log.split(separator: "\n") {
            guard var record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let kind = record["kind"] as? String, let number = (record["conversation"] as? NSNumber)?.uint64Value
            else { continue }
            if kind == "closed", record["how"] as? String == "end-of-capture" { stayedOpen.insert(number) }
            record["packets"] = nil
            if kind == "opened" {
                for key in ["start", "transport", "via"] { record[key] = nil }
                for side in ["client", "server"] {
                    var endpoint = record[side] as? [String: Any]
                    endpoint?["name"] = nil
                    record[side] = endpoint
                }
            }
            if kind == "data", let joined = ComparableLog.join(kept[number]?.last, record) {
                kept[number]?.removeLast()
                kept[number]?.append(joined)
            } else {
                kept[number, default: []].append(record)
            }
        }
        for (number, records) in kept {
            conversations[number] = try records.map {
                String(decoding: try JSONSerialization.data(withJSONObject: $0, options: [.sortedKeys]), as: UTF8.self)
            }
        }
    }

    /// Joins `data` of equal time and sender: the pieces of one run.
    private static func join(_ last: [String: Any]?, _ next: [String: Any]) -> [String: Any]? {
        guard let last, last["kind"] as? String == "data", last["framing"] == nil, next["framing"] == nil,
            last["time"] as? String == next["time"] as? String, last["from"] as? String == next["from"] as? String,
            let before = content(of: last), let after = content(of: next)
        else { return nil }
        var joined = last
        joined["text"] = nil
        joined["base64"] = (before + after).base64EncodedString()
        joined["length"] = before.count + after.count
        return joined
    }

    private static func content(of record: [String: Any]) -> Data? {
        if let text = record["text"] as? String { return Data(text.utf8) }
        return (record["base64"] as? String).flatMap { Data(base64Encoded: $0) }
    }

    /// What differs between two logs, in words; nothing where they agree.
    func differences(from other: ComparableLog) -> [String] {
        var found: [String] = []
        for number in Set(conversations.keys).union(other.conversations.keys).sorted() {
            var mine = conversations[number] ?? []
            var others = other.conversations[number] ?? []
            if stayedOpen.contains(number) || other.stayedOpen.contains(number) {
                // What ends them is told to nobody but the log.
                for ending in ["\"kind\":\"closed\"", "\"id\":\"proxy.shut-down\""] {
                    mine.removeAll { $0.contains(ending) }
                    others.removeAll { $0.contains(ending) }
                }
            }
            guard mine != others else { continue }
            for change in mine.difference(from: others).prefix(8) {
                switch change {
                case .insert(_, let line, _): found.append("\(number) + \(line.prefix(600))")
                case .remove(_, let line, _): found.append("\(number) - \(line.prefix(600))")
                }
            }
        }
        return found
    }
}
