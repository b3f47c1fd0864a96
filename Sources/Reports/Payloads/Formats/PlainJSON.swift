import Dissection

/// JSON (RFC 8259) that no other format knows better. The line for people is empty: the payload says it best.
enum PlainJSON: PayloadFormat {
    static var name: StaticString { "json" }
    static var typesAreOfApp: Bool { true }

    static func mayBegin(with byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        if context.carrier == .body, isTyped(context) { return .typed }
        if context.isEncoded(as: name) { return .named }
        // Without a word from the sender: an object or an array. Whether it is whole says `decode`.
        guard bytes.byteCount > 1, bytes[0] == UInt8(ascii: "{") || bytes[0] == UInt8(ascii: "["), !context.isCut else { return .no }
        if context.carrier == .message, !context.isText { return .no }
        let last = bytes[bytes.byteCount - 1]
        return last == UInt8(ascii: "}") || last == UInt8(ascii: "]") || last <= 0x20 ? .possible : .no
    }

    /// Whether it begins with a bracket and ends with the one that closes it.
    private static func isEnclosed(_ bytes: RawSpan) -> Bool {
        var end = bytes.byteCount
        while end > 0, bytes[end - 1] <= 0x20 { end -= 1 }
        guard end > 1 else { return false }
        return bytes[0] == UInt8(ascii: "{") && bytes[end - 1] == UInt8(ascii: "}")
            || bytes[0] == UInt8(ascii: "[") && bytes[end - 1] == UInt8(ascii: "]")
    }

    /// Whether a body is called JSON by its content type.
    static func isTyped(_ context: PayloadContext) -> Bool {
        context.isOfType("application/json") || context.isOfType("text/json") || context.isOfSuffix("+json")
    }

    /// Whether bytes without a byte order mark are one JSON text and nothing else.
    static func isWhole(_ bytes: RawSpan) -> Bool {
        var cursor = JSONCursor(bytes)
        guard cursor.value() != nil, cursor.isAtEnd() else { return false }
        return bytes.plainCount(from: 0) == bytes.byteCount || bytes.isUTF8
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        // The line shows the payload itself: it is enough that it begins and ends as JSON does. To walk it would be most of what its line costs.
        if context.isForLine, context.carrier != .body, isEnclosed(bytes) { return }
        // What begins with a byte order mark is read all the same (section 8.1).
        var cursor = JSONCursor(bytes, at: bytes.begins("\u{feff}") ? 3 : 0)
        guard cursor.value() != nil else {
            return decoded.stop(cursor.isTooDeep ? PayloadBounds.tooDeep : JSONParts.notWhole, at: cursor.position)
        }
        guard cursor.isAtEnd() else { return decoded.stop("something follows its JSON", at: cursor.position) }
        if bytes.plainCount(from: 0) == bytes.byteCount { return }
        var validator = UTF8Validator()
        if let at = validator.check(bytes) ?? validator.finish() { decoded.stop("it is not UTF-8", at: Int(at)) }
    }
}

/// JSON texts, one a line (jsonlines.org, github.com/ndjson).
enum JSONLines: PayloadFormat {
    static var name: StaticString { "json-lines" }
    static var keys: [StaticString] { ["count"] }

    private static let types: [StaticString] = [
        "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines", "application/stream+json",
    ]

    static let occasions: PayloadOccasions = [.text, .agreedText, .body]

    static func mayBegin(with byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }

    static var marks: PayloadMarks { .lineFeed }

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        if context.carrier == .message, context.isText, !context.isCut { return isLines(bytes) ? .likely : .no }
        guard context.carrier == .body else { return .no }
        return types.contains { context.isOfType($0) } ? .typed : .no
    }

    /// Whether each line is an object or an array, and there are two at least.
    private static func isLines(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount > 1, bytes[0] == UInt8(ascii: "{") || bytes[0] == UInt8(ascii: "[") else { return false }
        var (start, count) = (0, 0)
        while start < bytes.byteCount {
            let end = bytes.position(of: 0x0a, from: start) ?? bytes.byteCount
            guard end < bytes.byteCount || count > 0, bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[") else {
                return false
            }
            var cursor = JSONCursor(bytes.extracting(0..<end), at: start)
            guard cursor.value() != nil, cursor.isAtEnd() else { return false }
            count += 1
            start = end + 1
        }
        return count > 1
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var count: UInt64 = 0
        var start = 0
        while start < bytes.byteCount {
            let end = bytes.position(of: 0x0a, from: start) ?? bytes.byteCount
            var cursor = JSONCursor(bytes.extracting(0..<end), at: start)
            if !cursor.isAtEnd() {
                guard cursor.value() != nil, cursor.isAtEnd() else {
                    decoded.note("count", .number(count))
                    return decoded.stop("a line is not one whole JSON text", at: cursor.position)
                }
                count += 1
            }
            start = end + 1
        }
        decoded.note("count", .number(count))
    }
}
