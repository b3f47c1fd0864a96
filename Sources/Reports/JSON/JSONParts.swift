import Dissection

/// The members of one JSON object, or the elements of one array, as ranges of the bytes that have it.
struct JSONParts {
    /// Names between their quotes; empty ranges in an array.
    private(set) var parts: [(name: Range<Int>, value: Range<Int>)] = []
    /// After the last byte of it.
    private(set) var end = 0

    private static let most = 1_000

    /// - Returns: nil where the bytes from `start` on do not begin with a whole one, or it has more than 1,000 parts.
    init?(_ bytes: RawSpan, from start: Int = 0, isArray: Bool = false) {
        var cursor = JSONCursor(bytes, at: start)
        guard cursor.take(isArray ? UInt8(ascii: "[") : UInt8(ascii: "{")) else { return nil }
        let close = isArray ? UInt8(ascii: "]") : UInt8(ascii: "}")
        if !cursor.take(close) {
            repeat {
                var name = 0..<0
                if !isArray {
                    guard let found = cursor.string(), cursor.take(UInt8(ascii: ":")) else { return nil }
                    name = found
                }
                guard parts.count < Self.most, let value = cursor.value() else { return nil }
                parts.append((name, value))
            } while cursor.take(UInt8(ascii: ","))
            guard cursor.take(close) else { return nil }
        }
        end = cursor.position
    }

    /// Why the bytes from `start` on are none that can be read here, where they are not. They are walked once more, so linear as well.
    static func problem(_ bytes: RawSpan, from start: Int = 0, isArray: Bool = false) -> StaticString {
        var cursor = JSONCursor(bytes, at: start)
        guard cursor.take(isArray ? UInt8(ascii: "[") : UInt8(ascii: "{")) else { return notWhole }
        var count = 0
        repeat {
            if !isArray { guard cursor.string() != nil, cursor.take(UInt8(ascii: ":")) else { return notWhole } }
            guard cursor.value() != nil else { return cursor.isTooDeep ? PayloadBounds.tooDeep : notWhole }
            count += 1
            if count > most { return "it has more than 1000 members" }
        } while cursor.take(UInt8(ascii: ","))
        return notWhole
    }

    static let notWhole: StaticString = "its JSON is not valid or not whole"

    /// Whether nothing but blanks follows it.
    func isAll(of bytes: RawSpan) -> Bool {
        var cursor = JSONCursor(bytes, at: end)
        return cursor.isAtEnd()
    }

    /// Where the value of a member lies; of several with one name, the last.
    func value(_ name: StaticString, in bytes: RawSpan) -> Range<Int>? {
        parts.last { bytes.extracting($0.name).isEqual(name.bytes) }?.value
    }

    /// The content of a member that is a string, as it is written.
    func string(_ name: StaticString, in bytes: RawSpan) -> [UInt8]? {
        guard let range = value(name, in: bytes), range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        return bytes.extracting(range.lowerBound + 1..<range.upperBound - 1).copy
    }

    /// Its value as it is written.
    func raw(_ name: StaticString, in bytes: RawSpan) -> [UInt8]? { value(name, in: bytes).map { bytes.extracting($0).copy } }
}
