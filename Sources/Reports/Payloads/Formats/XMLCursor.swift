import Dissection

/// Walks a document in UTF-8 or another encoding that has ASCII as it is. Linear, and without recursion. It looks at how tags nest, at
/// attributes, references and characters; it does not look into a DTD, and takes names of any characters beyond ASCII.
struct XMLCursor: ~Escapable {
    private let bytes: RawSpan
    private var position = 0
    /// The name of the root element.
    private(set) var root: Range<Int>?
    private(set) var elements = 0
    private(set) var problem: PayloadProblem?
    /// The names of the elements that are open.
    private var open: [Range<Int>] = []
    /// A document type declaration may declare entities.
    private var hasDeclaration = false

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    mutating func document() {
        if bytes.begins("\u{feff}") { position = 3 }
        if bytes.byteCount >= 2, case let mark = bytes.bigEndianUInt16(at: 0), mark == 0xfeff || mark == 0xfffe {
            return fail("it is in UTF-16, which is not read", at: 0)
        }
        let start = position
        while problem == nil, position < bytes.byteCount {
            if bytes[position] == UInt8(ascii: "<") {
                markup(isFirst: position == start)
            } else {
                characters()
            }
        }
        if let forbidden = XMLText.firstForbidden(in: bytes), forbidden < problem?.position ?? .max {
            problem = PayloadProblem(reason: "a character is not allowed", position: forbidden)
        }
        guard problem == nil else { return }
        if let last = open.last {
            fail("an element has no end tag", at: last.lowerBound - 1)
        } else if root == nil {
            fail("it has no element", at: position)
        }
    }

    /// Attributes of one element, tag by tag.
    private mutating func markup(isFirst: Bool) {
        let start = position
        let rest = bytes.suffix(from: position)
        if rest.begins("<!--") {
            position += 4
            // Two hyphens may only stand at the end of a comment (section 2.5).
            guard skip(past: "--") else { return fail("a comment does not end", at: start) }
            guard take(">") else { return fail("a comment has two hyphens in it", at: position - 2) }
        } else if rest.begins("<![CDATA[") {
            guard !open.isEmpty else { return fail("character data stands outside of the root element", at: start) }
            guard skip(past: "]]>") else { return fail("a CDATA section does not end", at: start) }
        } else if rest.begins("<?") {
            position += 2
            guard let target = name() else { return fail("a processing instruction has no name", at: start) }
            if bytes.extracting(target).isWord("xml") {
                guard isFirst else { return fail("an XML declaration stands elsewhere than at the beginning", at: start) }
                return declaration(isXML: bytes.extracting(target).begins("xml"), from: start)
            }
            guard current.map({ isBlank($0) }) ?? true || rest.suffix(from: position - start).begins("?>") else {
                return fail("a processing instruction has no valid name", at: start)
            }
            guard skip(past: "?>") else { return fail("a processing instruction does not end", at: start) }
        } else if rest.begins("<!DOCTYPE") {
            guard root == nil else { return fail("a document type declaration stands after the root element has begun", at: start) }
            guard !hasDeclaration else { return fail("second document type declaration", at: start) }
            hasDeclaration = true
            declaration(from: start)
        } else if rest.begins("</") {
            position += 2
            endTag(from: start)
        } else {
            position += 1
            startTag(from: start)
        }
    }

    private mutating func startTag(from start: Int) {
        guard let name = name() else { return fail("a < begins no tag", at: start) }
        if open.isEmpty, root != nil { return fail("an element stands after the root element", at: start) }
        if root == nil { root = name }
        elements += 1
        var names: Set<[UInt8]> = []
        while true {
            let blanks = skipBlanks()
            if take("/>") { return }
            if take(">") {
                guard open.count < PayloadBounds.levels else { return fail(PayloadBounds.tooDeep, at: start) }
                open.append(name)
                return
            }
            let attribute = position
            guard position < bytes.byteCount else { return fail("a tag does not end", at: start) }
            guard blanks, let key = self.name() else { return fail("an attribute is expected, or the end of the tag", at: attribute) }
            guard names.insert(bytes.extracting(key).copy).inserted else { return fail("duplicate attribute", at: attribute) }
            skipBlanks()
            guard take("=") else { return fail("an attribute has no value", at: attribute) }
            skipBlanks()
            guard value() else {
                return problem == nil ? fail("the value of an attribute is not in quotes, or does not end", at: attribute) : ()
            }
        }
    }

    private mutating func endTag(from start: Int) {
        guard let name = name(), case _ = skipBlanks(), take(">") else { return fail("an end tag is not whole", at: start) }
        guard let last = open.popLast() else { return fail("an end tag has no start tag", at: start) }
        guard bytes.extracting(last).isEqual(bytes.extracting(name)) else {
            return fail("an end tag has another name than its start tag", at: start)
        }
    }

