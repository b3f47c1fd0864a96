import Dissection

// The values of an HTTP Archive 1.2 (W3C draft "HTTP Archive (HAR) format", 2012).

extension OutputBuffer {
    /// Appends bytes as a JSON string: UTF-8, or else Latin-1.
    mutating func appendText(_ bytes: RawSpan) {
        var isLatin1 = false
        appendString(bytes, latin1: &isLatin1)
    }

    /// Appends words, mostly a key, and a value after them.
    mutating func append(_ words: StaticString, text: RawSpan) {
        append(words)
        appendText(text)
    }

    mutating func append(_ words: StaticString, text: [UInt8]) { append(words, text: text.rawBytes) }

    mutating func append(_ words: StaticString, decimal value: UInt64) {
        append(words)
        append(decimal: value)
    }

    /// Appends a moment as ISO 8601, in UTC, to the microsecond: what readers of archives understand.
    mutating func append(archived time: Timestamp?) {
        let (seconds, nanoseconds) = (time ?? Timestamp(nanoseconds: 0)).parts
        append(0x22)
        append(CivilTime(seconds: seconds), between: 0x54)
        append(0x2e)
        appendDigits(UInt64(clamping: nanoseconds / 1_000), width: 6)
        append("Z\"")
    }

    /// Appends nanoseconds as milliseconds; a clock that stepped back has taken no time.
    mutating func append(millisecondsOf nanoseconds: Int64) {
        let magnitude = UInt64(clamping: nanoseconds)
        append(decimal: magnitude / 1_000_000)
        let fraction = magnitude % 1_000_000
        guard fraction > 0 else { return }
        append(0x2e)
        appendDigits(fraction, width: 6)
    }

    /// Appends `[{"name":…,"value":…},…]` of field lines in wire order.
    mutating func appendFields(_ content: RawSpan, _ fields: ByteRange) {
        append(0x5b)
        var isFirst = true
        var walk = HeaderFields(in: content, at: fields)
        while let field = walk.next() {
            appendPair(field.name.bytes(in: content), field.value.bytes(in: content), isFirst: &isFirst)
            append(0x7d)
        }
        append(0x5d)
    }

    /// Appends the parameters of a request's target, as they are on the wire.
    mutating func appendQuery(of target: RawSpan) {
        append(0x5b)
        defer { append(0x5d) }
        guard let mark = target.position(of: 0x3f) else { return }
        let end = target.position(of: 0x23, from: mark) ?? target.byteCount
        let query = target.prefix(end)
        var isFirst = true
        var start = mark + 1
        while start < end {
            let next = query.position(of: 0x26, from: start) ?? end
            if next > start {
                let parameter = query.extracting(start..<next)
                let equals = parameter.position(of: 0x3d) ?? parameter.byteCount
                appendPair(
                    parameter.prefix(equals), parameter.extracting(min(parameter.byteCount, equals + 1)..<parameter.byteCount),
                    isFirst: &isFirst)
                append(0x7d)
            }
            start = next + 1
        }
    }

    /// Appends the cookies of all Cookie fields (RFC 6265, section 4.2) or, of a response, of its Set-Cookie fields (section 4.1).
    mutating func appendCookies(_ content: RawSpan, _ fields: ByteRange, areSet: Bool) {
        append(0x5b)
        var isFirst = true
        var walk = HeaderFields(in: content, at: fields)
        while let field = walk.next() {
            guard field.name.bytes(in: content).isWord(areSet ? "set-cookie" : "cookie") else { continue }
            appendCookies(field.value.bytes(in: content), areSet: areSet, isFirst: &isFirst)
        }
        append(0x5d)
    }

    private mutating func appendCookies(_ value: RawSpan, areSet: Bool, isFirst: inout Bool) {
        var start = 0
        var isAttribute = false
        while start < value.byteCount {
            let end = value.position(of: 0x3b, from: start) ?? value.byteCount
            let part = value.extracting(start..<end).trimmed
            start = end + 1
            guard !part.isEmpty else { continue }
            let equals = part.position(of: 0x3d) ?? part.byteCount
            let name = part.prefix(equals).trimmed
            let rest = part.extracting(min(part.byteCount, equals + 1)..<part.byteCount).trimmed
            if isAttribute {
                appendAttribute(name, rest)
            } else {
                appendPair(name, rest, isFirst: &isFirst)
                if areSet { isAttribute = true } else { append(0x7d) }
            }
        }
        if isAttribute { append(0x7d) }
    }

    /// Attributes of a cookie that an archive knows. A time stands there in its own form, which `expires` is not.
    private mutating func appendAttribute(_ name: RawSpan, _ value: RawSpan) {
        if name.isWord("path") {
            append(",\"path\":", text: value)
        } else if name.isWord("domain") {
            append(",\"domain\":", text: value)
        } else if name.isWord("httponly") {
            append(",\"httpOnly\":true")
        } else if name.isWord("secure") {
            append(",\"secure\":true")
        }
    }

    /// Appends an object that is still open.
    private mutating func appendPair(_ name: RawSpan, _ value: RawSpan, isFirst: inout Bool) {
        append(isFirst ? "{\"name\":" : ",{\"name\":")
        isFirst = false
        appendText(name)
        append(",\"value\":", text: value)
    }
}

extension ByteRange {
    /// The bytes of a range that was found in `content`.
    @_lifetime(copy content)
    fileprivate func bytes(in content: RawSpan) -> RawSpan { content.extracting(start..<end) }
}

extension RawSpan {
    /// Without spaces and tabs at either end.
    fileprivate var trimmed: RawSpan {
        @_lifetime(copy self)
        get {
            var (start, end) = (0, byteCount)
            while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
            while end > start, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
            return extracting(start..<end)
        }
    }
}
