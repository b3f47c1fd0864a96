import Dissection
import Reports

/// One value of a field, lent for a call.
enum FieldValue: ~Escapable {
    case number(UInt64)
    case signed(Int64)
    case real(Double)
    /// A span of time in nanoseconds.
    case seconds(Int64)
    /// Nanoseconds since 1970.
    case time(Int64)
    case flag(Bool)
    /// UTF-8.
    case text(RawSpan)
    case bytes(RawSpan)
    /// A word of a fixed set: where it stands there, and what it is.
    case word(Int, RawSpan)
    case address(IPAddress)
    /// All numbers from the first to the second.
    case range(UInt64, UInt64)
    /// JSON's null: it is there and says nothing.
    case nothing

    /// The bytes of a text, a word, or bytes; nil of what has none.
    var span: RawSpan? {
        @_lifetime(copy self)
        get {
            switch self {
            case .text(let span), .bytes(let span), .word(_, let span): span
            case .number, .signed, .real, .seconds, .time, .flag, .address, .range, .nothing: nil
            }
        }
    }

    /// A number that can be compared with others; spans of time count seconds.
    var quantity: Quantity? {
        switch self {
        case .number(let value): .whole(Int128(value))
        case .signed(let value): .whole(Int128(value))
        case .real(let value): .real(value)
        case .seconds(let value), .time(let value): .billionths(value)
        case .flag, .text, .bytes, .word, .address, .range, .nothing: nil
        }
    }

    /// As text, for `string()` and regular expressions.
    var written: [UInt8] {
        switch self {
        case .number(let value): Array(String(value).utf8)
        case .signed(let value): Array(String(value).utf8)
        case .real(let value): Array("\(value)".utf8)
        case .seconds(let value), .time(let value): secondsText(value)
        case .flag(let value): Array((value ? "true" : "false").utf8)
        case .text(let span), .bytes(let span), .word(_, let span): span.copy
        case .address(let address): Array(address.literal.utf8)
        case .range(let low, let high): Array((low == high ? "\(low)" : "\(low)-\(high)").utf8)
        case .nothing: Array("null".utf8)
        }
    }
}
