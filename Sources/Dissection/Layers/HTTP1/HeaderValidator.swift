/// Walks the field lines of a head or a trailer section once: findings go to the sink, what matters for the message
/// into a summary (RFC 9112, section 5; RFC 9110, sections 5 to 8).
///
/// A row is told once for each head, at the first line that it is about, so that a head of thousands of bad lines does
/// not become thousands of records.
struct HeaderValidator {
    enum Section { case request, response, trailers }

    /// More field lines than a common server takes (Apache's `LimitRequestFields`).
    static let usualFields = 100

    private struct Told: OptionSet {
        let rawValue: UInt32
        static let bareLineFeed = Told(rawValue: 1)
        static let bareReturn = Told(rawValue: 2)
        static let spaceBeforeColon = Told(rawValue: 4)
        static let folded = Told(rawValue: 8)
        static let name = Told(rawValue: 16)
        static let noColon = Told(rawValue: 32)
        static let control = Told(rawValue: 64)
        static let hostTwice = Told(rawValue: 128)
        static let hostInvalid = Told(rawValue: 256)
        static let lengthInvalid = Told(rawValue: 512)
        static let lengthDiffers = Told(rawValue: 1024)
        static let lengthRepeated = Told(rawValue: 2048)
        static let chunkedTwice = Told(rawValue: 4096)
        static let unknownCoding = Told(rawValue: 8192)
        static let forbiddenTrailer = Told(rawValue: 16_384)
    }

    private let section: Section
    private let arrival: Arrival
    private var told: Told = []
    private(set) var summary = HeadSummary()

    /// `arrival` is that of the first byte of the span that is judged.
    init(_ section: Section, at arrival: Arrival) {
        self.section = section
        self.arrival = arrival
    }

