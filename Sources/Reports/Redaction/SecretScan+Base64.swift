import Dissection

// Values in base64 and base64url (RFC 4648), which APIs put into members of JSON, fields of forms and headers.
//
// ```
// {"config":"eyJwYXNzd29yZCI6Imh1bnRlcjIifQ=="}
//            {"password":"hunter2"}               the text that it stands for has a secret
// {"config":"⟨redacted:1f3a02⟩"}                  so it is hidden whole: a mark in the middle of base64 would be no base64
// ```

extension SecretScan {
    /// Shorter ones have no room for a name and a secret: `{"pin":"1234"}` has 20 letters.
    static let shortestEncoded = 16
    /// Letters of one value that are looked into.
    static let mostEncoded = 1 << 20

    /// Hides a value in base64 that begins at a byte, where its text has a secret. Base64 in that text is not looked into.
    ///
    /// Each letter is looked at once: no value begins inside of another.
    ///
    /// - Returns: nil where there is none, or it has no secret.
    mutating func encodedValue(at first: Int) -> Step? {
        guard !isDecoded, let start = startOfEncoded(first), !isShort(start) else { return nil }
        var decoding = EncodedText()
        var place = start
        while place < end, decoding.letters < Self.mostEncoded, let (digit, length) = letter(at: place) {
            guard decoding.take(digit) else {
                count(place - start)
                return nil
            }
            place += length
        }
        count(place - start)
        let isBounded = decoding.letters == Self.mostEncoded
        let isOpen = !isLast && !isBounded && (place == end || end - place < 6 && (text[place] == 0x5c || text[place] == 0x25))
        if isOpen, place - start <= SecretScan.mostHeld {
            let isPlausible = decoding.letters >= 4 ? decoding.isText : first > bounds.lowerBound && text[first - 1].isQuote
            return isPlausible ? .more(from: first, told: first) : nil
        }
        guard decoding.letters >= Self.shortestEncoded, decoding.isText else { return nil }
        var inner = SecretScan(decoding.bytes, isCut: isOpen || isBounded || isCut && place == end, marks: marks)
        inner.isDecoded = true
        _ = inner.scan()
        count(inner.steps)
        guard !inner.found.isEmpty else { return nil }
        // With its padding, and what is beyond the bound.
        let body = place
        while place < end {
            if text[place].isOfToken {
                place += 1
            } else if let (_, length) = letter(at: place) ?? padding(at: place) {
                place += length
            } else {
                break
            }
        }
        count(place - body)
        add(start..<place)
        guard place == end, !isLast else { return .on(place) }
        var rest = ValueEnd(.word)
        rest.isMarked = true
        return .inside(rest, place)
    }

    /// The first letter of the value that may begin at a word; nil where the word goes on from letters before it.
    private func startOfEncoded(_ first: Int) -> Int? {
        guard first > bounds.lowerBound else { return first }
        switch text[first - 1] {
        // `+`, `/`, `%2B`
        case 0x2b, 0x2f, 0x25: return nil
        // A line end or a tab that is escaped stands before it; `\u002b` is a letter.
        case 0x5c: return [0x6e, 0x72, 0x74].contains(text[first]) ? first + 1 : nil
        case _: return first
        }
    }

    /// Whether fewer letters stand here than a value has, and then a byte that is none, however it is written.
    private mutating func isShort(_ start: Int) -> Bool {
        let most = min(end, start + Self.shortestEncoded)
        let kinds = ByteKinds.all
        var place = start
        while place < most, kinds[text[place]].isLetterOfBase64 { place += 1 }
        count(place - start)
        return place < most && text[place] != 0x25 && text[place] != 0x5c
    }

    /// The digit that stands here, and how many bytes it takes: `+` and `/` may be escaped, as in JSON of PHP (`\/`) and .NET (`\u002B`), or
    /// percent-encoded.
    private func letter(at index: Int) -> (digit: UInt8, length: Int)? {
        switch text[index] {
        case 0x25:
            isLine(index, "%2B") || isLine(index, "%2b") ? (62, 3) : isLine(index, "%2F") || isLine(index, "%2f") ? (63, 3) : nil
        case 0x5c:
            if isLine(index, "\\/") {
                (63, 2)
            } else if isLine(index, "\\u002") {
                isLine(index + 5, "B") || isLine(index + 5, "b")
                    ? (62, 6) : isLine(index + 5, "F") || isLine(index + 5, "f") ? (63, 6) : nil
            } else {
                nil
            }
        case let byte: byte.base64Digit.map { ($0, 1) }
        }
    }

    /// `=` as .NET escapes it; as it is, and percent-encoded, it is of a token.
    private func padding(at index: Int) -> (digit: UInt8, length: Int)? {
        isLine(index, "\\u003d") || isLine(index, "\\u003D") ? (0, 6) : nil
    }
}

/// What base64 stands for, as long as it is text: pictures and keys are not looked into, since bytes at random look like a name and a sign soon.
struct EncodedText {
    private(set) var bytes: [UInt8] = []
    private(set) var letters = 0
    private var bits: UInt32 = 0
    private var hasOthers = false

    /// Takes a digit. False where a byte is none of text.
    mutating func take(_ digit: UInt8) -> Bool {
        letters += 1
        bits = bits << 6 | UInt32(digit)
        // The first digit of four ends no byte.
        guard letters % 4 != 1 else { return true }
        let shift = UInt32(2 * (4 - (letters - 1) % 4 - 1))
        let byte = UInt8(truncatingIfNeeded: bits >> shift)
        guard byte >= 0x20 && byte != 0x7f || byte.isSpace else { return false }
        if byte >= 0x80 { hasOthers = true }
        bytes.append(byte)
        return true
    }

    /// Whether the bytes are UTF-8, of which the last character may be cut.
    var isText: Bool {
        guard hasOthers else { return true }
        var validator = UTF8Validator()
        return validator.check(bytes.rawBytes) == nil
    }
}

extension UInt8 {
    /// The digit of base64 or base64url that it stands for.
    var base64Digit: UInt8? {
        switch self {
        case 0x41...0x5a: self - 0x41
        case 0x61...0x7a: self - 0x47
        case 0x30...0x39: self + 4
        case 0x2b, 0x2d: 62
        case 0x2f, 0x5f: 63
        case _: nil
        }
    }

    fileprivate var isQuote: Bool { self == 0x22 || self == 0x27 }
}
