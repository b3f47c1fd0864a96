/// How the first line of an HTTP/1 message is recognised (RFC 9112, sections 3 and 4).
package enum HTTP1Lines {
    /// A start line that is longer is not looked for in a stream without a beginning.
    package static let longestStartLine = 4_096

    /// Whether a request line starts at `position`: a token, a target, and `HTTP/` with a version.
    ///
    /// A token of capitals followed by a target that begins with a slash or a scheme is believed before the line ends;
    /// everything else has to show its version first.
    package static func requestLine(in bytes: RawSpan, at position: Int) -> Recognized {
        let end = min(bytes.byteCount, position + longestStartLine)
        var index = position
        // method = token (RFC 9110, section 9.1); 1 to 32 capitals, hyphens and underscores in practice.
        while index < end, isMethodByte(bytes[index]) { index += 1 }
        let methodLength = index - position
        if methodLength > 32 { return .no }
        if index == end { return .undecided }
        guard methodLength > 0, bytes[index] == 0x20 else { return .no }
        index += 1
        if index == end { return .undecided }
        if bytes[index] == UInt8(ascii: "/") { return .yes }
        if let scheme = begins(bytes, at: index, with: "http://", end: end) {
            return scheme ? .yes : .undecided
        }
        // Any other target: authority, asterisk, another scheme. The version decides.
        while index < end, bytes[index] > 0x20, bytes[index] != 0x7F { index += 1 }
        if index == end { return index - position >= longestStartLine ? .no : .undecided }
        guard bytes[index] == 0x20 else { return .no }
        index += 1
        guard let version = begins(bytes, at: index, with: "HTTP/1.", end: end) else { return .no }
        return version ? .yes : .undecided
    }

    /// Whether a status line starts at `position`: `HTTP/1.x`, a space and three digits.
    package static func statusLine(in bytes: RawSpan, at position: Int) -> Recognized {
        let end = bytes.byteCount
        guard let begun = begins(bytes, at: position, with: "HTTP/1.", end: end) else { return .no }
        if !begun { return .undecided }
        let rest = position + 7
        for offset in 0..<5 {
            if rest + offset >= end { return .undecided }
            let byte = bytes[rest + offset]
            if offset == 1 ? byte != 0x20 : !(0x30...0x39).contains(byte) { return .no }
        }
        return .yes
    }

    /// Whether a whole request line of HTTP/1 stands at `position`, its line end included. Stricter than `requestLine`:
    /// it is looked for in bytes that may be anything.
    package static func wholeRequestLine(in bytes: RawSpan, at position: Int) -> Recognized {
        let end = min(bytes.byteCount, position + longestStartLine)
        var index = position
        while index < end, isMethodByte(bytes[index]) { index += 1 }
        if index - position > 32 { return .no }
        if index == end { return end < bytes.byteCount ? .no : .undecided }
        guard index - position >= 3, bytes[index] == 0x20 else { return .no }
        index += 1
        while index < end, bytes[index] > 0x20, bytes[index] != 0x7F { index += 1 }
        if index == end { return index - position >= longestStartLine ? .no : .undecided }
        guard bytes[index] == 0x20, let version = begins(bytes, at: index + 1, with: "HTTP/1.", end: end) else { return .no }
        if !version { return end - position >= longestStartLine ? .no : .undecided }
        return lineEnds(in: bytes, at: index + 9, afterDigitAt: index + 8)
    }

    /// Whether a status line stands at `position` up to the end of its status code. Stricter than `statusLine`.
    package static func wholeStatus(in bytes: RawSpan, at position: Int) -> Recognized {
        switch statusLine(in: bytes, at: position) {
        case .no: return .no
        case .undecided: return .undecided
        case .yes: break
        }
        if position + 12 < bytes.byteCount, bytes[position + 12] == 0x20 { return .yes }
        return lineEnds(in: bytes, at: position + 12, afterDigitAt: position + 11)
    }

    private static func lineEnds(in bytes: RawSpan, at position: Int, afterDigitAt digit: Int) -> Recognized {
        guard digit < bytes.byteCount else { return .undecided }
        guard bytes[digit].isDigit else { return .no }
        guard position < bytes.byteCount else { return .undecided }
        if bytes[position] == 0x0A { return .yes }
        guard bytes[position] == 0x0D else { return .no }
        guard position + 1 < bytes.byteCount else { return .undecided }
        return bytes[position + 1] == 0x0A ? .yes : .no
    }

    /// Whether `text` stands at `position`: true, false for a beginning of it that the bytes end in, nil for neither.
    private static func begins(_ bytes: RawSpan, at position: Int, with text: StaticString, end: Int) -> Bool? {
        let length = text.utf8CodeUnitCount
        var index = 0
        while index < length {
            if position + index >= end { return false }
            let expected = unsafe text.utf8Start[index]
            if bytes[position + index] != expected { return nil }
            index += 1
        }
        return true
    }

    static func isMethodByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
