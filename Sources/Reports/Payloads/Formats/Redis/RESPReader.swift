import Dissection

/// Makes values of RESP2 and RESP3.
struct RESPReader: ~Escapable {
    private let bytes: RawSpan
    private(set) var position = 0
    /// Why a value is none.
    private(set) var reason: StaticString = "it is not valid RESP, or not whole"
    private var count = 0
    private static let longestText = 4_096

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    /// The line that stands next, without its end.
    private mutating func line() -> Range<Int>? {
        guard let feed = bytes.position(of: 0x0a, from: position), feed > position, bytes[feed - 1] == 0x0d else { return nil }
        defer { position = feed + 1 }
        return position..<feed - 1
    }

    private func number(_ range: Range<Int>) -> DecodedPayload.Value? {
        guard !range.isEmpty else { return nil }
        let isNegative = bytes[range.lowerBound] == UInt8(ascii: "-")
        guard let magnitude = bytes.extracting(range.lowerBound + (isNegative ? 1 : 0)..<range.upperBound).decimal else { return nil }
        if !isNegative { return .number(magnitude) }
        return magnitude <= 1 << 63 ? .signed(Int64(truncatingIfNeeded: 0 &- magnitude)) : nil
    }

    /// What is said about the value that follows (RESP3, "Attribute type"): all of them together; nil where nothing is, or where it is not whole.
    mutating func attributes() -> DecodedPayload.Value? {
        var members: [DecodedPayload.Value.Member] = []
        let start = position
        while position < bytes.byteCount, bytes[position] == RedisGrammar.attribute {
            guard case .object(let more)? = value(isAttribute: true) else {
                position = start
                return nil
            }
            members += more
        }
        return position > start ? .object(members) : nil
    }

    /// The next value; nil where it is none, is not whole, or nests deeper than `PayloadBounds.levels`.
    ///
    /// - Parameter isAttribute: attributes are wanted; otherwise those of values inside of others are passed over.
    mutating func value(depth: Int = 0, isAttribute: Bool = false) -> DecodedPayload.Value? {
        guard isAttribute || depth == 0 || passAttributes(depth) else { return nil }
        count += 1
        guard position < bytes.byteCount else { return nil }
        guard depth < PayloadBounds.levels, count <= PayloadBounds.values else {
            reason = depth < PayloadBounds.levels ? PayloadBounds.tooMany : PayloadBounds.tooDeep
            return nil
        }
        let start = position
        let marker = bytes[position]
        position += 1
        guard RedisGrammar.type(of: marker) != nil, let line = line() else {
            position = start
            return nil
        }
        let text = bytes.extracting(line)
        let value: DecodedPayload.Value?
        switch marker {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "("): value = .text(text.copy)
        case UInt8(ascii: ","): value = Double(String(decoding: text.copy, as: UTF8.self)).map { .real($0) }
        case UInt8(ascii: ":"): value = number(line)
        case UInt8(ascii: "_"): value = text.isEmpty ? .nothing : nil
        case UInt8(ascii: "#"): value = text.isWord("t") ? .flag(true) : text.isWord("f") ? .flag(false) : nil
        case UInt8(ascii: "$"), UInt8(ascii: "!"): value = bulk(text)
        case UInt8(ascii: "="): value = bulk(text).map { Self.withoutFormat($0) }
        case UInt8(ascii: "%"), UInt8(ascii: "|"): value = pairs(text.decimal, depth: depth)
        case _: value = elements(text, depth: depth)
        }
        if value == nil, position == line.upperBound + 2 { position = start }
        return value
    }

    /// Passes over what is said about the value that follows. Whether all of it is there.
    private mutating func passAttributes(_ depth: Int) -> Bool {
        while depth < PayloadBounds.levels, position < bytes.byteCount, bytes[position] == RedisGrammar.attribute {
            guard value(depth: depth, isAttribute: true) != nil else { return false }
        }
        return true
    }

    /// A verbatim string without the three bytes that say how it is written, and their colon (RESP3, "Verbatim string type").
    private static func withoutFormat(_ value: DecodedPayload.Value) -> DecodedPayload.Value {
        guard case .text(let text) = value, text.count > 3, text[3] == UInt8(ascii: ":") else { return value }
        return .text(Array(text.dropFirst(4)))
    }

    /// A text with its length before it and a line end after it; none where the length is -1.
    private mutating func bulk(_ length: RawSpan) -> DecodedPayload.Value? {
        if length.isWord("-1") { return .nothing }
        guard let length = length.decimal, length <= UInt64(bytes.byteCount - position), bytes.byteCount - position - Int(length) >= 2
        else {
            reason = "a length is not valid, or is more than came"
            return nil
        }
        let end = position + Int(length)
        guard bytes[end] == 0x0d, bytes[end + 1] == 0x0a else {
            reason = "no line end follows a text"
            return nil
        }
        defer { position = end + 2 }
        let text = bytes.extracting(position..<end)
        return text.byteCount > Self.longestText || !text.isUTF8 ? .binary(length) : .text(text.copy)
    }

    private mutating func elements(_ length: RawSpan, depth: Int) -> DecodedPayload.Value? {
        if length.isWord("-1") { return .nothing }
        guard let length = length.decimal else { return nil }
        var values: [DecodedPayload.Value.Member] = []
        var left = length
        while left > 0 {
            guard passAttributes(depth + 1), case let start = position, let value = value(depth: depth + 1) else { return nil }
            values.append(.init([], value, at: start..<position))
            left -= 1
        }
        return .items(values)
    }

    private mutating func pairs(_ length: UInt64?, depth: Int) -> DecodedPayload.Value? {
        guard let length else { return nil }
        var members: [DecodedPayload.Value.Member] = []
        var left = length
        while left > 0 {
            guard let key = value(depth: depth + 1) else { return nil }
            guard passAttributes(depth + 1), case let start = position, let value = value(depth: depth + 1) else { return nil }
            let place = start..<position
            switch key {
            case .text(let name): members.append(.init(name, value, at: place))
            case .number(let number): members.append(.init(Array("\(number)".utf8), value, at: place))
            case _: members.append(.init("?", value, at: place))
            }
            left -= 1
        }
        return .object(members)
    }
}
