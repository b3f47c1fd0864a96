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
