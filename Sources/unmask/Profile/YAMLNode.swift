import CYaml

/// A value of a YAML document (YAML 1.1), read by libyaml, and where it stands. Aliases are not followed.
indirect enum YAMLNode {
    case scalar(String, YAMLMark)
    case sequence([YAMLNode], YAMLMark)
    case mapping([(key: YAMLNode, value: YAMLNode)], YAMLMark)

    var mark: YAMLMark {
        switch self {
        case .scalar(_, let mark), .sequence(_, let mark), .mapping(_, let mark): mark
        }
    }

    /// The document of a text; nil where there is none.
    static func document(of text: String) throws(YAMLProblem) -> YAMLNode? {
        let bytes = Array(text.utf8)
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { parser.deallocate() }
        guard yaml_parser_initialize(parser) == 1 else { throw YAMLProblem(words: "there is no memory for it") }
        defer { yaml_parser_delete(parser) }
        return try bytes.withUnsafeBufferPointer { bytes throws(YAMLProblem) in
            yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
            return try YAMLComposer(parser: parser).document()
        }
    }
}

/// A line and a column, both from 1.
struct YAMLMark {
    var line: Int
    var column: Int

    init(_ mark: yaml_mark_t) { (line, column) = (Int(mark.line) + 1, Int(mark.column) + 1) }
}

/// Why a text is no YAML document.
struct YAMLProblem: Error {
    var mark: YAMLMark?
    /// What was being read, in libyaml's words.
    var context = ""
    /// One phrase.
    var words: String
}

/// Makes values of what libyaml reads, an event after the other.
private struct YAMLComposer {
    let parser: UnsafeMutablePointer<yaml_parser_t>

    /// Options nest two levels.
    private static let deepest = 100

    func document() throws(YAMLProblem) -> YAMLNode? {
        var root: YAMLNode?
        while true {
            var event = try next()
            defer { yaml_event_delete(&event) }
            switch event.type {
            case YAML_STREAM_START_EVENT, YAML_DOCUMENT_END_EVENT: continue
            case YAML_DOCUMENT_START_EVENT where root == nil: root = try node(try next(), depth: 0)
            case YAML_DOCUMENT_START_EVENT: throw YAMLProblem(mark: YAMLMark(event.start_mark), words: "it has a second document")
            case _: return root
            }
        }
    }

    private func next() throws(YAMLProblem) -> yaml_event_t {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else {
            let words = parser.pointee.problem.map { String(cString: $0) } ?? "it cannot be read"
            // Of bytes that are no text it knows no line.
            if parser.pointee.error == YAML_READER_ERROR { throw YAMLProblem(words: words) }
            throw YAMLProblem(
                mark: YAMLMark(parser.pointee.problem_mark), context: parser.pointee.context.map { String(cString: $0) } ?? "", words: words
            )
        }
        return event
    }

    /// The value that begins with an event.
    private func node(_ start: yaml_event_t, depth: Int) throws(YAMLProblem) -> YAMLNode {
        var start = start
        defer { yaml_event_delete(&start) }
        let mark = YAMLMark(start.start_mark)
        guard depth < Self.deepest else { throw YAMLProblem(mark: mark, words: "it is nested more than \(Self.deepest) levels deep") }
        switch start.type {
        case YAML_SCALAR_EVENT:
            let scalar = start.data.scalar
            return .scalar(String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self), mark)
        case YAML_SEQUENCE_START_EVENT:
            var elements: [YAMLNode] = []
            while let element = try element(until: YAML_SEQUENCE_END_EVENT, depth) { elements.append(element) }
            return .sequence(elements, mark)
        case YAML_MAPPING_START_EVENT:
            var members: [(key: YAMLNode, value: YAMLNode)] = []
            while let key = try element(until: YAML_MAPPING_END_EVENT, depth) {
                members.append((key, try node(try next(), depth: depth + 1)))
            }
            return .mapping(members, mark)
        case _: throw YAMLProblem(mark: mark, words: "found undefined alias")
        }
    }

    /// The next value inside another one; nil at the end of that.
    private func element(until end: yaml_event_type_t, _ depth: Int) throws(YAMLProblem) -> YAMLNode? {
        var event = try next()
        guard event.type != end else {
            yaml_event_delete(&event)
            return nil
        }
        return try node(event, depth: depth + 1)
    }
}
