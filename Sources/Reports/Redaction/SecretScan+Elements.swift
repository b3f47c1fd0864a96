import Dissection

// Secrets in XML and HTML: the content of elements, and attributes, that have a secret name.

extension SecretScan {
    /// Hides the content of an element whose name is secret: its text, or all of its children.
    ///
    /// The end tag is looked for in what follows, as far as can be held back, and in the string in which all this stands. Where it is not there, this may be
    /// no element at all (`<token>` is what usage texts write for something to fill in), and only the text up to the next `<`, or to the end of the line or
    /// of the string, is hidden.
    mutating func element(at bracket: Int) -> Step {
        var open = bracket
        let floor = max(bounds.lowerBound, bracket - SecretScan.mostContext / 2)
        while open > floor, text[open - 1] != 0x3c, text[open - 1] != 0x3e { open -= 1 }
        count(bracket - open)
        guard open > floor, text[open - 1] == 0x3c, bracket > open, text[bracket - 1] != 0x2f, text[open] != 0x2f else {
            return .on(bracket + 1)
        }
        var close = open
        while close < bracket, !text[close].isSpace { close += 1 }
        let name = text[open..<close]
        let isCredential = SecretNames.isSecret(name) || SASLResponse.isName(name, text[close..<bracket])
        guard isCredential || isNamedElement(name, attributes: close..<bracket) else { return .on(bracket + 1) }
        let start = bracket + 1
        if start == end, !isLast { return .more(from: bracket, told: start) }
        if isTypeArgument(open - 1, start) { return .on(start) }
        let most = min(end, start + SecretScan.mostHeld)
        // A signature of XML is a structure with all that was signed by name, and none of it a credential (XML Signature, section 4).
        let isSignature = SecretNames.plain(name).name.suffix(9).elementsEqual("signature".utf8)
        var string = stringLevel(before: open)
        switch endTag(of: name, start..<most, in: &string) {
        case .found(let place) where !isSignature || !text[start..<place].contains(0x3c):
            if place > start { add(start..<place) }
            return .on(place)
        case .children where !isSignature:
            return value(from: start, .elementEnd(Array(name.prefix(ValueEnd.longestTag))), lookedFor: bracket)
        case .found, .children: return value(from: start, .element, lookedFor: bracket)
        case .childrenOfString(let place):
            if place > start { add(start..<place) }
            return .on(place)
        case .none(let place):
            if place == nil, !isLast, most == end, end - bracket <= SecretScan.mostHeld { return .more(from: bracket, told: start) }
            if isCredential, close == bracket, !name.contains(0x3a) {
                let isElement = isCut && most == end || isLongToken(start..<most) || place == nil && endsWithTag(start..<most)
                return value(from: start, isElement ? .element : lineKind(string), lookedFor: bracket)
            }
            // With attributes, a prefix, or a name beside it, it is one that is cut.
            guard let place else { return value(from: start, .element, lookedFor: bracket) }
            if place > start { add(start..<place) }
            return .on(place)
        }
    }

    /// `Promise<Token> load()`: the argument of a type in a program.
    private func isTypeArgument(_ open: Int, _ start: Int) -> Bool {
        guard open > bounds.lowerBound, text[open - 1].isOfWord else { return false }
        // `\n` in a string ends no word.
        if open - 1 > bounds.lowerBound, text[open - 2] == 0x5c { return false }
        return start == end || !text[start].isOfWord
    }

    private enum EndTag {
        case found(Int)
        /// It is not there, but children are, or a section of characters: the element is longer.
        case children
        /// Children are there, and the string ends at a byte in which all stands.
        case childrenOfString(Int)
        /// It is not there; where it is certain that it does not come, with the byte at which the string ends in which all stands.
        case none(Int?)
    }

    /// Looks for the end tag of an element in what follows its start tag.
    private mutating func endTag(of name: ArraySlice<UInt8>, _ range: Range<Int>, in string: inout EnclosingString.Level) -> EndTag {
        var index = range.lowerBound
        var child: ArraySlice<UInt8>?
        var hasChildren = false
        let tag = Array(name.prefix(ValueEnd.longestTag))
        defer { count(index - range.lowerBound) }
        let first = skipSpaces(index)
        let isSection = isLine(first, "<!") || isLine(first, "<?")
        while index < range.upperBound {
            if text[index] == 0x22, case .inside(let level) = string {
                guard let place = endOfString(at: index, level) else { break }
                if place <= index { return hasChildren || isSection ? .childrenOfString(place) : .none(place) }
                // A quote that should have been escaped: it is no string.
                if text[index - 1] != 0x5c { string = .none }
            }
            guard text[index] == 0x3c else {
                index += 1
                continue
            }
            if ValueEnd.isEndTag(text, index, end, of: tag) {
                guard isLast || index + 3 + tag.count < end || text[index + 1] == 0x2f && index + 2 + tag.count < end else { break }
                return .found(index)
            }
            if isLine(index, "<![CDATA[") {
                hasChildren = true
                while index < range.upperBound, !isLine(index, "]]>") { index += 1 }
                continue
            }
            if index + 1 < end, text[index + 1] == 0x2f {
                if let child, ValueEnd.isEndTag(text, index, end, of: Array(child.prefix(ValueEnd.longestTag))) { hasChildren = true }
            } else if index == first, child == nil {
                var close = index + 1
                while close < range.upperBound, text[close].isOfWord || text[close] == 0x3a { close += 1 }
                if close > index + 1 { child = text[index + 1..<close] }
            }
            index += 1
        }
        // A beginning that is all there is of it may be one of children, too.
        let isWhole = isLast || range.upperBound < end || end - range.lowerBound >= SecretScan.mostHeld
        guard isWhole else { return .none(nil) }
        return isSection || hasChildren || isCut && child != nil ? .children : .none(nil)
    }
}
