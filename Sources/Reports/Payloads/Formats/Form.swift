import Dissection

/// Forms as pages send them, `application/x-www-form-urlencoded` (WHATWG URL, section 5): names and values, `+` and `%xx` undone. What
/// looks like an escape and is none stays as it is, as servers leave it. The text says itself best what it is, so there is no line for people.
enum Form: PayloadFormat {
    static var name: StaticString { "form" }
    static var keys: [StaticString] { ["fields"] }

    static let occasions: PayloadOccasions = [.body]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        context.carrier == .body && context.isOfType("application/x-www-form-urlencoded") ? .typed : .no
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var fields: [DecodedPayload.Value.Field] = []
        var start = 0
        while start < bytes.byteCount {
            var end = start
            var equals: Int?
            while end < bytes.byteCount, bytes[end] != UInt8(ascii: "&") {
                if equals == nil, bytes[end] == UInt8(ascii: "=") { equals = end }
                end += 1
            }
            guard fields.count < PayloadBounds.values else {
                decoded.add("fields", .fields(fields), at: 0..<start)
                return decoded.stop(PayloadBounds.tooMany, at: start)
            }
            if end > start {
                let name = bytes.extracting(start..<(equals ?? end)).percentDecoded(plusIsSpace: true)
                let value = equals.map { bytes.extracting($0 + 1..<end).percentDecoded(plusIsSpace: true) } ?? []
                fields.append(.init(name, value, at: start..<end))
            }
            start = end + 1
        }
        decoded.add("fields", .fields(fields), at: 0..<bytes.byteCount)
    }
}
