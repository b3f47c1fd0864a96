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
        guard read(bytes, from: start, isArray: isArray) == nil else { return nil }
    }

    /// Why the bytes from `start` on are none that can be read here, where they are not. They are walked once more, so linear as well.
    static func problem(_ bytes: RawSpan, from start: Int = 0, isArray: Bool = false) -> StaticString {
        var parts = JSONParts()
        return parts.read(bytes, from: start, isArray: isArray) ?? notWhole
    }

    private init() {}

    /// - Returns: why it cannot be read.
    private mutating func read(_ bytes: RawSpan, from start: Int, isArray: Bool) -> StaticString? {
        var cursor = JSONCursor(bytes, at: start)
        let (open, close) = isArray ? (UInt8(ascii: "["), UInt8(ascii: "]")) : (UInt8(ascii: "{"), UInt8(ascii: "}"))
        guard cursor.take(open) else { return Self.notWhole }
        if !cursor.take(close) {
            repeat {
                var name = 0..<0
                if !isArray {
                    guard let found = cursor.string(), cursor.take(UInt8(ascii: ":")) else { return Self.notWhole }
                    name = found
                }
                guard let value = cursor.value() else { return cursor.isTooDeep ? PayloadBounds.tooDeep : Self.notWhole }
                guard parts.count < Self.most else { return "it has more than 1000 members" }
                parts.append((name, value))
            } while cursor.take(UInt8(ascii: ","))
            guard cursor.take(close) else { return Self.notWhole }
        }
        end = cursor.position
        return nil
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
