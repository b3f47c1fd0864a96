import Reports

/// All names of fields, and what each stands for.
enum FieldNames {
    private static let fields: [String: FilterField] = {
        var fields: [String: FilterField] = [:]
        // Of two with one name the first counts: Wireshark's words mean what they mean there.
        for field in WiresharkFields.all + OwnFields.all + RecordFields.qualified + RecordFields.bare where fields[field.name] == nil {
            fields[field.name] = field
        }
        return fields
    }()

    /// Every name, for completion and for proposals.
    static let all: [String] = fields.keys.sorted() + PayloadFormats.names

    /// Keys alone that could be of several fields, and those.
    static let ambiguous = RecordFields.ambiguous.filter { fields[$0.key] == nil }

    static func find(_ word: String) -> FilterField? { fields[word] ?? PayloadFormats.find(word) }

    /// A field with a key in brackets: `header["x-id"]`, `json["a.b"]`, `socketio.args["[0].text"]`; nil where it takes none.
    static func keyed(
        _ word: String, _ key: String, _ columns: Range<Int>, _ inner: Range<Int>, _ lexer: Lexer
    ) throws(DisplayFilterProblem) -> (source: FieldSource, type: ValueType)? {
        let name = key.utf8.map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 }
        switch word {
        case "header": return (.header(.both, name: name), .text)
        case "request.headers": return (.header(.request, name: name), .text)
        case "response.headers": return (.header(.response, name: name), .text)
        case "body.trailers", "trailers": return (.header(.trailers, name: name), .text)
        case "control.settings": return (.header(.settings, name: name), .text)
        case "json": return (.json(try path(key, inner, lexer)), .anything)
        case _:
            guard case .decoded(let field) = PayloadFormats.find(word)?.source, !field.steps.isEmpty else { return nil }
            let path = try path(key, inner, lexer)
            return (.decoded(FormatField(format: field.format, steps: field.steps + path.steps)), .anything)
        }
    }

    private static func path(_ key: String, _ inner: Range<Int>, _ lexer: Lexer) throws(DisplayFilterProblem) -> JSONPath {
        let (path, place) = JSONPath.parse(key)
        if let path { return path }
        // The quote stands before it.
        let column = min(inner.lowerBound + 1 + place, max(inner.lowerBound, inner.upperBound - 1))
        throw lexer.problem(column..<column + 1, "the way to a value is written as a.b[0].c, [*] for every element, or /a/b/0/c")
    }

    /// What to say of a name that there is not.
    static func unknown(_ word: String, _ columns: Range<Int>, _ lexer: Lexer) -> DisplayFilterProblem {
        if let advice = WiresharkFields.missing[word] ?? WiresharkFields.missing.first(where: { word.hasPrefix($0.key + ".") })?.value {
            return lexer.problem(columns, "there is no field \(word.shownInMessage). \(advice)")
        }
        return lexer.problem(columns, "there is no field \(word.shownInMessage)", nearest: NearestName.of(word, among: all))
    }
}
