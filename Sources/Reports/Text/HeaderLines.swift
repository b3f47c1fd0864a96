import Dissection

// The header fields of heads and trailers, one a line, under the line of what has them: all where they are asked for, otherwise those that say why
// something was refused.

extension TextReport {
    /// Header fields of an upgrade request that are kept for its refusal, and bytes of the value of each.
    private static let mostAsked = (fields: 8, bytes: 160)

    /// Puts the header fields of a request under its line, and keeps what its refusal would have to show.
    mutating func addHeaders(of head: RequestHead, _ content: RecordContent, at place: Int) {
        if settings.showsHeaders {
            addFields(head.fields, content, at: place, prefix: "")
            return addPriority(of: head, at: place)
        }
        table.keepAsked(upgradeRequest(head, content), at: place)
    }

    /// Puts the priority under the fields of a request, where it is not the usual one.
    private mutating func addPriority(of head: RequestHead, at place: Int) {
        guard let priority = head.priority, priority != StreamPriority(dependsOn: 0, weight: 16, isExclusive: false) else { return }
        beginBelow(at: place)
        lower.append("priority ")
        lower.append(priority)
        endBelow()
    }

    /// Whether the header fields that say why come with a response by themselves: errors, and whatever refuses an upgrade.
    func isTelling(_ head: ResponseHead, at place: Int) -> Bool {
        head.status >= 400 || head.status == 101 || (head.status >= 200 && !table[place].asked.isEmpty)
    }

    /// Puts what header fields of a response are shown under its line.
    mutating func addFields(of head: ResponseHead, _ content: RecordContent, at place: Int) {
        if head.status == 101, selection == nil, !settings.showsHeaders {
            // Whether it refuses is known with the upgrade that comes next, and mostly it does not: then none of them is shown.
            response = content.part(head.fields).copy
            return
        }
        addHeaders(of: head, content, at: place)
        addCallStatus(head.fields, content, at: place)
    }

    /// Puts the header fields of a response under its line.
    mutating func addHeaders(of head: ResponseHead, _ content: RecordContent, at place: Int) {
        if settings.showsHeaders { return addFields(head.fields, content, at: place, prefix: "") }
        guard isTelling(head, at: place) else { return }
        addRefusal(head.fields, content, isSwitch: head.status == 101, at: place)
        if head.status >= 200 { table.keepAsked([], at: place) }
    }

    /// Puts the header fields of the response to an upgrade under its line, which refuses it.
    mutating func addRefusal(at place: Int) {
        let fields = response
        let content = RecordContent(bytes: fields.rawBytes, policy: settings.payload)
        addRefusal(ByteRange(0..<fields.count), content, isSwitch: true, at: place)
        addCallStatus(ByteRange(0..<fields.count), content, at: place)
    }

    /// Puts the header fields of a request and its response under the line that say why an upgrade was refused.
    private mutating func addRefusal(_ fields: ByteRange, _ content: RecordContent, isSwitch: Bool, at place: Int) {
        let asked = table[place].asked
        let request = RecordContent(bytes: asked.rawBytes, policy: content.policy)
        // A key says something beside the Accept alone.
        addFields(
            ByteRange(0..<asked.count), request, at: place, prefix: "asked with ",
            where: { isSwitch || !$0.isWord("sec-websocket-key") })
        addFields(fields, content, at: place, prefix: "", where: { $0.tellsOfRefusal })
    }

    /// Puts the trailers of a body under its line.
    mutating func addTrailers(of part: BodyPart, _ content: RecordContent, at place: Int) {
        if settings.showsHeaders { addFields(part.trailers, content, at: place, prefix: "trailer ") }
        addCallStatus(part.trailers, content, at: place)
    }

    /// How a call of gRPC has ended, which stands in the trailers, or in the head of a response without messages. It is an answer with 200.
    mutating func addCallStatus(_ range: ByteRange, _ content: RecordContent, at place: Int) {
        var (status, message): (RawSpan?, RawSpan?) = (nil, nil)
        var fields = HeaderFields(in: content.bytes, at: range)
        while let field = fields.next() {
            let name = content.part(field.name)
            if name.isWord("grpc-status") { status = content.part(field.value) }
            if name.isWord("grpc-message") { message = content.part(field.value) }
        }
        guard let status, let said = GRPC.callStatus(status) else { return }
        beginBelow(at: place)
        lower.ink(said.number == 0 ? .faint : .warning)
        lower.append("grpc status ")
        lower.append { $0.append(decimal: UInt64(said.number)) }
        if let name = said.name {
            lower.append(" ")
            lower.append(name)
        }
        if let message, message.byteCount > 0 {
            lower.append(": ")
            lower.append(said: message.percentDecoded().rawBytes)
        }
        lower.ink(.plain)
        endBelow()
    }

    private mutating func addFields(
        _ range: ByteRange, _ content: RecordContent, at place: Int, prefix: StaticString, where isShown: (RawSpan) -> Bool = { _ in true }
    ) {
        var fields = HeaderFields(in: content.bytes, at: range)
        while let field = fields.next() {
            guard isShown(content.part(field.name)) else { continue }
            beginBelow(at: place)
            lower.append(prefix)
            lower.append(said: content.part(field.name))
            if field.hasColon {
                lower.append(": ")
                lower.append(said: content.part(field.value))
            }
            endBelow()
        }
    }

    /// Of a request that asks for an upgrade, the header fields that its refusal may be about, as field lines; nothing of another.
    private func upgradeRequest(_ head: RequestHead, _ content: RecordContent) -> [UInt8] {
        var (lines, count, asks) = ([UInt8](), 0, false)
        var fields = HeaderFields(in: content.bytes, at: head.fields)
        while let field = fields.next() {
            let name = content.part(field.name)
            if name.isWord("upgrade") { asks = true }
            guard count < Self.mostAsked.fields, name.isWord("origin") || name.beginsSecWebSocket else { continue }
            count += 1
            if lines.isEmpty { lines.reserveCapacity(256) }
            lines.append(copying: name.prefix(64))
            lines.append(0x3a)
            lines.append(0x20)
            let start = lines.count
            lines.append(copying: content.part(field.value).prefix(Self.mostAsked.bytes))
            // In one line, whatever is in it.
            for index in start..<lines.count where lines[index] == 0x0a || lines[index] == 0x0d { lines[index] = 0x20 }
            lines.append(0x0a)
        }
        return asks ? lines : []
    }
}

extension RawSpan {
    /// Whether the name of a header field begins with `Sec-WebSocket-`, in any case.
    fileprivate var beginsSecWebSocket: Bool { prefix(14).isWord("sec-websocket-") }

    /// Whether a header field of this name says why a request was refused, or what to do instead.
    fileprivate var tellsOfRefusal: Bool {
        isWord("www-authenticate") || isWord("proxy-authenticate") || isWord("location") || isWord("retry-after") || isWord("upgrade")
            || isWord("allow") || beginsSecWebSocket || prefix(11).isWord("x-ratelimit") || prefix(9).isWord("ratelimit")
    }
}
