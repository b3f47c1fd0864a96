/// Finds where the elements of a body end that a server sends bit by bit, as things happen: each of them is a part of its own, so that it is
/// told when it has come and not when the body ends.
///
/// Where an element ends is decided by the bytes alone, however they were cut on the way.
struct StreamedElements {
    /// What they are. An event ends with an empty line (HTML Living Standard, section 9.2.5).
    let kind: BodyPart.Element
    /// The element has a line that is not empty. Empty lines alone are none; they belong to the next one.
    private var hasContent = false
    private var isLineEmpty = true
    private var isAfterReturn = false
    /// An empty line ended with CR, and lines before it with LF: the LF of this one is still to come.
    private var endsAfterLineFeed = false

    init(_ kind: BodyPart.Element) { self.kind = kind }

    /// The end of the first element that ends in the range, behind its line end.
    mutating func end(in bytes: RawSpan, _ range: Range<Int>) -> Int? {
        for index in range where takes(bytes[index]) { return index + 1 }
        return nil
    }

    /// What was seen of the element is lost, with the bytes that a gap stands for.
    mutating func lose() { self = StreamedElements(kind) }

    /// Whether an element ends with the byte.
    private mutating func takes(_ byte: UInt8) -> Bool {
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
        return true
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
        let isLines =
            head.hasPrefix("x-ndjson", at: rest) || head.hasPrefix("ndjson", at: rest) || head.hasPrefix("jsonl", at: rest)
            || head.hasPrefix("x-jsonlines", at: rest) || head.hasPrefix("json-seq", at: rest) || head.hasPrefix("stream+json", at: rest)
        guard isLines else { return nil }
        self = .line
    }
}