    mutating func judge<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, fields range: ByteRange, context: inout ConversationContext, sink: inout Sink
    ) {
        var fields = HeaderFields(in: head, at: range)
        while let field = fields.next() {
            summary.fieldCount += 1
            checkLineEnd(head, before: field.name.start, context: &context, sink: &sink)
            judge(head, field, context: &context, sink: &sink)
        }
        checkLineEnd(head, before: range.end, context: &context, sink: &sink)
        // The empty line.
        if range.end < head.byteCount { checkLineEnd(head, before: head.byteCount, context: &context, sink: &sink) }
        if summary.fieldCount > HeaderValidator.usualFields {
            context.emit(.httpFieldsMany, a: UInt64(summary.fieldCount), at: arrival, sink: &sink)
        }
    }

    private mutating func judge<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, _ field: HeaderField, context: inout ConversationContext, sink: inout Sink
    ) {
        var name = field.name.start..<field.name.end
        if field.isFolded || (!name.isEmpty && head[name.lowerBound].isSpaceOrTab) {
            tell(.folded, .httpFieldFolded, at: name.lowerBound, context: &context, sink: &sink)
        }
        guard field.hasColon else {
            tell(.noColon, .httpFieldWithoutColon, at: name.lowerBound, context: &context, sink: &sink)
            return
        }
        let bare = head.trimming(name)
        if bare.upperBound < name.upperBound {
            tell(.spaceBeforeColon, .httpFieldSpaceBeforeColon, at: name.lowerBound, context: &context, sink: &sink)
        }
        name = bare
        var isToken = !name.isEmpty
        for index in name where !head[index].isTokenCharacter { isToken = false }
        if !isToken { tell(.name, .httpFieldNameInvalid, at: field.name.start, context: &context, sink: &sink) }
        checkValue(head, field.value, context: &context, sink: &sink)
        if section == .trailers {
            checkTrailer(head, name, context: &context, sink: &sink)
        } else {
            take(head, name, field.value, context: &context, sink: &sink)
        }
    }

    /// What the fields that frame messages and connections say. Lengths first: names are rarely equally long.
    private mutating func take<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, _ name: Range<Int>, _ value: ByteRange, context: inout ConversationContext, sink: inout Sink
    ) {
        switch name.count {
        case 4 where head.equals("host", in: name) && section == .request:
            takeHost(head, value, context: &context, sink: &sink)
        case 5 where head.equals("allow", in: name): summary.marks.insert(.allow)
        case 6 where section == .request && head.equals("accept", in: name):
            // With a second one it takes more than that.
            let isFirst = summary.marks.insert(.accept).inserted
            if isFirst, value.end - value.start == 17, head.equals("text/event-stream", in: value.start..<value.end) {
                summary.marks.insert(.acceptsEvents)
            } else {
                summary.marks.remove(.acceptsEvents)
            }
        case 6 where head.equals("expect", in: name):
            if head.equals("100-continue", in: value.start..<value.end) { summary.marks.insert(.expectsContinue) }
        case 7 where head.equals("upgrade", in: name):
            summary.marks.insert(.upgrade)
            summary.upgrade = value
            var elements = ListElements(in: head, at: value)
            while let element = elements.next() {
                if head.equals("websocket", in: element) { summary.marks.insert(.webSocket) }
            }
        case 10 where head.equals("connection", in: name):
            var elements = ListElements(in: head, at: value)
            while let element = elements.next() {
                if head.equals("close", in: element) { summary.marks.insert(.close) }
                if head.equals("keep-alive", in: element) { summary.marks.insert(.keepAlive) }
                if head.equals("upgrade", in: element) { summary.marks.insert(.connectionUpgrade) }
            }
        case 12 where head.equals("content-type", in: name):
            if head.hasPrefix("multipart/byteranges", at: value.start) { summary.marks.insert(.partial) }
            summary.streams = BodyPart.Element(contentType: head, value)
            if Self.isText(head, at: value.start) { summary.marks.insert(.textBody) }
        case 13 where head.equals("content-range", in: name): summary.marks.insert(.partial)
        case 14 where head.equals("content-length", in: name):
            takeLength(head, value, context: &context, sink: &sink)
        case 16 where head.equals("content-encoding", in: name):
            summary.codingOffset = value.start
            var elements = ListElements(in: head, at: value)
            while let element = elements.next() {
                if head.equals("identity", in: element) { continue }
                summary.contentCodings.append(ContentCoding(head, element))
            }
        case 16 where head.equals("www-authenticate", in: name): summary.marks.insert(.challenge)
        case 17 where head.equals("transfer-encoding", in: name):
            takeTransferEncoding(head, value, context: &context, sink: &sink)
        case 17 where head.equals("sec-websocket-key", in: name) && section == .request: summary.marks.insert(.webSocketKey)
        case 18 where head.equals("proxy-authenticate", in: name): summary.marks.insert(.proxyChallenge)
        case 18 where head.equals("sec-websocket-key1", in: name) && section == .request: summary.marks.insert(.draftKey)
        default: return  // No other field says how the message is framed.
        }
    }

    private mutating func takeHost<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, _ value: ByteRange, context: inout ConversationContext, sink: inout Sink
    ) {
        if summary.marks.contains(.host) {
            tell(.hostTwice, .httpHostDuplicate, at: value.start, context: &context, sink: &sink)
        } else {
            summary.host = value
        }
        summary.marks.insert(.host)
        for index in value.start..<value.end {
            // uri-host [":" port] (RFC 3986, section 3.2.2): no user, no path. A comma may stand in a name.
            switch head[index] {
            case UInt8(ascii: "@"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"),
                UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), 0...0x20, 0x7F...0xFF:
                tell(.hostInvalid, .httpHostInvalid, at: value.start, context: &context, sink: &sink)
                return
            default: continue
            }
        }
    }

    private mutating func takeLength<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, _ value: ByteRange, context: inout ConversationContext, sink: inout Sink
    ) {
        summary.framingOffset = value.start
        var elements = ListElements(in: head, at: value)
        var count = 0
        while let element = elements.next() {
            count += 1
            guard let length = HeaderValidator.decimal(head, element) else {
                summary.marks.formUnion([.contentLength, .badLength])
                let isNumber = HeaderValidator.isNumber(head, element)
                tell(
                    .lengthInvalid, isNumber ? .httpContentLengthTooLarge : .httpContentLengthInvalid, at: value.start, context: &context,
                    sink: &sink)
                return
            }
            if summary.marks.contains(.contentLength) {
                if length == summary.contentLength {
                    tell(.lengthRepeated, .httpContentLengthRepeated, at: value.start, context: &context, sink: &sink)
                } else {
                    summary.marks.insert(.badLength)
                    tell(
                        .lengthDiffers, .httpContentLengthDiffers, a: summary.contentLength, b: length, at: value.start,
                        context: &context, sink: &sink)
                }
            } else {
                summary.contentLength = length
            }
            summary.marks.insert(.contentLength)
        }
        if count == 0 {
            summary.marks.formUnion([.contentLength, .badLength])
            tell(.lengthInvalid, .httpContentLengthInvalid, at: value.start, context: &context, sink: &sink)
        }
    }

    private mutating func takeTransferEncoding<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, _ value: ByteRange, context: inout ConversationContext, sink: inout Sink
    ) {
        summary.framingOffset = value.start
        summary.codingOffset = value.start
        summary.marks.insert(.transferEncoding)
        var elements = ListElements(in: head, at: value)
        while let element = elements.next() {
            if head.equals("chunked", in: element) {
                if summary.marks.contains(.chunked) {
                    tell(.chunkedTwice, .httpChunkedTwice, at: value.start, context: &context, sink: &sink)
                }
                summary.marks.formUnion([.chunked, .chunkedLast])
                continue
            }
            summary.marks.remove(.chunkedLast)
            let coding = ContentCoding(head, element)
            if !coding.isTransferCoding, !head.equals("compress", in: element), !head.equals("x-compress", in: element) {
                summary.marks.insert(.unknownTransferCoding)
                tell(.unknownCoding, .httpTransferCodingUnknown, at: value.start, context: &context, sink: &sink)
            }
            summary.transferCodings.append(coding)
        }
    }

    /// A field that frames, routes or authenticates comes too late in a trailer (RFC 9110, section 6.5.1).
    private mutating func checkTrailer<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, _ name: Range<Int>, context: inout ConversationContext, sink: inout Sink
    ) {
        let isForbidden =
            switch name.count {
            case 2: head.equals("te", in: name)
            case 4: head.equals("host", in: name)
            case 7: head.equals("trailer", in: name)
            case 10: head.equals("connection", in: name) || head.equals("set-cookie", in: name)
            case 12: head.equals("content-type", in: name)
            case 13: head.equals("authorization", in: name) || head.equals("content-range", in: name)
            case 14: head.equals("content-length", in: name)
            case 16: head.equals("content-encoding", in: name)
            case 17: head.equals("transfer-encoding", in: name)
            default: false
            }
        if isForbidden { tell(.forbiddenTrailer, .httpTrailerForbidden, at: name.lowerBound, context: &context, sink: &sink) }
    }

    /// Control characters in a value; a CR that ends no line (RFC 9110, section 5.5).
    private mutating func checkValue<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, _ value: ByteRange, context: inout ConversationContext, sink: inout Sink
    ) {
        var position = value.start
        // Eight at a time while there is nothing below a space and no DEL.
        while position + 8 <= value.end {
            let word = head.nativeInteger(at: position, as: UInt64.self)
            let deletes = word ^ 0x7F7F_7F7F_7F7F_7F7F
            let low = (word &- 0x2020_2020_2020_2020) & ~word
            guard (low | (deletes &- 0x0101_0101_0101_0101) & ~deletes) & 0x8080_8080_8080_8080 == 0 else { break }
            position += 8
        }
        for index in position..<value.end {
            let byte = head[index]
            if byte >= 0x20 && byte != 0x7F || byte == 0x09 { continue }
            if byte == 0x0D {
                if index + 1 < head.byteCount, head[index + 1] == 0x0A { continue }
                tell(.bareReturn, .httpBareCR, at: index, context: &context, sink: &sink)
            } else if byte == 0x0A {
                if index > 0, head[index - 1] == 0x0D { continue }
                tell(.bareLineFeed, .httpBareLF, at: index, context: &context, sink: &sink)
            } else {
                tell(.control, .httpFieldValueControl, a: UInt64(byte), at: index, context: &context, sink: &sink)
            }
        }
    }

    private mutating func checkLineEnd<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, before end: Int, context: inout ConversationContext, sink: inout Sink
    ) {
        guard end > 0, head[end - 1] == 0x0A, end < 2 || head[end - 2] != 0x0D else { return }
        tell(.bareLineFeed, .httpBareLF, at: end - 1, context: &context, sink: &sink)
    }

    private mutating func tell<Sink: ConversationSink & ~Copyable>(
        _ mark: Told, _ row: @autoclosure () -> FindingRow, a: UInt64 = 0, b: UInt64 = 0, at position: Int,
        context: inout ConversationContext, sink: inout Sink
    ) {
        guard !told.contains(mark) else { return }
        told.insert(mark)
        context.emit(row(), a: a, b: b, at: arrival.advanced(by: position), sink: &sink)
    }

    /// Whether a Content-Type is that of a text whose length is often counted in characters.
    private static func isText(_ head: RawSpan, at start: Int) -> Bool {
        guard head.hasPrefix("application/", at: start) else { return head.hasPrefix("text/", at: start) }
        let subtype = start + 12
        return head.hasPrefix("json", at: subtype) || head.hasPrefix("xml", at: subtype) || head.hasPrefix("x-ndjson", at: subtype)
    }

    /// 1*DIGIT that fits into 64 bits.
    /// Whether it is one, however large.
    private static func isNumber(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
        for index in range where !bytes[index].isDigit { return false }
        return !range.isEmpty
    }

    static func decimal(_ bytes: RawSpan, _ range: Range<Int>) -> UInt64? {
        guard !range.isEmpty else { return nil }
        var number: UInt64 = 0
        for index in range {
            guard bytes[index].isDigit else { return nil }
            let (tenfold, tooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = tenfold.addingReportingOverflow(UInt64(bytes[index] - 0x30))
            if tooLarge || overflow { return nil }
            number = sum
        }
        return number
    }
}
