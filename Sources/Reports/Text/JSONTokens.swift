import Dissection

/// The tokens of a JSON text (RFC 8259), as ranges of its bytes: numbers, escapes and keys stay as they came.
struct JSONTokens: ~Escapable {
    enum Kind { case openObject, closeObject, openArray, closeArray, comma, colon, string, scalar }

    struct Token {
        var kind: Kind
        var range: Range<Int>

        var opens: Bool { kind == .openObject || kind == .openArray }
        var closes: Bool { kind == .closeObject || kind == .closeArray }
    }

    private let bytes: RawSpan
    private var place = 0

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    /// Whether bytes are one object or array of JSON, no deeper than a `JSONCursor` goes, and nothing after it.
    static func isDocument(_ bytes: RawSpan) -> Bool {
        enum Wanted { case value, valueOrEnd, key, keyOrEnd, colon, commaOrEnd }
        var tokens = JSONTokens(bytes)
        // One bit for each container that is open: whether it is an object.
        var (objects, depth, wanted): (UInt128, Int, Wanted) = (0, 0, .value)
        while let token = tokens.next() {
            switch (token.kind, wanted) {
            case (.openObject, .value), (.openObject, .valueOrEnd), (.openArray, .value), (.openArray, .valueOrEnd):
                guard depth < JSONCursor.mostLevels else { return false }
                depth += 1
                objects = objects << 1 | (token.kind == .openObject ? 1 : 0)
                wanted = token.kind == .openObject ? .keyOrEnd : .valueOrEnd
            case (.string, .value), (.string, .valueOrEnd), (.scalar, .value), (.scalar, .valueOrEnd):
                guard depth > 0 else { return false }
                wanted = .commaOrEnd
            case (.string, .key), (.string, .keyOrEnd): wanted = .colon
            case (.colon, .colon): wanted = .value
            case (.comma, .commaOrEnd): wanted = objects & 1 == 1 ? .key : .value
            case (.closeObject, .keyOrEnd), (.closeObject, .commaOrEnd), (.closeArray, .valueOrEnd), (.closeArray, .commaOrEnd):
                guard objects & 1 == (token.kind == .closeObject ? 1 : 0) else { return false }
                objects >>= 1
                depth -= 1
                guard depth == 0 else {
                    wanted = .commaOrEnd
                    continue
                }
                tokens.skipBlanks()
                return tokens.place == bytes.byteCount
            default: return false
            }
        }
        return false
    }

    /// The next token; nil at the end, and where no token begins.
    mutating func next() -> Token? {
        skipBlanks()
        guard place < bytes.byteCount else { return nil }
        let start = place
        let kind: Kind
        switch bytes[place] {
        case UInt8(ascii: "{"): kind = .openObject
        case UInt8(ascii: "}"): kind = .closeObject
        case UInt8(ascii: "["): kind = .openArray
        case UInt8(ascii: "]"): kind = .closeArray
        case UInt8(ascii: ","): kind = .comma
        case UInt8(ascii: ":"): kind = .colon
        case UInt8(ascii: "\""):
            guard let end = endOfString(from: start + 1) else { return nil }
            place = end
            return Token(kind: .string, range: start..<end)
        default:
            var end = start
            while end < bytes.byteCount, bytes[end].isInScalar { end += 1 }
            let scalar = bytes.extracting(start..<end)
            guard scalar.isJSONLiteral || scalar.isJSONNumber else { return nil }
            place = end
            return Token(kind: .scalar, range: start..<end)
        }
        place += 1
        return Token(kind: kind, range: start..<place)
    }

    private mutating func skipBlanks() {
        while place < bytes.byteCount, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[place]) { place += 1 }
    }

    /// After the closing quote; nil where there is none, or a control or an unknown escape before it.
    private func endOfString(from start: Int) -> Int? {
        var place = start
        while place < bytes.byteCount {
            switch bytes[place] {
            case UInt8(ascii: "\""): return place + 1
            case ..<0x20: return nil
            case UInt8(ascii: "\\"):
                guard place + 1 < bytes.byteCount, "\"\\/bfnrtu".utf8.contains(bytes[place + 1]) else { return nil }
                place += 2
            default: place += 1
            }
        }
        return nil
    }
}

extension UInt8 {
    /// Whether it may be in a number, or in `true`, `false` and `null`.
    fileprivate var isInScalar: Bool {
        isDigit || UInt8(ascii: "a")...UInt8(ascii: "z") ~= self || self == UInt8(ascii: "-") || self == UInt8(ascii: "+")
            || self == UInt8(ascii: ".") || self == UInt8(ascii: "E")
    }
}

extension RawSpan {
    fileprivate var isJSONLiteral: Bool {
        for word in ["true", "false", "null"] as [StaticString] where isEqual(word.bytes) { return true }
        return false
    }

    /// Whether the bytes are a number (RFC 8259, section 6).
    fileprivate var isJSONNumber: Bool {
        var place = 0
        func digits() -> Int {
            var end = place
            while end < byteCount, self[end].isDigit { end += 1 }
            return end - place
        }
        if place < byteCount, self[place] == UInt8(ascii: "-") { place += 1 }
        let whole = digits()
        guard whole > 0, whole == 1 || self[place] != UInt8(ascii: "0") else { return false }
        place += whole
        if place < byteCount, self[place] == UInt8(ascii: ".") {
            place += 1
            let fraction = digits()
            guard fraction > 0 else { return false }
            place += fraction
        }
        if place < byteCount, self[place] | 0x20 == UInt8(ascii: "e") {
            place += 1
            if place < byteCount, self[place] == UInt8(ascii: "-") || self[place] == UInt8(ascii: "+") { place += 1 }
            let exponent = digits()
            guard exponent > 0 else { return false }
            place += exponent
        }
        return place == byteCount
    }
}
