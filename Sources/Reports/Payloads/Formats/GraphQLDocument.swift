import Dissection

/// The operations of a GraphQL document (spec.graphql.org, October 2021, section 2.3), as it stands in a JSON string: escapes are not undone.
///
/// Only what stands outside of braces, parentheses, strings and comments is looked at; each byte once.
struct GraphQLDocument {
    /// Kind and name of each operation, in order; at most 64.
    private(set) var operations: [(kind: String, name: [UInt8])] = []

    private static let most = 64

    init(_ text: [UInt8]) {
        var (depth, index) = (0, 0)
        var words: [[UInt8]] = []
        func isNamePart(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "_") || byte.isDigit || (0x61...0x7a).contains(byte | 0x20)
        }
        while index < text.count, operations.count < Self.most {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "\\"):
                // A quotation mark stands as \", a line break as \n; three marks are a block string, whose end is looked for like any other.
                if index + 1 < text.count, text[index + 1] == UInt8(ascii: "\"") {
                    index = Self.endOfString(text, from: index + 2)
                } else {
                    index += 2
                }
            case UInt8(ascii: "#"): index = Self.endOfLine(text, from: index + 1)
            case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["):
                if depth == 0, byte == UInt8(ascii: "{") {
                    note(words)
                    words = []
                }
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: "]"):
                depth = max(0, depth - 1)
                index += 1
            case _ where isNamePart(byte):
                let start = index
                while index < text.count, isNamePart(text[index]) { index += 1 }
                if depth == 0, words.count < 3 { words.append(Array(text[start..<index])) }
            case _:
                // Directives come after the name.
                if depth == 0, byte == UInt8(ascii: "@"), words.count < 3 { words.append([]) }
                index += 1
            }
        }
    }

    /// The operation that a request means: the one that it names, else the first.
    func operation(named name: [UInt8]?) -> (kind: String, name: [UInt8]) {
        if let name, let named = operations.first(where: { $0.name == name }) { return named }
        return operations.first ?? ("query", [])
    }

    /// A selection begins after these words.
    private mutating func note(_ words: [[UInt8]]) {
        let kind = words.first.map { String(decoding: $0, as: UTF8.self) } ?? "query"
        guard ["query", "mutation", "subscription"].contains(kind) else { return }
        operations.append((kind, words.count > 1 ? words[1] : []))
    }

    /// After the \" that ends a string. One that is escaped in it stands as \\\".
    private static func endOfString(_ text: [UInt8], from start: Int) -> Int {
        var index = start
        while index + 1 < text.count {
            if text[index] != UInt8(ascii: "\\") {
                index += 1
            } else if text[index + 1] == UInt8(ascii: "\"") {
                return index + 2
            } else if text[index + 1] == UInt8(ascii: "\\") {
                // What is escaped in GraphQL: two bytes for the backslash, and one or two for what it escapes.
                index += index + 2 < text.count && text[index + 2] == UInt8(ascii: "\\") ? 4 : 3
            } else {
                index += 2
            }
        }
        return text.count
    }

    /// At the \n or \r that ends a comment.
    private static func endOfLine(_ text: [UInt8], from start: Int) -> Int {
        var index = start
        while index + 1 < text.count {
            if text[index] == UInt8(ascii: "\\") {
                if text[index + 1] == UInt8(ascii: "n") || text[index + 1] == UInt8(ascii: "r") { return index }
                index += 1
            }
            index += 1
        }
        return text.count
    }
}
