import Dissection

/// The way to values in JSON: `a.b[0].c`, `['a b']`, `[*]` for every element, `*` for whatever there is, and `..` before what may lie deeper. It
/// may begin with `$`, the whole.
package struct JSONPath: Sendable, Hashable {
    package enum Step: Sendable, Hashable {
        case key([UInt8])
        case index(Int)
        /// Every element.
        case every
        /// Every element or member.
        case anything
    }

    /// Why a text is no path, and at which of its bytes.
    package struct Problem: Error {
        package let position: Int
        package let words: String
    }

    package private(set) var steps: [Step] = []
    /// The steps that may come after any number of others.
    package private(set) var descending: Set<Int> = []

    package init(steps: [Step]) { self.steps = steps }

    /// - Parameter isRooted: it begins with `$`, whatever follows, and may have `..`.
    package init(_ text: [UInt8], isRooted: Bool = false) throws(Problem) {
        let hasRoot = text.first == UInt8(ascii: "$") && (text.count == 1 || [UInt8(ascii: "."), UInt8(ascii: "[")].contains(text[1]))
        var position = isRooted || hasRoot ? 1 : 0
        while position < text.count {
            if text[position] == UInt8(ascii: ".") {
                guard position > 0 else { throw Problem(position: position, words: "a name is missing before a point") }
                position += 1
                if isRooted, position < text.count, text[position] == UInt8(ascii: ".") {
                    descending.insert(steps.count)
                    position += 1
                }
            } else if position > 0, text[position] != UInt8(ascii: "[") {
                throw Problem(position: position, words: "behind a name comes . or [, as in $.user.email or $.items[0]")
            }
            let isBracket = position < text.count && text[position] == UInt8(ascii: "[")
            steps.append(isBracket ? try Self.bracket(text, &position) : try Self.name(text, &position))
        }
    }

    private static func name(_ text: [UInt8], _ position: inout Int) throws(Problem) -> Step {
        let name = text[position...].prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
        guard !name.isEmpty else { throw Problem(position: position, words: "a name is missing behind a point") }
        position = name.endIndex
        return name.elementsEqual("*".utf8) ? .anything : .key(Array(name))
    }

    private static func bracket(_ text: [UInt8], _ position: inout Int) throws(Problem) -> Step {
        let inner = text[(position + 1)...]
        if let quote = inner.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
            let name = inner.dropFirst().prefix { $0 != quote }
            guard text[name.endIndex...].dropFirst().first == UInt8(ascii: "]") else {
                throw Problem(position: position, words: "a bracket is open; names stand in them as ['name']")
            }
            position = name.endIndex + 2
            return .key(Array(name))
        }
        let inside = inner.prefix { $0 != UInt8(ascii: "]") }
        guard inside.endIndex < text.count else { throw Problem(position: position, words: "a bracket is open") }
        position = inside.endIndex + 1
        if inside.elementsEqual("*".utf8) { return .every }
        guard inside.allSatisfy(\.isDigit), let place = Int(String(decoding: inside, as: UTF8.self)) else {
            throw Problem(position: inside.startIndex, words: "in brackets stands a number from 0, * or a name in quotes")
        }
        return .index(place)
    }
}
