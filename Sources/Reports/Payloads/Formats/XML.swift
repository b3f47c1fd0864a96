import Dissection

/// XML (XML 1.0, fifth edition), as far as finding its root element and where that ends asks for: how tags nest is counted, and whether it is
/// well-formed is not judged. The text says itself best what it is, so there is no line for people.
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
        var root: Range<Int>?
        var (elements, depth, position) = (UInt64(0), 0, 0)
        var problem: (reason: StaticString, at: Int)?
        while problem == nil, let start = bytes.position(of: UInt8(ascii: "<"), from: position) {
            var failure = start
            if start + 1 < bytes.byteCount, bytes[start + 1] == UInt8(ascii: "!") || bytes[start + 1] == UInt8(ascii: "?") {
                if let end = endOfDeclaration(bytes, from: start) {
                    position = end
                } else {
                    problem = ("a declaration does not end", start)
                }
            } else if let tag = XMLTag(bytes, at: start, failure: &failure) {
                position = tag.end
                if depth == 0, root != nil || tag.kind == .end {
                    problem = (root == nil ? "an end tag has no start tag" : "a tag stands after the root element", start)
                    break
                }
                root = root ?? tag.name
                if tag.kind != .end { elements += 1 }
                if tag.kind != .empty { depth += tag.kind == .start ? 1 : -1 }
            } else {
                problem = ("a tag is not valid or not whole", failure)
            }
        }
        if let root { decoded.add("root", .text(bytes.extracting(root).copy), at: root) }
        if elements > 0 { decoded.note("elements", .number(elements)) }
        let isOpen = root == nil || depth > 0
        if problem == nil, isOpen { problem = (root == nil ? "it has no element" : "its root element does not end", bytes.byteCount) }
        if let problem { decoded.stop(problem.reason, at: problem.at) }
    }

    /// Where what follows a comment, a CDATA section, a processing instruction or a declaration begins. What stands in a DTD stands for itself.
    private static func endOfDeclaration(_ bytes: RawSpan, from start: Int) -> Int? {
        for (opening, closing) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] as [(StaticString, StaticString)]
        where bytes.suffix(from: start).begins(opening) {
            return XMLText.position(after: closing, in: bytes, from: start + opening.utf8CodeUnitCount)
        }
        var quote: UInt8?
        for index in start..<bytes.byteCount {
            let byte = bytes[index]
            if quote != nil {
                if byte == quote { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "[") {
                return index + 1
            }
        }
        return nil
    }
}
