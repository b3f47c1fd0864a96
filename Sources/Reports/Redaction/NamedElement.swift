import Dissection

/// Elements of XML and HTML whose value has its name beside it: in an attribute, or in the element before.
struct NamedElement {
    let text: [UInt8]
    let bounds: Range<Int>
    private(set) var steps = 0

    /// Elements of HTML that hold no value: they have none, or others in them.
    private static let others: [StaticString] = [
        "input", "meta", "link", "param", "img", "form", "fieldset", "label", "button", "select", "option", "a", "iframe", "slot",
    ]
    /// Elements whose value stands in the one after them, and what that is called: lists of properties of Apple, XML-RPC.
    private static let values: [StaticString] = ["value", "string", "data", "integer", "real", "array", "dict"]
    private static let labels: [StaticString] = ["name", "key", "var"]
    private static let mostBlanks = 128
    private static let longestLabel = 32

    init(_ text: [UInt8], _ bounds: Range<Int>) {
        self.text = text
        self.bounds = bounds
    }

    /// Whether one of the attributes says that another one, or the content, is secret: `key="password"`.
    ///
    /// - Parameter withType: the `type` of a field of a form counts too.
    mutating func namesSecret(_ attributes: Range<Int>, withType: Bool = false) -> Bool {
        steps += attributes.count
        var index = attributes.lowerBound
        while index < attributes.upperBound {
            defer { index += 1 }
            guard text[index].isSpace, let (label, sign) = label(at: index + 1, to: attributes.upperBound) else { continue }
            let isLabel = isOne(of: Self.labels, label) || withType && isOne(of: ["type"], label)
            let start = skipBlanks(after: sign + 1, to: attributes.upperBound)
            guard isLabel, start < attributes.upperBound else { continue }
            let quote = text[start]
            let isQuoted = quote == 0x22 || quote == 0x27
            let value = text[(isQuoted ? start + 1 : start)..<attributes.upperBound]
            // Without quotes, as HTML allows it, it ends at white space.
            let close = value.firstIndex { isQuoted ? $0 == quote : $0.isSpace } ?? (isQuoted ? value.startIndex : value.endIndex)
            steps += close - sign
            if SecretNames.isSecret(value[..<close]) { return true }
        }
        return false
    }

    /// The name of an attribute, without the prefix of its namespace, and where the `=` after it stands.
    private mutating func label(at start: Int, to end: Int) -> (ArraySlice<UInt8>, sign: Int)? {
        var (index, first) = (start, start)
        while index < end, index - start < Self.longestLabel, text[index].isOfWord || text[index] == 0x3a {
            index += 1
            if text[index - 1] == 0x3a { first = index }
        }
        let sign = skipBlanks(after: index, to: end)
        guard index > first, sign < end, text[sign] == 0x3d else { return nil }
        return (text[first..<index], sign)
    }

    /// Whether the content of an element is secret: by an attribute of its own, of the element around it, or by the text of the one before it.
    mutating func isValue(_ name: ArraySlice<UInt8>, attributes: Range<Int>) -> Bool {
        if namesSecret(attributes), !isOne(of: Self.others, name), !beginsWithElement(attributes.upperBound + 1) { return true }
        let local = name.lastIndex(of: 0x3a).map { name[($0 + 1)...] } ?? name
        return isOne(of: Self.values, local) && isAfterName(name.startIndex - 1)
    }

    private func beginsWithElement(_ start: Int) -> Bool {
        var index = start
        while index < bounds.upperBound, index - start < Self.mostBlanks, text[index].isSpace { index += 1 }
        guard index < bounds.upperBound, text[index] == 0x3c else { return false }
        return index + 1 >= bounds.upperBound || text[index + 1] != 0x21
    }

    /// Whether `<key>password</key>`, or `<property name="password">`, stands before a tag.
    private mutating func isAfterName(_ tag: Int) -> Bool {
        let bracket = skipBlanks(before: tag) - 1
        guard bracket > bounds.lowerBound, text[bracket] == 0x3e, let open = index(of: 0x3c, before: bracket) else { return false }
        // `<\/key>`, as JSON of PHP has it.
        let slash = text[open + 1] == 0x5c ? open + 2 : open + 1
        guard text[slash] == 0x2f else {
            guard text[bracket - 1] != 0x2f, let close = text[open..<bracket].firstIndex(where: \.isSpace) else { return false }
            return namesSecret(close..<bracket)
        }
        guard isOne(of: ["key", "name"], text[slash + 1..<max(slash + 1, bracket)]), let first = index(of: 0x3e, before: open) else {
            return false
        }
        return SecretNames.isSecret(text[first + 1..<open])
    }

