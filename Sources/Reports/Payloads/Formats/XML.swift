import Dissection

/// XML (XML 1.0, fifth edition): the root element, and whether it is well-formed. The text says itself best what it is, so there is no line
/// for people.
enum XML: PayloadFormat {
    static var name: StaticString { "xml" }
    static var keys: [StaticString] { ["root", "elements"] }

    static func mayBegin(with byte: UInt8) -> Bool { byte == UInt8(ascii: "<") || byte == 0xef }

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        if context.carrier == .body {
            let isTyped = context.isOfType("application/xml") || context.isOfType("text/xml") || context.isOfSuffix("+xml")
            if isTyped { return context.isOfType("image/svg+xml") ? .likely : .typed }
        }
        guard context.carrier != .data else { return .no }
        return bytes.begins("<?xml ") || bytes.begins("\u{feff}<?xml ") ? .likely : .no
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var cursor = XMLCursor(bytes)
        cursor.document()
        if let root = cursor.root { decoded.add("root", .text(bytes.extracting(root).copy), at: root) }
        if cursor.elements > 0 { decoded.note("elements", .number(UInt64(cursor.elements))) }
        if let problem = cursor.problem { decoded.stop(problem.reason, at: problem.position) }
    }
}
