import Dissection

/// What is hidden in heads of HTTP: values of header fields that carry credentials, and secrets in targets and in any other value.
struct HeadRedaction {
    private let rules: RedactionRules
    private let text: [UInt8]
    private(set) var found = Replacements()

    init(_ text: [UInt8], _ rules: RedactionRules) {
        self.text = text
        self.rules = rules
    }

    /// Looks at the field lines in a range.
    mutating func takeFields(_ range: ByteRange) {
        let text = text
        var fields = HeaderFields(in: text.rawBytes, at: range)
        while let field = fields.next() {
            let (name, value) = (clamped(field.name), clamped(field.value))
            // A line without a colon is nothing but a name, also in a log, where it has one.
            if !field.hasColon || text[name].contains(where: Self.isInNoName) { takeLine(name) }
            guard field.hasColon else { continue }
            // White space before the colon, which HTTP does not allow (RFC 9112, section 5.1), is no part of the name.
            var nameEnd = name.upperBound
            while nameEnd > name.lowerBound, text[nameEnd - 1].isSpace { nameEnd -= 1 }
            let written = name.lowerBound..<nameEnd
            take(field: SecretNames.plain(text[written]).name, written: written, value)
        }
    }

    private mutating func take(field name: [UInt8], written: Range<Int>, _ value: Range<Int>) {
        guard !value.isEmpty else { return }
        if rules.headers.contains(name) { return hide(value) }
        switch name {
        case Self.authorization, Self.proxyAuthorization: hide(behindScheme(value))
        case Self.cookie, Self.cookie2, Self.setCookie2: takeCookies(value)
        case Self.setCookie: takeCookies(value, firstAlone: true)
        case Self.host, Self.authority: takeAuthority(value)
        case Self.grpcMessage: takeEscaped(value)
        case _:
            // Of a name of gRPC `-bin` says how the value is written, and is no part of what it is called.
            let isBinary = text[written].suffix(4).elementsEqual("-bin".utf8)
            guard SecretNames.isSecret(isBinary ? text[written].dropLast(4) : text[written]), !Self.isFlag(text[value]) else {
                if isBinary, holdsSecret(inBinary: value) { return hide(value) }
                return take(value, as: .text)
            }
            hide(value)
        }
    }

    private static let authorization = Array("authorization".utf8)
    private static let proxyAuthorization = Array("proxyauthorization".utf8)
    private static let cookie = Array("cookie".utf8)
    private static let cookie2 = Array("cookie2".utf8)
    private static let setCookie = Array("setcookie".utf8)
    private static let setCookie2 = Array("setcookie2".utf8)
    private static let host = Array("host".utf8)
    private static let grpcMessage = Array("grpcmessage".utf8)
    /// `:authority` of HTTP/2.
    private static let authority = Array("authority".utf8)

    /// White space, or one of `"/=?@`.
    private static func isInNoName(_ byte: UInt8) -> Bool { byte.isSpace || [0x22, 0x2f, 0x3d, 0x3f, 0x40].contains(byte) }

    /// Looks at a line without a colon. Its marks have none, because it would be taken for the line's.
    private mutating func takeLine(_ line: Range<Int>) {
        var index = line.lowerBound
        while index < line.upperBound, text[index].isOfWord { index += 1 }
        let (name, rest) = (text[line.lowerBound..<index], trimmed(index..<line.upperBound))
        var here = Replacements()
        if rest.lowerBound > index, SecretNames.isSecret(name) || rules.headers.contains(SecretNames.plain(name).name) {
            if !rest.isEmpty, !RedactionMark.isMark(text[rest]) { here.add(rest, rules.marks.mark(of: text[rest])) }
        } else {
            here = secrets(in: line, as: .text)
        }
        for item in here.items { found.add(item.range, RedactionMark.withoutColon(item.text)) }
    }

    /// Looks at a value as it reads with its percent escapes undone, and as it stands (PROTOCOL-HTTP2.md, "Responses": `grpc-message`).
    private mutating func takeEscaped(_ value: Range<Int>) {
        let plain = text.rawBytes.extracting(value).percentDecoded()
        var here = Replacements()
        // Where the next byte of the plain text stands in the value.
        var (index, place) = (0, value.lowerBound)
        func skip(to end: Int) {
            while index < end {
                let isEscape = text[place] == 0x25 && value.upperBound - place >= 3 && isHex(place + 1) && isHex(place + 2)
                place += isEscape ? 3 : 1
                index += 1
            }
        }
        for item in HeadRedaction(plain, rules).secrets(in: 0..<plain.count, as: .text).items {
            skip(to: item.range.lowerBound)
            let start = place
            skip(to: item.range.upperBound)
            here.add(start..<place, item.text)
        }
        here.merge(secrets(in: value, as: .text)) { rules.marks.mark(of: text[$0]) }
        for item in here.items { found.add(item.range, item.text) }
    }

