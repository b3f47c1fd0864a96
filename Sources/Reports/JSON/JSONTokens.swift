import Dissection

/// The tokens of a JSON text (RFC 8259) that is known to be valid, as ranges of its bytes: numbers, escapes and keys stay as they came.
struct JSONTokens: ~Escapable {
    enum Kind { case openObject, closeObject, openArray, closeArray, comma, colon, string, scalar }

    struct Token {
        var kind: Kind
        var range: Range<Int>

        var opens: Bool { kind == .openObject || kind == .openArray }
        var closes: Bool { kind == .closeObject || kind == .closeArray }
    }

    private var cursor: JSONCursor

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { cursor = JSONCursor(bytes) }

    /// Whether bytes are one object or array of JSON, no deeper than a `JSONCursor` goes, and nothing after it.
    static func isDocument(_ bytes: RawSpan) -> Bool {
        var cursor = JSONCursor(bytes)
        cursor.skipBlanks()
        guard cursor.current == UInt8(ascii: "{") || cursor.current == UInt8(ascii: "[") else { return false }
        return cursor.value() != nil && cursor.isAtEnd()
    }

    /// The next token; nil at the end, and where no token begins.
    mutating func next() -> Token? {
        cursor.skipBlanks()
        guard let byte = cursor.current else { return nil }
        let kind: Kind
        switch byte {
        case UInt8(ascii: "{"): kind = .openObject
        case UInt8(ascii: "}"): kind = .closeObject
        case UInt8(ascii: "["): kind = .openArray
        case UInt8(ascii: "]"): kind = .closeArray
        case UInt8(ascii: ","): kind = .comma
        case UInt8(ascii: ":"): kind = .colon
        case _: return cursor.value().map { Token(kind: byte == UInt8(ascii: "\"") ? .string : .scalar, range: $0) }
        }
        _ = cursor.take(byte)
        return Token(kind: kind, range: cursor.position - 1..<cursor.position)
    }
}