    /// What follows the name of an XML declaration: the version, perhaps an encoding and whether the document stands alone, in this order
    /// (sections 2.8, 2.9 and 4.3.3).
    private mutating func declaration(isXML: Bool, from start: Int) {
        var isValid = isXML
        for (index, name) in (["version", "encoding", "standalone"] as [StaticString]).enumerated() {
            let before = position
            guard skipBlanks(), take(name) else {
                isValid = isValid && index > 0
                position = before
                continue
            }
            skipBlanks()
            guard take("="), case _ = skipBlanks(), let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                isValid = false
                break
            }
            position += 1
            let first = position
            while let byte = current, byte.isDigit || 0x61...0x7a ~= byte | 0x20 || [0x2d, 0x2e, 0x5f].contains(byte) {
                position += 1
            }
            isValid = isValid && position > first && current == quote && isDeclared(index, bytes.extracting(first..<position))
            position += 1
        }
        skipBlanks()
        guard isValid, position < bytes.byteCount, take("?>") else { return fail("an XML declaration is not valid", at: start) }
    }

    /// Whether a version, an encoding or `standalone` may have this value.
    private func isDeclared(_ index: Int, _ value: RawSpan) -> Bool {
        switch index {
        case 0: value.begins("1.") && value.byteCount > 2
        case 1: 0x61...0x7a ~= value[0] | 0x20
        case _: value.isEqual(("yes" as StaticString).bytes) || value.isEqual(("no" as StaticString).bytes)
        }
    }

    /// A document type declaration, whose brackets and quotes are counted.
    private mutating func declaration(from start: Int) {
        var isInBrackets = false
        while position < bytes.byteCount {
            let byte = bytes[position]
            let rest = bytes.suffix(from: position)
            if isInBrackets, rest.begins("<!--") {
                position += 4
                guard skip(past: "-->") else { break }
                continue
            }
            if isInBrackets, rest.begins("<?") {
                guard skip(past: "?>") else { break }
                continue
            }
            position += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                while position < bytes.byteCount, bytes[position] != byte { position += 1 }
                position += 1
            case UInt8(ascii: "["): isInBrackets = true
            case UInt8(ascii: "]"): isInBrackets = false
            case UInt8(ascii: ">"): if !isInBrackets { return }
            case _: continue
            }
        }
        fail("a document type declaration does not end", at: start)
    }

    private mutating func value() -> Bool {
        guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return false }
        position += 1
        while let byte = current {
            if byte == quote {
                position += 1
                return true
            }
            if byte == UInt8(ascii: "<") {
                fail("a < stands in the value of an attribute", at: position)
                return false
            }
            guard byte != UInt8(ascii: "&") || reference() else { return false }
            if byte != UInt8(ascii: "&") { position += 1 }
        }
        return false
    }

    /// Text up to the next tag.
    private mutating func characters() {
        var brackets = 0
        while let byte = current, byte != UInt8(ascii: "<") {
            if open.isEmpty, !isBlank(byte) { return fail("text stands outside of the root element", at: position) }
            if byte == UInt8(ascii: "&") {
                guard reference() else { return }
                brackets = 0
                continue
            }
            // Two brackets and > may only end a CDATA section (section 2.4).
            if byte == UInt8(ascii: ">"), brackets >= 2 { return fail("]]> stands outside of a CDATA section", at: position - 2) }
            brackets = byte == UInt8(ascii: "]") ? brackets + 1 : 0
            position += 1
        }
    }

    /// `&name;`, `&#1;` or `&#x1;`.
    private mutating func reference() -> Bool {
        let start = position
        position += 1
        let isNumber = take("#")
        let isHexadecimal = isNumber && take("x")
        let first = position
        while let byte = current, byte != UInt8(ascii: ";"),
            isHexadecimal ? byte.hexValue != nil : isNumber ? byte.isDigit : isNameByte(byte)
        {
            position += 1
        }
        guard position > first, take(";") else {
            fail("an & begins no reference", at: start)
            return false
        }
        let name = bytes.extracting(start + 1..<position - 1)
        if isNumber {
            guard XMLText.isAllowed(XMLText.number(name) ?? .max) else {
                fail("a reference stands for a character that is not allowed", at: start)
                return false
            }
        } else if !hasDeclaration {
            guard ["lt", "gt", "amp", "quot", "apos"].contains(where: { name.isEqual(($0 as StaticString).bytes) }) else {
                fail("an entity is not declared", at: start)
                return false
            }
        }
        return true
    }

    private mutating func name() -> Range<Int>? {
        let start = position
        guard let first = current, isNameByte(first), !first.isDigit, first != UInt8(ascii: "-"), first != UInt8(ascii: ".") else {
            return nil
        }
        while let byte = current, isNameByte(byte) { position += 1 }
        return start..<position
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        byte >= 0x80 || 0x61...0x7a ~= byte | 0x20 || byte.isDigit || [0x2d, 0x2e, 0x3a, 0x5f].contains(byte)
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }

    private var current: UInt8? { position < bytes.byteCount ? bytes[position] : nil }

    @discardableResult
    private mutating func skipBlanks() -> Bool {
        let start = position
        while let byte = current, isBlank(byte) { position += 1 }
        return position > start
    }

    private mutating func take(_ words: StaticString) -> Bool {
        guard bytes.suffix(from: position).begins(words) else { return false }
        position += words.utf8CodeUnitCount
        return true
    }

    private mutating func skip(past words: StaticString) -> Bool {
        let first = words.bytes[0]
        while position < bytes.byteCount {
            if bytes[position] == first, take(words) { return true }
            position += 1
        }
        return false
    }

    private mutating func fail(_ reason: StaticString, at start: Int) {
        if problem == nil { problem = PayloadProblem(reason: reason, position: start) }
    }
}