    private mutating func skipBlanks(before index: Int) -> Int {
        var start = index
        while start > bounds.lowerBound, index - start < Self.mostBlanks {
            if text[start - 1].isSpace {
                start -= 1
            } else if start - 2 >= bounds.lowerBound, text[start - 2] == 0x5c, [0x6e, 0x72, 0x74].contains(text[start - 1]) {
                // A line end or a tab in a string of JSON.
                start -= 2
            } else {
                break
            }
        }
        steps += index - start
        return start
    }

    private mutating func skipBlanks(after index: Int, to end: Int) -> Int {
        var place = index
        while place < end, place - index < Self.mostBlanks, text[place].isSpace { place += 1 }
        steps += place - index
        return place
    }

    private mutating func index(of sign: UInt8, before end: Int) -> Int? {
        var index = end
        let floor = max(bounds.lowerBound, end - SecretNames.longest)
        defer { steps += end - index }
        while index > floor {
            index -= 1
            if text[index] == sign { return index }
        }
        return nil
    }

    private func isOne(of words: [StaticString], _ name: ArraySlice<UInt8>) -> Bool {
        words.contains { word in
            name.count == word.utf8CodeUnitCount && zip(name, word.bytes.copy).allSatisfy { $0 | 0x20 == $1 }
        }
    }
}

extension SecretScan {
    /// Whether this is the `value` or the `content` of a tag whose `name` or `key` is secret: `<add key="password" value="…"/>`.
    mutating func isValueOfNamedAttribute(_ name: ArraySlice<UInt8>) -> Bool {
        let isValue = name.count == 5 && isWord(name.startIndex, "value") || name.count == 7 && isWord(name.startIndex, "content")
        guard isValue else { return false }
        let floor = max(bounds.lowerBound, name.startIndex - SecretNames.longest)
        var open = name.startIndex
        while open > floor, text[open - 1] != 0x3c, text[open - 1] != 0x3e { open -= 1 }
        count(name.startIndex - open)
        guard open > floor, text[open - 1] == 0x3c else { return false }
        var element = NamedElement(text, bounds)
        defer { count(element.steps) }
        return element.namesSecret(open..<name.startIndex, withType: true)
    }

    /// Whether the content of an element has a secret name beside it.
    mutating func isNamedElement(_ name: ArraySlice<UInt8>, attributes: Range<Int>) -> Bool {
        var element = NamedElement(text, bounds)
        defer { count(element.steps) }
        return element.isValue(name, attributes: attributes)
    }

    /// Hides a string that PHP has serialized after its name: `s:8:"password";s:2:"ab"`, or `password|s:2:"ab"` of a session.
    mutating func serialized(at colon: Int, to place: Int) -> Step? {
        guard place < end, text[place] == 0x22 || text[place] == 0x5c, let (opening, first) = quotesAfter(place),
            case .plain(_, 0x22) = opening
        else { return nil }
        var (start, length, unit) = (colon, 0, 1)
        while start > bounds.lowerBound, colon - start < 8, 0x30...0x39 ~= text[start - 1] {
            start -= 1
            length += Int(text[start] - 0x30) * unit
            unit *= 10
        }
        guard start < colon, start - 3 > bounds.lowerBound, text[start - 1] == 0x3a, text[start - 2] == 0x73 else { return nil }
        var name: ArraySlice<UInt8>?
        if text[start - 3] == 0x7c {
            name = bareName(before: start - 3)
        } else if text[start - 3] == 0x3b, let (quotes, close) = quotesBefore(start - 3), quotes == opening {
            name = quotedName(before: close, quotes)
        }
        guard let name, SecretNames.isSecret(name) else { return nil }
        return value(from: first, past: first + length, opening.kind, lookedFor: colon)
    }
}
