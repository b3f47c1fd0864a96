/// One field line of an HTTP/1 head or trailer section, as ranges of the bytes it was found in.
public struct HeaderField: Hashable, Sendable {
    /// What stands before the colon, exactly as on the wire: whitespace before the colon (RFC 9112, section 5.1
    /// forbids it) is part of it. The whole line where there is no colon.
    public var name: ByteRange
    /// What stands after the colon without the optional whitespace around it (RFC 9110, section 5.5); the line ends
    /// and whitespace of an obsolete fold inside it stay as on the wire. Empty where there is no colon.
    public var value: ByteRange
    /// Whether the line has a colon.
    public var hasColon: Bool
    /// Whether the field goes on over several lines (obs-fold, RFC 9112, section 5.2).
    public var isFolded: Bool
}

/// Walks the field lines of an HTTP/1 head or trailer section in wire order (RFC 9112, section 5).
///
/// A line ends with CRLF or with a bare LF; a bare CR is an ordinary byte. A line that begins with a space or a tab
/// continues the one before it. The walk ends at an empty line or at the end of the bytes; a last line without a line
/// end counts. It judges nothing and allocates nothing.
public struct HeaderFields: ~Escapable {
    private let content: RawSpan
    private var position: Int
    private let end: Int

    /// - Parameters:
    ///   - content: The content of the event that has the fields; the ranges of the fields are offsets into it.
    ///   - fields: Where the field lines lie in it; what reaches outside of `content` is left out.
    @_lifetime(copy content)
    public init(in content: RawSpan, at fields: ByteRange) {
        self.content = content
        position = max(0, min(fields.start, content.byteCount))
        let (end, overflow) = position.addingReportingOverflow(max(0, fields.count))
        self.end = overflow ? content.byteCount : min(end, content.byteCount)
    }

    /// The next field, or none at the end.
    public mutating func next() -> HeaderField? {
        let start = position
        guard start < end else { return nil }
        var colon: Int?
        var lines = 0
        var lineEnd = start
        while true {
            lineEnd = content.firstIndex(of: .lineFeed, from: position, to: end) ?? end
            if colon == nil { colon = self.colon(from: position, to: lineEnd) }
            position = lineEnd
            if position < end {
                position += 1
                if lineEnd > start, content[lineEnd - 1] == .carriageReturn { lineEnd -= 1 }
            }
            lines += 1
            if lines == 1, lineEnd == start {
                position = end
                return nil
            }
            guard position < end, content[position].isBlank else { break }
        }
        let (name, value) =
            colon.map { (start..<$0, trimmed($0 + 1..<lineEnd)) } ?? (start..<lineEnd, lineEnd..<lineEnd)
        return HeaderField(name: ByteRange(name), value: ByteRange(value), hasColon: colon != nil, isFolded: lines > 1)
    }

    /// The colon that ends a name. One before the name is part of it, as in the pseudo-header fields of HTTP/2 (RFC 9113, section 8.3).
    private func colon(from start: Int, to end: Int) -> Int? {
        guard start < end, content[start] == .colon else { return content.firstIndex(of: .colon, from: start, to: end) }
        var index = start + 1
        while index < end, content[index].isLetterOrDash { index += 1 }
        return index > start + 1 && index < end && content[index] == .colon ? index : start
    }

    /// The range without spaces, tabs and the line ends of folds at either end.
    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, max(range.lowerBound, range.upperBound))
        while start < end {
            let byte = content[start]
            let opensLineEnd = byte == .carriageReturn && start + 1 < end && content[start + 1] == .lineFeed
            guard byte.isBlank || byte == .lineFeed || opensLineEnd else { break }
            start += 1
        }
        while end > start {
            let byte = content[end - 1]
            guard byte.isBlank || byte == .lineFeed else { break }
            end -= 1
            if byte == .lineFeed, end > start, content[end - 1] == .carriageReturn { end -= 1 }
        }
        return start..<end
    }
}

extension UInt8 {
    fileprivate static let lineFeed: UInt8 = 0x0a
    fileprivate static let carriageReturn: UInt8 = 0x0d
    fileprivate static let colon: UInt8 = 0x3a

    /// A small letter of ASCII, or a dash.
    fileprivate var isLetterOrDash: Bool { self &- 0x61 < 26 || self == 0x2D }

    /// A space or a tab.
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
}
