import Dissection

/// What the field lines of a head say to those on the way: where the message ends, what happens to the connection, and which lines are
/// meant for a proxy. The ranges are offsets into the head.
struct MessageFields: Sendable {
    /// A field line with its line end, folds included, and its value.
    struct Line: Sendable {
        var whole: Range<Int>
        var value: Range<Int>
    }

    var hosts: [Line] = []
    var origins: [Line] = []
    var contentLengths: [Line] = []
    var proxyAuthorizations: [Line] = []
    var proxyConnections: [Line] = []
    var vias: [Line] = []
    var hasClose = false
    var hasKeepAlive = false
    var hasConnectionUpgrade = false
    var hasUpgrade = false
    var expectsContinue = false
    var hasTransferEncoding = false
    /// `chunked` is the last transfer coding.
    var isChunkedLast = false
    /// The lengths are no numbers, or differ.
    var hasBadLength = false
    var contentLength: UInt64?

    /// - Parameter range: the field lines, without the start line and the empty line.
    init(_ head: [UInt8], at range: Range<Int>) {
        let bytes = head.rawBytes
        var fields = HeaderFields(in: bytes, at: ByteRange(range))
        var current = fields.next()
        while let field = current {
            current = fields.next()
            guard field.hasColon else { continue }
            let whole = field.name.start..<(current?.name.start ?? range.upperBound)
            take(bytes, field, whole)
        }
    }

    /// What they say about where the message ends.
    func framing(isBefore11: Bool) -> FramingFields {
        FramingFields(
            hasTransferEncoding: hasTransferEncoding, isChunkedLast: isChunkedLast, hasBadLength: hasBadLength,
            contentLength: contentLength,
            isBefore11: isBefore11)
    }

    /// What is wrong with a response that would end with the connection, where a reader may go by another of its fields; nil where all agree.
    var fault: String? {
        if hasTransferEncoding {
            return contentLengths.isEmpty ? nil : "Transfer-Encoding does not end with chunked, and there is a Content-Length too"
        }
        return hasBadLength ? "Content-Length is not one number" : nil
    }

    private mutating func take(_ bytes: RawSpan, _ field: HeaderField, _ whole: Range<Int>) {
        // Blanks before the colon are against the rules, and read over by many servers (RFC 9112, section 5.1). NUL, VT and other
        // control characters are not blanks: a name that has one is another name.
        let name = MessageFields.withoutBlanks(bytes, field.name.start..<field.name.end)
        let value = field.value.start..<field.value.end
        let line = Line(whole: whole, value: value)
        switch name.count {
        case 3 where bytes.equals("via", in: name): vias.append(line)
        case 4 where bytes.equals("host", in: name): hosts.append(line)
        case 6 where bytes.equals("origin", in: name): origins.append(line)
        case 6 where bytes.equals("expect", in: name): expectsContinue = expectsContinue || bytes.equals("100-continue", in: value)
        case 7 where bytes.equals("upgrade", in: name): hasUpgrade = hasUpgrade || !value.isEmpty
        case 10 where bytes.equals("connection", in: name): takeConnection(bytes, value)
        case 14 where bytes.equals("content-length", in: name):
            contentLengths.append(line)
            takeLength(bytes, value)
        case 16 where bytes.equals("proxy-connection", in: name):
            proxyConnections.append(line)
            takeConnection(bytes, value)
        case 17 where bytes.equals("transfer-encoding", in: name):
            hasTransferEncoding = true
            var elements = ListElements(in: bytes, at: ByteRange(value))
            while let element = elements.next() { isChunkedLast = bytes.equals("chunked", in: element) }
        case 19 where bytes.equals("proxy-authorization", in: name): proxyAuthorizations.append(line)
        default: return
        }
    }

    private mutating func takeConnection(_ bytes: RawSpan, _ value: Range<Int>) {
        var elements = ListElements(in: bytes, at: ByteRange(value))
        while let element = elements.next() {
            if bytes.equals("close", in: element) { hasClose = true }
            if bytes.equals("keep-alive", in: element) { hasKeepAlive = true }
            if bytes.equals("upgrade", in: element) { hasConnectionUpgrade = true }
        }
    }

    /// One number, or the same one again and again (RFC 9112, section 6.3, item 5).
    private mutating func takeLength(_ bytes: RawSpan, _ value: Range<Int>) {
        var elements = ListElements(in: bytes, at: ByteRange(value))
        var count = 0
        while let element = elements.next() {
            count += 1
            guard let length = MessageFields.decimal(bytes, element), contentLength == nil || contentLength == length else {
                hasBadLength = true
                return
            }
            contentLength = length
        }
        if count == 0 { hasBadLength = true }
    }

    private static func withoutBlanks(_ bytes: RawSpan, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return start..<end
    }

    private static func decimal(_ bytes: RawSpan, _ range: Range<Int>) -> UInt64? {
        var number: UInt64 = 0
        for index in range {
            guard bytes[index].isDigit else { return nil }
            let (tenfold, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tenfold.addingReportingOverflow(UInt64(bytes[index] - 0x30))
            if isTooLarge || overflows { return nil }
            number = sum
        }
        return number
    }
}
