import Dissection
import Reports

/// What the values of a field are, which says what they can be compared with.
enum ValueType: Sendable {
    /// Whole numbers from the least to the most; some have names, by which they can be called too.
    case integer(least: UInt64, most: UInt64, names: [(name: String, value: UInt64)] = [])
    /// Spans of time.
    case seconds
    /// Decimals.
    case real
    /// Moments.
    case time
    case boolean
    case text
    case bytes
    /// Words of a fixed set; in order where one can be more than another.
    case word([String], isOrdered: Bool = false)
    case address(IPAddress.Family?)
    /// Runs of numbers, of which a number may be one: packets.
    case range
    /// Whatever a payload says: numbers, texts, flags.
    case anything

    /// What people call it.
    var name: String {
        switch self {
        case .integer: "a whole number"
        case .seconds: "a number of seconds"
        case .real: "a number"
        case .time: "a time"
        case .boolean: "true or false"
        case .text: "text"
        case .bytes: "bytes"
        case .word: "a word"
        case .address(.ipv4): "an IPv4 address"
        case .address(.ipv6): "an IPv6 address"
        case .address: "an address"
        case .range: "numbers of packets"
        case .anything: "whatever the payload says"
        }
    }

    /// Whether its values have bytes of which a part can be taken, and in which something can be looked for.
    var hasBytes: Bool {
        switch self {
        case .text, .bytes, .anything: true
        case .word, .integer, .seconds, .real, .time, .boolean, .address, .range: false
        }
    }

    /// Whether values of both can be compared with each other.
    func isComparable(with other: ValueType) -> Bool {
        switch (self, other) {
        case (.anything, _), (_, .anything): true
        case (.text, .bytes), (.bytes, .text), (.text, .text), (.bytes, .bytes), (.word, .word), (.word, .text), (.text, .word): true
        case (.address(let left), .address(let right)): left == nil || right == nil || left == right
        case (.boolean, .boolean), (.time, .time), (.range, .range), (.range, .integer), (.integer, .range): true
        case (.integer, .integer), (.integer, .real), (.real, .integer), (.real, .real), (.seconds, .seconds): true
        case (.seconds, .integer), (.integer, .seconds), (.seconds, .real), (.real, .seconds): true
        case _: false
        }
    }

    /// That of a row of the field table.
    init(_ field: Field) {
        switch field.type {
        case .integer(let least, let most): self = .integer(least: least, most: most)
        case .seconds: self = .seconds
        case .fraction: self = .real
        case .boolean, .flag: self = .boolean
        case .text, .headers, .names, .counts, .object, .objects: self = .text
        // In records they are written as text; here they are what is written so.
        case .pattern: self = ["id", "notBefore", "notAfter", "sha256"].contains(field.name) ? .text : .bytes
        case .word(let words):
            if case .severity = words { self = .word(words.all, isOrdered: true) } else { self = .word(words.all) }
        case .time: self = .time
        case .packets: self = .range
        case .opcode: self = .integer(least: 0, most: 15, names: ValueType.opcodes)
        case .wordOrNumber: self = .integer(least: 0, most: 255, names: ValueType.contentTypes)
        case .payload: self = .bytes
        }
    }

    /// Opcodes of WebSocket frames (RFC 6455, section 11.8).
    static let opcodes: [(name: String, value: UInt64)] = [
        ("continuation", 0), ("text", 1), ("binary", 2), ("close", 8), ("ping", 9), ("pong", 10),
    ]

    private static let contentTypes: [(name: String, value: UInt64)] = (UInt8.min ... .max).compactMap { value in
        TLSContentType.name(value).map { ("\($0)", UInt64(value)) }
    }
}
