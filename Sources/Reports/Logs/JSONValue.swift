import Dissection

/// One value of JSON (RFC 8259), as a record has them. Strings are bytes: nothing is lost by what is not valid in them.
indirect enum JSONValue: Sendable {
    struct Member: Sendable {
        var name: [UInt8]
        var value: JSONValue
    }

    case null
    case boolean(Bool)
    /// As it is written.
    case number([UInt8])
    case string([UInt8])
    case array([JSONValue])
    case object([Member])

    /// The value of a member of an object; of several with one name, the last.
    subscript(_ name: StaticString) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name.rawBytes.isEqual(name.bytes) }?.value
    }

    var string: [UInt8]? { if case .string(let bytes) = self { bytes } else { nil } }

    var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

    var elements: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

    /// A whole number from 0 to 2^64 - 1.
    var unsigned: UInt64? {
        guard case .number(let digits) = self else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }

    /// A number of seconds, as nanoseconds.
    var nanoseconds: Int64? {
        guard case .number(let text) = self else { return nil }
        var digits = text[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        // A program in between may have written 0.000000001 as 1e-09.
        if digits.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            guard let value = Double(String(decoding: text, as: UTF8.self)), (value * 1e9).magnitude < 9.2e18 else { return nil }
            return Int64((value * 1e9).rounded())
        }
        let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 2, let seconds = Int64(String(decoding: parts[0], as: UTF8.self)) else { return nil }
        var fraction: Int64 = 0
        for place in 0..<9 {
            let digit = parts.count == 2 && place < parts[1].count ? parts[1][parts[1].startIndex + place] &- 0x30 : 0
            guard digit < 10 else { return nil }
            fraction = fraction * 10 + Int64(digit)
        }
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooMuch) = whole.addingReportingOverflow(fraction)
        return overflow || isTooMuch ? nil : isNegative ? -sum : sum
    }
}

/// Reads one JSON text. Objects and arrays may nest 128 deep: records nest four, and what is decoded of a message is left out here.
struct JSONReader: ~Escapable {
    enum Problem: Error {
        case syntax(Int)
        case depth
        case size

        var words: String {
            switch self {
            case .syntax(let position): "it is not valid JSON at its byte \(position)"
            case .depth: "it is nested too deep"
            case .size: "it has more values than a record can have"
            }
        }
    }

    private let bytes: RawSpan
    private var position = 0
    private var values = 0
    private static let mostDepth = 128
    /// Three for each of the header fields that fit in a head, and more.
    private static let mostValues = 200_000
    /// Members of a record that are passed over, because nothing is made of them.
    private let isWanted: ([UInt8]) -> Bool

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, isWanted: @escaping ([UInt8]) -> Bool = { _ in true }) {
        self.bytes = bytes
        self.isWanted = isWanted
    }

    /// The one value that the text is.
    mutating func whole() throws(Problem) -> JSONValue {
        let value = try value(depth: 0)
        skipBlanks()
        guard position == bytes.byteCount else { throw .syntax(position) }
        return value
    }

    private mutating func skipBlanks() {
        while position < bytes.byteCount, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[position]) { position += 1 }
    }

    private var current: UInt8? { position < bytes.byteCount ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard current == byte else { return false }
        position += 1
        return true
    }

    private mutating func take(word: StaticString) throws(Problem) {
        let word = word.bytes
        guard bytes.byteCount - position >= word.byteCount, bytes.extracting(position..<position + word.byteCount).isEqual(word) else {
            throw .syntax(position)
        }
        position += word.byteCount
    }

    private mutating func value(depth: Int) throws(Problem) -> JSONValue {
        guard depth < Self.mostDepth else { throw .depth }
        guard values < Self.mostValues else { throw .size }
        values += 1
        skipBlanks()
        switch current {
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try elements(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"):
            try take(word: "true")
            return .boolean(true)
        case UInt8(ascii: "f"):
            try take(word: "false")
            return .boolean(false)
        case UInt8(ascii: "n"):
            try take(word: "null")
            return .null
        case _: return .number(try number())
        }
    }

    private mutating func members(depth: Int) throws(Problem) -> [JSONValue.Member] {
        position += 1
        var members: [JSONValue.Member] = []
        if take(UInt8(ascii: "}")) { return members }
        repeat {
            skipBlanks()
            guard current == UInt8(ascii: "\"") else { throw .syntax(position) }
            let name = try string()
            guard take(UInt8(ascii: ":")) else { throw .syntax(position) }
            if depth == 0, !isWanted(name) {
                var cursor = JSONCursor(bytes, at: position)
                guard cursor.value() != nil else { throw .syntax(cursor.position) }
                position = cursor.position
                continue
            }
            guard values < Self.mostValues else { throw .size }
            members.append(JSONValue.Member(name: name, value: try value(depth: depth + 1)))
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw .syntax(position) }
        return members
    }

    private mutating func elements(depth: Int) throws(Problem) -> [JSONValue] {
        position += 1
        var values: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return values }
        repeat { values.append(try value(depth: depth + 1)) } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw .syntax(position) }
        return values
    }

    private mutating func number() throws(Problem) -> [UInt8] {
        let start = position
        while let byte = current, (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte) { position += 1 }
        guard position > start else { throw .syntax(position) }
        return bytes.extracting(start..<position).copy
    }

    private mutating func string() throws(Problem) -> [UInt8] {
        position += 1
        var text: [UInt8] = []
        while true {
            let start = position
            while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
            text.append(copying: bytes.extracting(start..<position))
            switch current {
            case UInt8(ascii: "\""):
                position += 1
                return text
            case UInt8(ascii: "\\"):
                position += 1
                try escape(into: &text)
            case _: throw .syntax(position)
            }
        }
    }

    private mutating func escape(into text: inout [UInt8]) throws(Problem) {
        guard let letter = current else { throw .syntax(position) }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var code = UInt32(try unit())
            if (0xd800..<0xdc00).contains(code), current == UInt8(ascii: "\\"), position + 1 < bytes.byteCount,
                bytes[position + 1] == UInt8(ascii: "u")
            {
                let mark = position
                position += 2
                let low = UInt32(try unit())
                if (0xdc00..<0xe000).contains(low) {
                    code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
                } else {
                    position = mark
                }
            }
            // Half of a pair stands for no character.
            text.append(contentsOf: String(Character(Unicode.Scalar(code) ?? "\u{fffd}")).utf8)
        case _: throw .syntax(position - 1)
        }
    }

    /// Four hexadecimal digits.
    private mutating func unit() throws(Problem) -> UInt16 {
        guard bytes.byteCount - position >= 4, let value = UInt16(hexadecimal: bytes.extracting(position..<position + 4)) else {
            throw .syntax(position)
        }
        position += 4
        return value
    }
}

extension FixedWidthInteger {
    /// A number from hexadecimal digits alone; nil for none, for other bytes and for one that is too large.
    init?(hexadecimal digits: RawSpan) {
        guard !digits.isEmpty, digits.byteCount * 4 <= Self.bitWidth else { return nil }
        var value: Self = 0
        for index in 0..<digits.byteCount {
            let byte = digits[index]
            switch byte {
            case 0x30...0x39: value = value << 4 | Self(byte - 0x30)
            case 0x41...0x46: value = value << 4 | Self(byte - 0x37)
            case 0x61...0x66: value = value << 4 | Self(byte - 0x57)
            default: return nil
            }
        }
        self = value
    }
}