    private func isHex(_ index: Int) -> Bool { text[index].hexValue != nil }

    /// Whether a field of gRPC has a secret behind its base64 (gRPC over HTTP/2, Custom-Metadata).
    private func holdsSecret(inBinary value: Range<Int>) -> Bool {
        // Values of several fields may have been joined.
        text[value].split(separator: 0x2c).contains { holdsSecret(inEncoded: $0) }
    }

    private func holdsSecret(inEncoded value: ArraySlice<UInt8>) -> Bool {
        // Padding may be left away, and blanks may stand around.
        let letters = value.drop { $0 == 0x20 }.prefix { $0 != 0x3d && $0 != 0x20 }
        let padded = Array(letters) + [UInt8](repeating: 0x3d, count: (4 - letters.count % 4) % 4)
        guard let bytes = Base64.decode(padded.rawBytes), !bytes.isEmpty else { return false }
        var scan = SecretScan(bytes, marks: rules.marks)
        _ = scan.scan()
        return !scan.found.isEmpty || BinarySecrets(bytes).places > 0 || !rules.patterns(in: bytes, 0..<bytes.count).isEmpty
    }

    /// `Access-Control-Allow-Credentials: true` has nothing to hide.
    private static func isFlag(_ value: ArraySlice<UInt8>) -> Bool {
        value.elementsEqual("true".utf8) || value.elementsEqual("false".utf8)
    }

    /// The credentials without the name of their scheme (RFC 9110, section 11.4).
    private func behindScheme(_ value: Range<Int>) -> Range<Int> {
        var index = value.lowerBound
        while index < value.upperBound, text[index].isOfWord { index += 1 }
        guard index < value.upperBound, index > value.lowerBound, text[index].isSpace else { return value }
        while index < value.upperBound, text[index].isSpace { index += 1 }
        return index..<value.upperBound
    }

    /// The values of cookies; the names stay. Of Set-Cookie the attributes stay, too.
    private mutating func takeCookies(_ value: Range<Int>, firstAlone: Bool = false) {
        var start = value.lowerBound
        while start < value.upperBound {
            var end = start
            while end < value.upperBound, text[end] != 0x3b { end += 1 }
            if let sign = text[start..<end].firstIndex(of: 0x3d) {
                hide(trimmed(sign + 1..<end))
            } else {
                hide(trimmed(start..<end))
            }
            if firstAlone {
                if end < value.upperBound { take(end..<value.upperBound, as: .text) }
                return
            }
            start = end + 1
        }
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, text[start].isSpace { start += 1 }
        while end > start, text[end - 1].isSpace { end -= 1 }
        return start..<end
    }

    /// Looks at the target of a request.
    ///
    /// - Parameter isCut: only its beginning is there.
    mutating func takeTarget(_ range: ByteRange, isCut: Bool = false) {
        let target = clamped(range)
        if let first = target.first, text[first] != 0x2f { return takeAuthority(target, isCut: isCut) }
        take(target, as: .target, isCut: isCut)
    }

    /// Looks at a host, perhaps with user and password before it, or at a URL.
    mutating func takeAuthority(_ range: Range<Int>, isCut: Bool = false) {
        var index = range.lowerBound
        var sign: Int?
        while index < range.upperBound, ![0x2f, 0x3f, 0x23].contains(text[index]) {
            if text[index] == 0x40 { sign = index }
            index += 1
        }
        guard let sign, index == range.upperBound || text[index - 1] != 0x3a else { return take(range, as: .target, isCut: isCut) }
        hide(range.lowerBound..<sign)
        take(sign..<range.upperBound, as: .target, isCut: isCut)
    }

    mutating func takeAuthority(_ range: ByteRange) { takeAuthority(clamped(range)) }

    /// Looks at any text.
    mutating func take(_ range: ByteRange) { take(clamped(range), as: .text) }

    private mutating func take(_ range: Range<Int>, as setting: SecretScan.Setting, isCut: Bool = false) {
        guard !range.isEmpty else { return }
        for item in secrets(in: range, as: setting, isCut: isCut).items { found.add(item.range, item.text) }
    }

    private func secrets(in range: Range<Int>, as setting: SecretScan.Setting, isCut: Bool = false) -> Replacements {
        var scan = SecretScan(text, range, as: setting, isCut: isCut, marks: rules.marks)
        _ = scan.scan()
        var here = scan.found
        here.merge(rules.patterns(in: text, range)) { rules.marks.mark(of: text[$0]) }
        return here
    }

    private mutating func hide(_ range: Range<Int>) {
        guard !range.isEmpty, !RedactionMark.isMark(text[range]) else { return }
        found.add(range, rules.marks.mark(of: text[range]))
    }

    /// What reaches outside is left out.
    private func clamped(_ range: ByteRange) -> Range<Int> {
        let start = min(max(0, range.start), text.count)
        return start..<start + min(max(0, range.count), text.count - start)
    }
}
