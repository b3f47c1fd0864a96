/// Values of RESP 2 and 3 (redis.io, "Redis serialization protocol specification"), each with all that it holds, and inline commands.
///
/// What is nested is counted, not followed: the number of values that are still to come is enough to find the end.
///
/// ```
/// *2\r\n$3\r\nGET\r\n$1\r\na\r\n │ $5\r\nhello\r\n │ +OK\r\n │
/// ```
struct RedisCutter: CuttingMachine {
    private enum Phase {
        case type
        /// Up to the end of the line, which says nothing here.
        case line
        /// The number of a line that begins with this type.
        case number(UInt8)
        case bulk(UInt64)
    }

    private static let mostBulk: UInt64 = 512 << 20
    private static let mostValues: UInt64 = 1 << 32

    private var phase = Phase.type
    /// Values that are still to come, the one under way included.
    private var left: UInt64 = 1
    private var number: UInt64 = 0
    private var digits = 0
    private var isNegative = false
    private var isFirst = true
    /// Bytes of the run that were looked at when the message broke.
    private(set) var lookedAt = 0

    mutating func advance(over bytes: RawSpan) -> Cut {
        var position = 0
        while position < bytes.byteCount {
            if case .bulk(let missing) = phase {
                let rest = UInt64(bytes.byteCount - position)
                guard rest >= missing else {
                    phase = .bulk(missing - rest)
                    return .inside
                }
                position += Int(missing)
                if endValue() { return .ends(position) }
                continue
            }
            let byte = bytes[position]
            position += 1
            lookedAt = position
            switch phase {
            case .type: guard begin(byte) else { return .broken(.malformed) }
            case .line: if byte == 0x0A, endValue() { return .ends(position) }
            case .number(let type):
                if byte == 0x0A {
                    guard digits > 0, let isOver = endNumber(type) else { return .broken(.malformed) }
                    if isOver { return .ends(position) }
                } else if byte == UInt8(ascii: "-"), digits == 0, !isNegative {
                    isNegative = true
                } else if (0x30...0x39).contains(byte), digits < 18 {
                    digits += 1
                    number = number * 10 + UInt64(byte - 0x30)
                } else if byte != 0x0D {
                    return .broken(.malformed)
                }
            case .bulk: break
            }
        }
        return .inside
    }

    private mutating func begin(_ type: UInt8) -> Bool {
        defer { isFirst = false }
        switch type {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "#"), UInt8(ascii: ","), UInt8(ascii: "("),
            UInt8(ascii: "_"):
            phase = .line
        case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "="), UInt8(ascii: "*"), UInt8(ascii: "~"), UInt8(ascii: ">"),
            UInt8(ascii: "%"), UInt8(ascii: "|"):
            phase = .number(type)
            (number, digits, isNegative) = (0, 0, false)
        // An inline command.
        case 0x41...0x5A where isFirst, 0x61...0x7A where isFirst: phase = .line
        case _: return false
        }
        return true
    }

    /// The value that was under way is over. Whether the message is.
    private mutating func endValue() -> Bool {
        left -= 1
        phase = .type
        return left == 0
    }

    /// The number of a line is read: whether the message is over; nil where it cannot be.
    private mutating func endNumber(_ type: UInt8) -> Bool? {
        switch type {
        case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "="):
            if isNegative { return endValue() }
            guard number <= Self.mostBulk else { return nil }
            phase = .bulk(number + 2)
            return false
        case _:
            if isNegative { return endValue() }
            let isOfPairs = type == UInt8(ascii: "%") || type == UInt8(ascii: "|")
            guard number <= Self.mostValues, left <= Self.mostValues else { return nil }
            left += isOfPairs ? number * 2 : number
            // Attributes come before the value that they are about.
            if type == UInt8(ascii: "|") { left += 1 }
            return endValue()
        }
    }
}
