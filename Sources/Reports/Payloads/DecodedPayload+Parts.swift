import Dissection

// How formats tell what lies in the bytes of a payload, and payloads inside of others.

extension DecodedPayload {
    /// As a value inside of another payload: `as` and its keys.
    var asValue: Value {
        .object([.init(noted: "as", .word(format.description))] + entries.map { .init($0.key, $0.value, in: $0.range) })
    }

    /// The keys alone, for a list of things of one format.
    var asMembers: Value { .object(entries.map { .init($0.key, $0.value, in: $0.range) }) }

    /// Adds JSON that stands in the payload.
    mutating func add(_ key: StaticString, json range: Range<Int>, of bytes: RawSpan) {
        add(key, .json(bytes.extracting(range).copy), at: range)
    }

    /// Adds text that stands in the payload.
    mutating func add(_ key: StaticString, text range: Range<Int>, of bytes: RawSpan) {
        add(key, .text(bytes.extracting(range).copy), at: range)
    }

    /// Adds how long the call took that this answers, and says so; nothing where no call is known.
    ///
    /// - Returns: what was called.
    @discardableResult
    mutating func addAnswer(to key: [UInt8], in context: PayloadContext, memory: inout PayloadMemory) -> [UInt8]? {
        guard let (latency, name) = memory.calls.answer(key, in: context) else { return nil }
        addAnswer(after: latency, of: name)
        return name
    }

    /// Adds how long a call took that this answers, or has taken so far, and says so.
    ///
    /// - Parameter name: what was called; empty where that is not known.
    mutating func addAnswer(after latency: Int64, of name: [UInt8]) {
        note("latency", .duration(latency))
        if !name.isEmpty {
            say(", of ")
            say(name)
        }
        say(", after ")
        say(span: latency)
    }

    /// Adds text of the payload to the line for people: where it has more than 512 bytes, its beginning and `…`.
    mutating func say(_ bytes: RawSpan) {
        guard bytes.byteCount > Self.mostBytesSaid else { return summary.append(copying: bytes) }
        summary.append(copying: bytes.wholeCharacters(in: Self.mostBytesSaid))
        say("…")
    }

    private static let mostBytesSaid = 512

    /// Adds words to the line for people, and text of the payload after them.
    mutating func say(_ words: StaticString, _ bytes: RawSpan) {
        say(words)
        say(bytes)
    }

    mutating func say(_ words: StaticString, _ text: some Sequence<UInt8>) {
        say(words)
        say(text)
    }

    mutating func say(_ words: StaticString, span nanoseconds: Int64) {
        say(words)
        say(span: nanoseconds)
    }

    /// Adds words and a number to the line for people: `1 packet`, `2 packets`.
    mutating func say(_ count: Int, _ noun: StaticString) {
        say("\(count) ".utf8)
        say(noun)
        if count != 1 { say("s") }
    }
}

extension RawSpan {
    /// As a value: text where it is UTF-8, otherwise how many bytes.
    var asValue: DecodedPayload.Value { isUTF8 ? .text(copy) : .binary(UInt64(byteCount)) }

    /// As a value: JSON where it is an object or an array, text where it is UTF-8 with hardly a control character, otherwise how many bytes.
    var asContent: DecodedPayload.Value {
        if byteCount > 1, self[0] == UInt8(ascii: "{") || self[0] == UInt8(ascii: "[") {
            var cursor = JSONCursor(self)
            if cursor.value() != nil, cursor.isAtEnd() { return .json(copy) }
        }
        for index in 0..<byteCount where self[index] < 0x20 && !(0x09...0x0d ~= self[index]) { return .binary(UInt64(byteCount)) }
        return isUTF8 ? .text(copy) : .binary(UInt64(byteCount))
    }

    /// Its first bytes, at most so many, without a character of UTF-8 that would be cut.
    @_lifetime(copy self)
    func wholeCharacters(in most: Int) -> RawSpan {
        guard byteCount > most else { return self }
        var end = most
        // A character has three bytes of this kind at most; more of them are none.
        while end > 0, most - end < 3, self[end] & 0xc0 == 0x80 { end -= 1 }
        return extracting(0..<(self[end] & 0xc0 == 0x80 ? most : end))
    }

    /// A whole number in decimal digits alone, from 0 to 2^64 - 1.
    var decimal: UInt64? {
        guard !isEmpty, byteCount <= 20 else { return nil }
        var value: UInt64 = 0
        for index in 0..<byteCount {
            guard self[index].isDigit else { return nil }
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooMuch) = product.addingReportingOverflow(UInt64(self[index] - 0x30))
            guard !isTooLarge, !isTooMuch else { return nil }
            value = sum
        }
        return value
    }
}
