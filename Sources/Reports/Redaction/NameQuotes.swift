/// Quotes around a name or a value, and how they are written.
enum NameQuotes: Hashable {
    case plain(level: Int, UInt8)
    /// `\u0022`, behind so many backslashes.
    case escaped(level: Int)
    /// `%22`.
    case encoded
    /// `&quot;` or `&#34;`, as HTML and XML have it.
    case entity

    static let entities: [StaticString] = ["&quot;", "&#34;"]

    /// How a string of this kind ends.
    var kind: ValueEnd.Kind {
        switch self {
        case .plain(let level, let quote): .quoted(by: quote, level: level)
        case .escaped(let level): .escapedQuote(level: level)
        case .encoded: .encodedQuote
        case .entity: .entityQuote
        }
    }

    /// How a quote is written.
    var text: [UInt8] {
        switch self {
        case .plain(let level, let quote): [UInt8](repeating: 0x5c, count: level) + [quote]
        case .escaped(let level): [UInt8](repeating: 0x5c, count: level) + Array("u0022".utf8)
        case .encoded: Array("%22".utf8)
        case .entity: Array("&quot;".utf8)
        }
    }

    /// Backslashes before it, as `ValueEnd` counts them.
    var level: Int {
        switch self {
        case .plain(let level, _): level
        case .escaped: -1
        case .encoded: 0
        case .entity: -2
        }
    }
}
