/// Finds where the elements of a body end that a server sends bit by bit, as things happen: each of them is a part of its own, so that it is
/// told when it has come and not when the body ends.
///
/// Where an element ends is decided by the bytes alone, however they were cut on the way.
struct StreamedElements {
    /// What they are. An event ends with an empty line (HTML Living Standard, section 9.2.5).
    let kind: BodyPart.Element
    /// What the element was that ended last.
    private(set) var ended: BodyPart.Element
    /// The element has a line that is not empty. Empty lines alone are none; they belong to the next one.
    private var hasContent = false
    private var isLineEmpty = true
    private var isAfterReturn = false
    /// An empty line ended with CR, and lines before it with LF: the LF of this one is still to come.
    private var endsAfterLineFeed = false
    private var fields = EventFields()
    private var message = MessagePrefix()

    init(_ kind: BodyPart.Element) {
        self.kind = kind
        ended = kind
    }

    /// An event with data has begun and not ended.
    var hasOpenEvent: Bool { kind == .event && hasContent && fields.holdsData }

    /// The end of the first element that ends in the range, behind its line end.
    mutating func end(in bytes: RawSpan, _ range: Range<Int>) -> Int? {
        if kind == .message { return message.end(in: bytes, range) }
        for index in range where takes(bytes[index]) { return index + 1 }
        return nil
    }

    /// Bytes of the longest message of gRPC so far, as its prefix announces it.
    var longestMessage: UInt64 { message.longest }
    /// The message of gRPC that has begun and not ended; nil where there is none, or its prefix is not whole.
    var openMessage: OpenMessage? { message.open }

    /// What was seen of the element is lost, with the bytes that a gap stands for.
    mutating func lose() {
        self = StreamedElements(kind)
        fields.lose()
        message.lose()
    }

    /// Whether an element ends with the byte.
    private mutating func takes(_ byte: UInt8) -> Bool {
        if kind == .event { fields.take(byte) }
        switch byte {
        case 0x0A:
            // The second half of CR LF.
            if isAfterReturn {
                isAfterReturn = false
                return endsAfterLineFeed && endElement()
            }
            return endLine()
        case 0x0D where kind == .event:
            if isAfterReturn || !isLineEmpty || !hasContent {
                // After a line that ended with CR alone the next one does so too.
                let ends = isAfterReturn && endLine()
                isAfterReturn = true
                isLineEmpty = true
                return ends
            }
            isAfterReturn = true
            endsAfterLineFeed = true
            return false
        default:
            isAfterReturn = false
            endsAfterLineFeed = false
            isLineEmpty = false
            hasContent = true
            return false
        }
    }

    private mutating func endLine() -> Bool {
        let ends = hasContent && (isLineEmpty || kind == .line)
        isLineEmpty = true
        return ends && endElement()
    }

    private mutating func endElement() -> Bool {
        hasContent = false
        isLineEmpty = true
        endsAfterLineFeed = false
        if kind == .event { ended = fields.end() }
        return true
    }
}

/// A message of gRPC that is not whole.
struct OpenMessage {
    /// Bytes that its prefix announces, and those of them that came.
    let length: UInt64
    let came: UInt64
    /// Bytes of the longest message before it.
    let longestBefore: UInt64
}

/// The five bytes before a message of gRPC: a flag, and four of its length (grpc/grpc, PROTOCOL-HTTP2.md).
private struct MessagePrefix {
    private var taken = 0
    private var length: UInt64 = 0
    /// Bytes of the message that are still to come.
    private var remaining: UInt64 = 0
    /// Where a message begins is not known any more.
    private var isLost = false
    /// Bytes of the longest message so far.
    private(set) var longest: UInt64 = 0
    /// Bytes of the longest message that is whole.
    private var longestWhole: UInt64 = 0

    var open: OpenMessage? {
        taken < 5 ? nil : OpenMessage(length: length, came: length - remaining, longestBefore: longestWhole)
    }

