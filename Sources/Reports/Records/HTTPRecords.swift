import Dissection

// What the records of HTTP have: `request`, `response`, `body`.

extension OutputBuffer {
    mutating func appendKeys(of head: RequestHead, _ content: RecordContent) {
        var latin1 = false
        append(.exchange, decimal: head.exchange)
        append(.method)
        appendString(content.part(head.method), latin1: &latin1)
        append(.target)
        appendString(content.part(head.target), latin1: &latin1)
        append(.httpVersion, content.part(head.version), latin1: &latin1)
        append(.requestHeaders, linesAt: head.fields, content, latin1: &latin1)
        append(.deadline, secondsOf: CallDeadline.nanoseconds(in: content.bytes, at: head.fields))
        if let priority = head.priority { append(priority) }
        append(.latin1, ifTrue: latin1)
    }

    mutating func appendKeys(of head: ResponseHead, _ content: RecordContent, asked text: RawSpan) {
        var latin1 = false
        if let asked = head.asked {
            let request = RecordContent(bytes: text, policy: content.policy)
            append(.exchange, decimal: asked.exchange)
            append(.method)
            appendString(request.part(asked.method), latin1: &latin1)
            append(.target)
            appendString(request.part(asked.target), latin1: &latin1)
        }
        append(.status, decimal: UInt64(head.status))
        append(.reason, content.part(head.reason), latin1: &latin1)
        append(.responseVersion, content.part(head.version), latin1: &latin1)
        append(.responseHeaders, linesAt: head.fields, content, latin1: &latin1)
        append(.latency, secondsOf: head.latency)
        append(.truncated, ifTrue: head.asked?.isCut == true)
        append(.latin1, ifTrue: latin1)
    }

    mutating func appendKeys(of part: BodyPart, _ content: RecordContent) {
        var latin1 = false
        append(.bodyLength, decimal: part.length)
        append(.bodyWireLength, decimal: part.wireLength)
        append(.encoding, content.part(part.encoding), latin1: &latin1)
        append(.part, decimal: UInt64(part.part))
        append(.final, part.final)
        if let element = part.element { append(.element, word: element.word) }
        if !part.trailers.isEmpty { append(.trailers, linesAt: part.trailers, content, latin1: &latin1) }
        if part.isUnfinished { appendUnfinished(part.announced) }
        appendPayload(content.part(part.payload), content.policy, length: content.shown(part.length))
        append(.latin1, ifTrue: latin1)
    }

    private mutating func append(_ priority: StreamPriority) {
        append(.dependsOn, decimal: UInt64(priority.dependsOn))
        append(.weight, decimal: UInt64(priority.weight))
        append(.exclusive, priority.isExclusive)
    }

    /// Appends a key with field lines as `[[name, value], …]`.
    mutating func append(_ field: Field, linesAt range: ByteRange, _ content: RecordContent, latin1: inout Bool) {
        append(field)
        append(0x5b)
        var fields = HeaderFields(in: content.bytes, at: range)
        var isFirst = true
        while let field = fields.next() {
            append(isFirst ? "[" : ",[")
            appendString(content.part(field.name), latin1: &latin1)
            append(0x2c)
            appendString(content.part(field.value), latin1: &latin1)
            append(0x5d)
            isFirst = false
        }
        append(0x5d)
    }
}
