/// JSON that people read: short values stand on one line, the keys in the order in which they were given.
indirect enum SchemaValue {
    case object([(String, SchemaValue)])
    case array([SchemaValue])
    case string(String)
    case number(UInt64)
    case boolean(Bool)

    /// Columns of a line that holds a whole value.
    private static let widest = 140

    var text: String { text(at: 0) }

    private func text(at indent: Int) -> String {
        let line = self.line
        guard line.count + indent > SchemaValue.widest else { return line }
        let inner = String(repeating: " ", count: indent + 2)
        let outer = String(repeating: " ", count: indent)
        switch self {
        case .object(let pairs):
            let lines = pairs.map { "\(inner)\(SchemaValue.quoted($0)): \($1.text(at: indent + 2))" }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(outer)}"
        case .array(let values):
            return "[\n" + values.map { inner + $0.text(at: indent + 2) }.joined(separator: ",\n") + "\n\(outer)]"
        case .string, .number, .boolean: return line
        }
    }

    /// All of it on one line.
    private var line: String {
        switch self {
        case .object(let pairs): "{" + pairs.map { "\(SchemaValue.quoted($0)): \($1.line)" }.joined(separator: ", ") + "}"
        case .array(let values): "[" + values.map(\.line).joined(separator: ", ") + "]"
        case .string(let text): SchemaValue.quoted(text)
        case .number(let number): "\(number)"
        case .boolean(let value): "\(value)"
        }
    }

    private static func quoted(_ text: String) -> String {
        var buffer = OutputBuffer(capacity: 64)
        text.withBytes { _ = buffer.appendJSON(utf8: $0) }
        return "\"" + String(decoding: buffer.bytes.copy, as: UTF8.self) + "\""
    }
}
