import Dissection

/// Multipart bodies (RFC 2046, section 5.1; forms: RFC 7578): of each part what it is called, its type and its length.
enum Multipart: PayloadFormat {
    static var name: StaticString { "multipart" }
    static var keys: [StaticString] { ["parts"] }

    private static let mostParts = 1_000
    /// Text of a part that is told as `value`, in bytes.
    private static let longestValue = 1_024
    /// Bytes of the header fields of a part.
    private static let longestHead = 16_384

    static let occasions: PayloadOccasions = [.body]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        context.carrier == .body && context.mediaType.prefix(10).isWord("multipart/") ? .typed : .no
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        guard let boundary = parameter("boundary", of: context.contentType.rawBytes), 1...70 ~= boundary.count else {
            return decoded.stop("the content type names no boundary of 1 to 70 characters", at: 0)
        }
        let delimiter = Array("--".utf8) + boundary
        var parts: [DecodedPayload.Value.Member] = []
        guard var next = line(of: delimiter, in: bytes, from: 0) else { return decoded.stop("its boundary does not come", at: 0) }
        while !next.isLast {
            let start = next.end
            let following = line(of: delimiter, in: bytes, from: start)
            guard parts.count < mostParts else {
                decoded.add("parts", .items(parts), at: parts.place)
                return decoded.stop("it has more than 1000 parts", at: start)
            }
            // The line end before the delimiter belongs to it (RFC 2046, section 5.1.1).
            let end = following.map { max(start, withoutLineEnd(bytes, start..<$0.start)) } ?? bytes.byteCount
            parts.append(.init([], .object(part(bytes, start..<end)), at: start..<end))
            guard let following else {
                decoded.add("parts", .items(parts), at: parts.place)
                return decoded.stop("its last boundary does not come", at: bytes.byteCount)
            }
            next = following
        }
        decoded.add("parts", .items(parts), at: parts.place)
        say(parts, into: &decoded)
    }

    private static func say(_ parts: [DecodedPayload.Value.Member], into decoded: inout DecodedPayload) {
        decoded.say("\(parts.count) \(parts.count == 1 ? "part" : "parts")".utf8)
        decoded.say(parts.isEmpty ? "" : "  ")
        decoded.say(value: .items(parts.prefix(16).map { $0 }))
    }

    /// A line that begins with the delimiter, and where it ends.
    private static func line(of delimiter: [UInt8], in bytes: RawSpan, from start: Int) -> (start: Int, end: Int, isLast: Bool)? {
        var position = start
        while bytes.byteCount - position >= delimiter.count {
            if bytes.extracting(position..<position + delimiter.count).isEqual(delimiter.rawBytes) {
                var end = position + delimiter.count
                let isLast = bytes.suffix(from: end).begins("--")
                if isLast { end += 2 }
                while end < bytes.byteCount, bytes[end] == 0x20 || bytes[end] == 0x09 { end += 1 }
                let rest = bytes.suffix(from: end)
                if rest.begins("\r\n") { return (position, end + 2, isLast) }
                if rest.begins("\n") { return (position, end + 1, isLast) }
                if isLast, rest.isEmpty { return (position, end, true) }
            }
            while position < bytes.byteCount, bytes[position] != 0x0a { position += 1 }
            position += 1
        }
        return nil
    }

    private static func withoutLineEnd(_ bytes: RawSpan, _ range: Range<Int>) -> Int {
        var end = range.upperBound
        if end > range.lowerBound, bytes[end - 1] == 0x0a { end -= 1 }
        if end > range.lowerBound, end < range.upperBound, bytes[end - 1] == 0x0d { end -= 1 }
        return end
    }

    /// What the header fields of a part say, and the length of its content.
    private static func part(_ whole: RawSpan, _ range: Range<Int>) -> [DecodedPayload.Value.Member] {
        let bytes = whole.extracting(range)
        let base = range.lowerBound
        var told: [DecodedPayload.Value.Member] = []
        var isFile = false
        var type: Range<Int>?
        let head = headEnd(bytes)
        var lines = HeaderFields(in: bytes, at: ByteRange(0..<min(head, longestHead)))
        while let line = lines.next() {
            let value = bytes.extracting(line.value.start..<line.value.end)
            let fieldName = bytes.extracting(line.name.start..<line.name.end)
            if fieldName.isWord("content-type") { type = line.value.start..<line.value.end }
            guard fieldName.isWord("content-disposition") else { continue }
            let first = base + line.value.start
            if let name = place(of: "name", in: value) { told.append(.init("name", .text(name.text), at: name.range.shifted(by: first))) }
            if let name = place(of: "filename", in: value) {
                isFile = true
                told.append(.init("filename", .text(name.text), at: name.range.shifted(by: first)))
            }
        }
        if let type {
            let shown = type.lowerBound..<min(type.upperBound, type.lowerBound + 256)
            told.append(.init("type", .text(bytes.extracting(shown).copy), at: shown.shifted(by: base)))
        }
        let content = bytes.suffix(from: head)
        let place = base + head..<range.upperBound
        told.append(.init("length", .number(UInt64(content.byteCount)), at: place))
        if !isFile, content.byteCount <= longestValue, case .text(let text) = content.asValue {
            told.append(.init("value", .text(text), at: place))
        }
        return told
    }

    /// Where the content of a part begins: after an empty line.
    private static func headEnd(_ bytes: RawSpan) -> Int {
        var start = 0
        while start < bytes.byteCount {
            var end = start
            while end < bytes.byteCount, bytes[end] != 0x0a { end += 1 }
            let length = end - start - (end > start && bytes[end - 1] == 0x0d ? 1 : 0)
            start = min(end + 1, bytes.byteCount)
            if length == 0 { return start }
        }
        return bytes.byteCount
    }

    /// A parameter of a header field's value, in quotes or without (RFC 9110, section 5.6.6); of several the first.
    static func parameter(_ name: StaticString, of value: RawSpan) -> [UInt8]? { place(of: name, in: value)?.text }

    /// The same, and where it stands.
    private static func place(of name: StaticString, in value: RawSpan) -> (text: [UInt8], range: Range<Int>)? {
        var position = 0
        while true {
            while position < value.byteCount, value[position] != UInt8(ascii: ";") {
                position = value[position] == UInt8(ascii: "\"") ? quoted(value, position).end : position + 1
            }
            position += 1
            while position < value.byteCount, value[position] == 0x20 || value[position] == 0x09 { position += 1 }
            guard position < value.byteCount else { return nil }
            let start = position
            while position < value.byteCount, value[position] != UInt8(ascii: "="), value[position] != UInt8(ascii: ";") { position += 1 }
            guard position < value.byteCount, value[position] == UInt8(ascii: "=") else { continue }
            let isIt = value.extracting(start..<position).isWord(name)
            position += 1
            if position < value.byteCount, value[position] == UInt8(ascii: "\"") {
                let (text, end) = quoted(value, position)
                if isIt { return (text, position..<end) }
                position = end
            } else if isIt {
                let start = position
                while position < value.byteCount, ![UInt8(ascii: ";"), 0x20, 0x09].contains(value[position]) { position += 1 }
                return (value.extracting(start..<position).copy, start..<position)
            }
        }
    }

    /// Whether a value ends there: nothing follows, or another parameter does.
    private static func endsValue(_ value: RawSpan, at start: Int) -> Bool {
        var position = start
        func skip(while isPart: (UInt8) -> Bool) { while position < value.byteCount, isPart(value[position]) { position += 1 } }
        skip { $0 == 0x20 || $0 == 0x09 }
        guard position < value.byteCount else { return true }
        guard value[position] == UInt8(ascii: ";") else { return false }
        position += 1
        skip { $0 == 0x20 || $0 == 0x09 }
        let name = position
        skip { 0x61...0x7a ~= $0 | 0x20 || $0.isDigit || $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "-") }
        return position == value.byteCount || position > name && value[position] == UInt8(ascii: "=")
    }

    /// What stands in quotes from `start` on, and where it ends.
    private static func quoted(_ value: RawSpan, _ start: Int) -> (text: [UInt8], end: Int) {
        var text: [UInt8] = []
        var position = start + 1
        while position < value.byteCount, value[position] != UInt8(ascii: "\"") {
            // Browsers write a backslash as it is and a quote as %22 (html.spec.whatwg.org, "multipart/form-data encoding algorithm"); others
            // escape a quote by a backslash.
            if value[position] == UInt8(ascii: "\\"), position + 1 < value.byteCount, value[position + 1] == UInt8(ascii: "\""),
                !endsValue(value, at: position + 2)
            {
                position += 1
            }
            text.append(value[position])
            position += 1
        }
        return (text, min(position + 1, value.byteCount))
    }
}
