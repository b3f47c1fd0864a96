import Reports

/// The pages that list the fields of the display filter, made from their table: `unmask help fields`, and the tables of docs/filter.md.
package enum FilterPage {
    /// The groups of fields, in the order of both pages.
    private static let groups: [(name: String, heading: String, fields: [FilterField])] = {
        var groups: [(String, String, [FilterField])] = [
            ("every", "Every event", RecordFields.bare.filter { !$0.isHidden }),
            ("conversation", "The conversation, for each of its events", OwnFields.all.filter { $0.level == .conversation }),
            ("wireshark", "By Wireshark's names", WiresharkFields.all),
            ("words", "Heads, JSON, other words", OwnFields.all.filter { ["header", "json", "closed.manner"].contains($0.name) }),
        ]
        for carrier in RecordFields.carriers {
            let fields = RecordFields.qualified.filter { !$0.isHidden && $0.name.hasPrefix(carrier.name + ".") }
            let kind = OwnFields.all.filter { $0.name == carrier.name }
            groups.append((carrier.name, "`\(carrier.name)`: \(carrier.summary)", kind + fields))
        }
        return groups
    }()

    /// The names of the tables, in the order of the page.
    package static let names = groups.map(\.name) + ["formats"]

    /// Every name that an expression may have: what `ExpressionCompletion` proposes where a condition begins.
    package static var completions: [String] { FieldNames.all }

    /// A table in Markdown, with the comments around it by which it is found.
    package static func table(_ name: String) -> String {
        var table = "<!-- filter: \(name) -->\n"
        if name == "formats" {
            table += "| format | fields |\n| --- | --- |\n"
            for row in PayloadFormats.rows where row.name != "json" {
                let plain = PayloadFormats.plain(row.name)
                let keys = row.keys.map { "`\(plain).\($0)`" }.joined(separator: ", ")
                table += "| `\(plain)` | \(keys) |\n"
            }
            return table + "<!-- /filter -->\n"
        }
        let fields = groups.first { $0.name == name }?.fields ?? []
        let hasWireshark = fields.contains { $0.wireshark != nil }
        let hasLevel = Set(fields.map(\.level.name)).count > 1
        table += "| field | type | value |" + (hasLevel ? " of the |" : "") + (hasWireshark ? " Wireshark |" : "") + "\n"
        table += "| --- | --- | --- |" + (hasLevel ? " --- |" : "") + (hasWireshark ? " --- |" : "") + "\n"
        for field in fields {
            // A link inside of the page on the log goes there.
            let sentence = field.sentence.replacing("](#", with: "](log-format.md#")
            table += "| `\(field.name)` | \(field.type.brief) | \(sentence) |"
            if hasLevel { table += " \(field.level.name) |" }
            if hasWireshark { table += field.wireshark.map { " `\($0)` |" } ?? " |" }
            table += "\n"
        }
        return table + "<!-- /filter -->\n"
    }

    /// All fields as text, group by group.
    package static var help: String {
        var text = "Fields of the display filter (-Y). A kind of event, such as message, stands for whether the event is one.\n"
        for group in groups {
            text += "\n\(plain(group.heading))\n"
            let width = group.fields.map(\.name.count).max() ?? 0
            for field in group.fields {
                let words = [field.wireshark.map { "Wireshark: \($0)" }, field.level == .conversation ? "of the conversation" : nil]
                    .compactMap(\.self)
                let note = words.isEmpty ? "" : " [\(words.joined(separator: "; "))]"
                text += "  \(padded(field.name, to: width))  \(padded(plain(field.type.brief), to: 7))  \(plain(field.sentence))\(note)\n"
            }
        }
        text += "\nWhat payloads say in their formats\n"
        for row in PayloadFormats.rows where row.name != "json" {
            let plain = PayloadFormats.plain(row.name)
            text += "  \(([plain] + row.keys.map { "\(plain).\($0)" }).joined(separator: " "))\n"
        }
        return text
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Markdown as plain text: without backquotes, and links as their words.
    private static func plain(_ markdown: String) -> String {
        var text = markdown.replacing("`", with: "")
        while let open = text.firstRange(of: "]("), let close = text[open.upperBound...].firstIndex(of: ")"),
            let start = text[..<open.lowerBound].lastIndex(of: "[")
        {
            let words = text[text.index(after: start)..<open.lowerBound]
            text.replaceSubrange(start...close, with: words)
        }
        return text
    }
}

extension ValueType {
    /// In a table.
    fileprivate var brief: String {
        switch self {
        case .integer(_, _, let names): "integer" + (names.isEmpty ? "" : " or " + names.map { "`\($0.name)`" }.joined(separator: ", "))
        case .seconds: "seconds"
        case .real: "decimal"
        case .time: "time"
        case .boolean: "boolean"
        case .text: "text"
        case .bytes: "bytes"
        case .word(let words, _): words.filter { $0 != "capture" && $0 != "end" }.map { "`\($0)`" }.joined(separator: ", ")
        case .address: "address"
        case .range: "packets"
        case .anything: "any"
        }
    }
}