    mutating func lose() {
        self = MessagePrefix()
        isLost = true
    }

    /// The end of the first message that ends in the range.
    mutating func end(in bytes: RawSpan, _ range: Range<Int>) -> Int? {
        guard !isLost else { return nil }
        var position = range.lowerBound
        while position < range.upperBound {
            if taken < 5 {
                if taken > 0 { length = length << 8 | UInt64(bytes[position]) }
                taken += 1
                position += 1
                remaining = length
                if taken == 5, length > longest { longest = length }
            } else {
                let count = min(remaining, UInt64(range.upperBound - position))
                remaining -= count
                position += Int(count)
            }
            if taken == 5, remaining == 0 {
                longestWhole = max(longestWhole, length)
                (taken, length) = (0, 0)
                return position
            }
        }
        return nil
    }
}

/// What stands in the lines of an element of an event stream: it is an event where one of them is a field named `data`, and otherwise
/// nothing that a page gets to see (HTML Living Standard, section 9.2.6).
private struct EventFields {
    /// So many bytes of the line are those of `data`, or of a mark of UTF-8 before the first one; `decided` where the rest says nothing more.
    private var matched: UInt8 = 0
    private var isFirstLine = true
    private var hasData = false
    private var hasOther = false
    /// What came before is not known.
    private var isUnconfirmed = false

    private static let decided = UInt8.max

    /// A line of data came, or the last line is one so far.
    var holdsData: Bool { hasData && !isUnconfirmed }

    /// What was seen of the element is lost.
    mutating func lose() {
        self = EventFields()
        isUnconfirmed = true
        isFirstLine = false
    }

    @inline(__always)
    mutating func take(_ byte: UInt8) {
        if byte == 0x0A || byte == 0x0D {
            endLine()
        } else if matched != EventFields.decided {
            match(byte)
        }
    }

    private mutating func match(_ byte: UInt8) {
        switch (matched, byte) {
        case (0, 0x3A): matched = EventFields.decided
        case (0, 0xEF) where isFirstLine, (0, 0xBB) where isFirstLine, (0, 0xBF) where isFirstLine: return
        case (0, UInt8(ascii: "d")), (1, UInt8(ascii: "a")), (2, UInt8(ascii: "t")), (3, UInt8(ascii: "a")): matched += 1
        default:
            if matched == 4, byte == 0x3A { hasData = true } else { hasOther = true }
            matched = EventFields.decided
        }
    }

    /// A field may have no colon, and then no value.
    private mutating func endLine() {
        isFirstLine = false
        if matched == 4 { hasData = true } else if matched > 0, matched != EventFields.decided { hasOther = true }
        matched = 0
    }

    /// The element has ended: what it was.
    mutating func end() -> BodyPart.Element {
        let kind: BodyPart.Element = hasData || isUnconfirmed ? .event : hasOther ? .field : .comment
        self = EventFields()
        isFirstLine = false
        return kind
    }
}

extension BodyPart.Element {
    /// What is streamed in a body of such a `Content-Type`; nil where it is not known to be read bit by bit.
    init?(contentType head: RawSpan, _ value: ByteRange) {
        if head.hasPrefix("text/event-stream", at: value.start) {
            self = .event
            return
        }
        guard head.hasPrefix("application/", at: value.start) else { return nil }
        let rest = value.start + 12
        if head.hasPrefix("grpc", at: rest), !head.hasPrefix("grpc-web", at: rest) {
            self = .message
            return
        }
        let isLines =
            head.hasPrefix("x-ndjson", at: rest) || head.hasPrefix("ndjson", at: rest) || head.hasPrefix("jsonl", at: rest)
            || head.hasPrefix("x-jsonlines", at: rest) || head.hasPrefix("json-seq", at: rest) || head.hasPrefix("stream+json", at: rest)
        guard isLines else { return nil }
        self = .line
    }
}
