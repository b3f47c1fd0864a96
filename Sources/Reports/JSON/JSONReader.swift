import Dissection

/// Makes values of one JSON text, which a `JSONCursor` walks, to its depth: records nest four levels, and what is not wanted is passed over.
struct JSONReader: ~Escapable {
    enum Problem: Error {
        case syntax(Int)
        case size

        var words: String {
            switch self {
            case .syntax(let position): "it is not valid JSON at its byte \(position), or nested too deep"
            case .size: "it has more values than a record can have"
            }
        }
    }

    private var cursor: JSONCursor
    private var values = 0
    /// Three for each of the header fields that fit in a head, and more.
    private static let mostValues = 200_000
    /// Nothing is made of arrays and objects below this many levels.
    private let mostLevels: Int
    /// Whether something is made of a member of the outermost object; the others are passed over.
    private let isWanted: ([UInt8]) -> Bool

    /// - Parameter mostLevels: what lies deeper is passed over, and stands as null.
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, mostLevels: Int = JSONCursor.mostLevels, isWanted: @escaping ([UInt8]) -> Bool = { _ in true }) {
        cursor = JSONCursor(bytes)
        self.mostLevels = min(mostLevels, JSONCursor.mostLevels)
        self.isWanted = isWanted
    }

    /// The one value that the text is.
    mutating func whole() throws(Problem) -> JSONValue {
        let value = try value(depth: 0)
        guard cursor.isAtEnd() else { throw .syntax(cursor.position) }
        return value
    }

    private mutating func value(depth: Int) throws(Problem) -> JSONValue {
        guard values < Self.mostValues else { throw .size }
        values += 1
        cursor.skipBlanks()
        if depth >= mostLevels, cursor.current == UInt8(ascii: "{") || cursor.current == UInt8(ascii: "[") {
            guard cursor.value() != nil else { throw .syntax(cursor.position) }
            return .null
        }
        switch cursor.current {
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try elements(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case let first:
            guard let range = cursor.value() else { throw .syntax(cursor.position) }
            switch first {
            case UInt8(ascii: "t"): return .boolean(true)
            case UInt8(ascii: "f"): return .boolean(false)
            case UInt8(ascii: "n"): return .null
            case _: return .number(cursor.bytes.extracting(range).copy)
            }
        }
    }

    private mutating func members(depth: Int) throws(Problem) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        _ = cursor.take(UInt8(ascii: "{"))
        if cursor.take(UInt8(ascii: "}")) { return members }
        repeat {
            let name = try string()
            guard cursor.take(UInt8(ascii: ":")) else { throw .syntax(cursor.position) }
            if depth == 0, !isWanted(name) {
                guard cursor.value() != nil else { throw .syntax(cursor.position) }
            } else {
                members.append(JSONValue.Member(name: name, value: try value(depth: depth + 1)))
            }
        } while cursor.take(UInt8(ascii: ","))
        guard cursor.take(UInt8(ascii: "}")) else { throw .syntax(cursor.position) }
        return members
    }

    private mutating func elements(depth: Int) throws(Problem) -> [JSONValue] {
        var elements: [JSONValue] = []
        _ = cursor.take(UInt8(ascii: "["))
        if cursor.take(UInt8(ascii: "]")) { return elements }
        repeat { elements.append(try value(depth: depth + 1)) } while cursor.take(UInt8(ascii: ","))
        guard cursor.take(UInt8(ascii: "]")) else { throw .syntax(cursor.position) }
        return elements
    }

    private mutating func string() throws(Problem) -> [UInt8] {
        guard let range = cursor.string() else { throw .syntax(cursor.position) }
        return cursor.bytes.extracting(range).unescapedJSON
    }
}

extension RawSpan {
    /// What the content of a JSON string stands for, whose escapes are valid (RFC 8259, section 7). Half of a surrogate pair stands for no
    /// character.
    package var unescapedJSON: [UInt8] {
        var text: [UInt8] = []
        var position = 0
        while position < byteCount {
            let start = position
            while position < byteCount, self[position] != UInt8(ascii: "\\") { position += 1 }
            text.append(copying: extracting(start..<position))
            guard position + 1 < byteCount else { break }
            let letter = self[position + 1]
            position += 2
            switch letter {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0c)
            case UInt8(ascii: "n"): text.append(0x0a)
            case UInt8(ascii: "r"): text.append(0x0d)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"): text.append(contentsOf: String(Character(character(at: &position))).utf8)
            case _: text.append(letter)
            }
        }
        return text
    }

    /// The character of the four hexadecimal digits at `position`, or of two such escapes in a row.
    private func character(at position: inout Int) -> Unicode.Scalar {
        func unit(at place: Int) -> UInt32? {
            byteCount - place >= 4 ? UInt16(hexadecimal: extracting(place..<place + 4)).map(UInt32.init) : nil
        }
        guard let high = unit(at: position) else { return "\u{fffd}" }
        position += 4
        guard (0xd800..<0xdc00).contains(high) else { return Unicode.Scalar(high) ?? "\u{fffd}" }
        guard suffix(from: position).begins("\\u"), let low = unit(at: position + 2), (0xdc00..<0xe000).contains(low) else {
            return "\u{fffd}"
        }
        position += 6
        return Unicode.Scalar(0x10000 + (high - 0xd800) << 10 + (low - 0xdc00)) ?? "\u{fffd}"
    }
}
