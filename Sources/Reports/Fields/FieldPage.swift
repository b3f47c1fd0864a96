/// The tables of docs/log-format.md, made from the table of fields. Each has a name, under which it stands on the page.
package enum FieldPage {
    /// The names of the tables, in the order of the page.
    package static let names = ["every", "payload"] + FieldCarrier.allCases.filter { $0.isRecord && $0 != .pong }.map(\.name)

    /// A table in Markdown, with the comments around it by which it is found.
    package static func table(_ name: String) -> String {
        let rows =
            switch name {
            case "every": FieldTable.common.map { ("`\($0.name)`", $0) }
            case "payload": FieldTable.ofPayloads.map { ("`\($0.name)`", $0) }
            case "ping": rows(of: [.ping, .pong])
            case _: rows(of: FieldCarrier.allCases.filter { $0.name == name })
            }
        let hasWireshark = rows.contains { $0.1.wireshark != nil }
        var table = "<!-- fields: \(name) -->\n| key | type | value |" + (hasWireshark ? " Wireshark |" : "") + "\n"
        table += "| --- | --- | --- |" + (hasWireshark ? " --- |" : "") + "\n"
        for (key, field) in rows {
            table += "| \(key) | \(words(field)) | \(field.sentence) |"
            if hasWireshark { table += field.wireshark.map { " `\("\($0)".replacing(", ", with: "`, `"))` |" } ?? " |" }
            table += "\n"
        }
        return table + "<!-- /fields -->\n"
    }

    /// What records have beside what most of them have, and objects in them: each row with its key, or the paths to it.
    private static func rows(of carriers: [FieldCarrier]) -> [(String, Field)] {
        var rows: [(String, Field)] = []
        for field in FieldTable.rows where !field.isCommon {
            if carriers.contains(where: { field.carriers.contains($0) }) {
                if FieldTable.ofPayloads.contains(where: { $0.isSame(as: field) }) { continue }
                rows.append((field.name.isEmpty ? "content" : "`\(field.name)`", field))
                continue
            }
            let holders = FieldTable.rows.filter { holder in
                guard let object = holder.object, field.carriers.contains(object) else { return false }
                return carriers.contains { holder.carriers.contains($0) }
            }
            if !holders.isEmpty { rows.append((holders.map { "`\($0.name).\(field.name)`" }.joined(separator: ", "), field)) }
        }
        return rows
    }

    /// What the value is.
    private static func words(_ field: Field) -> String {
        let unit =
            switch field.unit {
            case .none: ""
            case .bytes: ", bytes"
            case .packets: ", packets"
            }
        switch field.type {
        case .integer(let least, let most) where least == most: return "\(least)"
        case .integer(_, .max): return "integer" + unit
        case .integer(let least, let most): return "\(least) to \(most)" + unit
        case .seconds: return "seconds"
        case .fraction: return "0 to 1"
        case .boolean: return "boolean"
        case .flag: return "`true`"
        case .text, .pattern, .time: return "text"
        case .word(let words): return words.all.map { "`\($0)`" }.joined(separator: ", ")
        case .wordOrNumber(let words): return words.all.map { "`\($0)`" }.joined(separator: ", ") + ", or its number"
        case .packets: return "two integers"
        case .headers: return "pairs of texts"
        case .names: return "texts"
        case .opcode: return "text or integer"
        case .counts: return "integers" + unit
        case .object: return "object"
        case .objects: return "objects"
        case .payload: return ""
        }
    }
}
