/// Requests: told, judged, queued for their answer.
extension HTTP1Layer {
    mutating func takeRequest<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, isCut: Bool, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let lineFeed = head.firstIndex(of: 0x0A, from: 0, to: head.byteCount) ?? head.byteCount
        let line = RequestLine(head, from: 0, lineFeed: lineFeed)
        notePassedOver(.server)
        let isSimple = line.version.isEmpty && !isCut
        let range = isSimple ? ByteRange(head.byteCount..<head.byteCount) : HTTP1Layer.fields(of: head, behind: lineFeed, isCut: isCut)
        let knowsMethod = !mayLackBeginning(head, line.method)
        let request = RequestHead(
            method: line.method, target: line.target, version: line.version, fields: range,
            exchange: knowsMethod ? context.nextExchange() : 0)
        if knowsMethod {
            context.emit(.request(request), at: arrival, content: head, sink: &sink)
        } else {
            // What it asked for is known only together with letters that were not seen: it is shown as what came.
            context.emit(.data(DataRun(length: UInt64(head.byteCount))), at: arrival, content: head, sink: &sink)
        }
        context.gatherFindings()
        tellEmptyLines(.client, place: arrival.place, context: &context, sink: &sink)
        if client.marks.contains(.closing) { context.emit(.httpBytesAfterClose, at: arrival, sink: &sink) }

        idleBefore = exchange.waitingCount == 0 ? context.spoken.silence(until: client.firstTime) ?? 0 : 0
        let version = HTTP1Version(head, line.version)
        let isLineWhole = lineFeed < head.byteCount
        if isLineWhole { judge(line, version, head, knowsMethod: knowsMethod, at: arrival, context: &context, sink: &sink) }
        var fields = HeaderValidator(.request, at: arrival)
        fields.judge(head, fields: range, context: &context, sink: &sink)
        let summary = fields.summary
        var traits = traits(of: line, version, head, isSimple: isSimple, isCut: isCut)
        let isGet = line.method.end - line.method.start == 3 && head.hasPrefix("get", at: 0)
        if isGet, summary.marks.contains(.acceptsEvents) { traits.insert(.acceptsEvents) }
        if !isCut, !isSimple {
            judge(summary, version, traits, at: arrival, context: &context, sink: &sink)
            if summary.marks.contains(.webSocketKey), !summary.marks.contains(.upgrade) {
                tellLostUpgrade(head, range, isBefore11: version.isBefore11, at: arrival, context: &context, sink: &sink)
            }
            notePreflight(head, request)
        }
        client.marks.remove([.closing, .bodyless])
        if summary.marks.contains(.close) { client.marks.insert(.closing) }
        queue(head, request, summary, traits: traits, knowsMethod: knowsMethod, at: arrival, context: &context, sink: &sink)
        // It may have been HEAD, or CONNECT.
        if !knowsMethod { exchange.lose() }
        let framing = MessageFraming(request: FramingFields(summary, isBefore11: traits.contains(.before11)))
        if !isCut { judgeCodings(summary, framing, at: arrival, context: &context, sink: &sink) }
        if isHeadTentative(.client) || !knowsMethod { context.dropGatheredViolations() }
        context.tellGathered(sink: &sink)
        noteUnanswered(.client)

        guard !isCut else {
            loseAlignment(at: arrival.advanced(by: head.byteCount))
            return
        }
        beginBody(framing, summary, limits: context.limits, at: arrival.advanced(by: head.byteCount))
    }

    /// More codings than are undone: the body is told as it came.
    func judgeCodings<Sink: ConversationSink & ~Copyable>(
        _ summary: HeadSummary, _ framing: MessageFraming, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let all = summary.codings
        guard all.areTooMany, framing != .none else { return }
        context.emit(.httpCodingsTooMany, a: UInt64(all.named), at: arrival.advanced(by: summary.codingOffset), sink: &sink)
    }

    /// Sets out to read the body behind a head.
    mutating func beginBody(_ framing: MessageFraming, _ summary: HeadSummary, limits: Limits, at arrival: Arrival) {
        let side = arrival.side
        // A range of coded content is none of its own (RFC 9110, sections 14.2 and 14.5).
        let codings = summary.marks.contains(.partial) ? ContentCodings() : summary.codings.known
        var streams = side == .server ? summary.streams : nil
        self[side].announced = 0
        switch framing {
        case .none:
            endMessage(side, at: arrival.place.time)
            return
        case .unknown:
            loseAlignment(at: arrival)
            return
        case .length(let length):
            self[side].remaining = length
            self[side].announced = length
            self[side].phase = .lengthBody
            beginCharacters(of: side, length, summary)
            // A server that knows the length of all lines has them all: nothing happens meanwhile.
            if streams == .line { streams = nil }
        case .chunked:
            self[side].chunk.begin()
            self[side].phase = .chunkFraming
        case .untilClose:
            self[side].phase = .untilCloseBody
        }
        self[side].body.begin(at: arrival.offset, codings: codings, streams: streams, limits: limits)
        if side == .client, summary.marks.contains(.expectsContinue) { exchange.awaitContinue() }
        if side == .server { exchange.beginResponseBody() }
    }

    private func traits(of line: RequestLine, _ version: HTTP1Version, _ head: RawSpan, isSimple: Bool, isCut: Bool)
        -> PendingRequest.Traits
    {
        var traits: PendingRequest.Traits = []
        let method = line.method.start..<line.method.end
        // Methods are case-sensitive (RFC 9110, section 9.1).
        if method.count == 4, head.hasPrefix("head", at: 0), head[0] < 0x61, head[3] < 0x61 { traits.insert(.head) }
        if method.count == 7, head.hasPrefix("connect", at: 0), head[0] < 0x61, head[6] < 0x61 { traits.insert(.connect) }
        if isSimple { traits.formUnion([.simple, .before11]) }
        if version.isWellFormed, version.isBefore11 { traits.insert(.before11) }
        if isCut { traits.insert(.cut) }
        return traits
    }

    private mutating func queue<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, _ request: RequestHead, _ summary: HeadSummary, traits: PendingRequest.Traits, knowsMethod: Bool,
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let headEnd = context.position(of: arrival.offset &+ UInt64(head.byteCount), .client)
        let isKnown = arrival.place.packets != nil
        switch exchange.admit(
            limit: context.limits.pendingRequests, received: arrival.place.received, headEnd: isKnown ? headEnd : nil,
            mayLackEarlier: context.startsMidstream)
        {
        case .waits: break
        case .isAnswered: return
        case .isBeyond(let isFirst):
            if isFirst { context.emit(.httpPendingLimit, a: UInt64(exchange.waitingCount), at: arrival, sink: &sink) }
            return
        }
        let name = RequestName(head, request)
        context.noteEngineIO(method: name.method, target: name.target)
        // A server ignores the offer in an older request (RFC 9110, section 7.8).
        guard summary.marks.contains(.upgrade), !traits.contains(.before11) else { return exchange.queue(traits, name, headEnd: headEnd) }
        guard exchange.takesOffer else { return exchange.queue(traits.union(.forgotten), name, headEnd: headEnd) }
        if summary.marks.contains(.webSocket), !traits.contains(.cut) {
            WebSocketHandshake.judgeRequest(
                head: head, request: request, knowsMethod: knowsMethod, at: arrival, context: &context, sink: &sink)
        }
        var copy: [UInt8] = []
        copy.append(copying: head)
        let offer = UpgradeOffer(
            head: copy, request: request, arrival: arrival, protocols: summary.upgrade, host: summary.host,
            isWebSocket: summary.marks.contains(.webSocket), isCut: traits.contains(.cut))
        exchange.queue(
            traits, name, headEnd: headEnd, offer: offer, isHeld: summary.marks.contains(.connectionUpgrade) || traits.contains(.cut))
    }

    // MARK: - Judging

    private func judge<Sink: ConversationSink & ~Copyable>(
        _ line: RequestLine, _ version: HTTP1Version, _ head: RawSpan, knowsMethod: Bool, at arrival: Arrival,
        context: inout ConversationContext, sink: inout Sink
    ) {
        if line.version.isEmpty {
            context.emit(.httpVersion09, at: arrival, sink: &sink)
        } else {
            judge(version, head, line.version, at: arrival, context: &context, sink: &sink)
        }
        var hasSmallLetter = false
        for index in line.method.start..<line.method.end where head[index] &- 0x61 < 26 { hasSmallLetter = true }
        if hasSmallLetter, knowsMethod {
            context.emit(.httpMethodLowerCase, at: arrival, content: head.extracting(line.method.start..<line.method.end), sink: &sink)
        } else if knowsMethod, !context.isContested(arrival.side), !HTTP1Methods.isRegistered(head, line.method) {
            context.emit(.httpMethodUnknown, at: arrival, content: head.extracting(line.method.start..<line.method.end), sink: &sink)
        }
        let target = arrival.advanced(by: line.target.start)
        if line.hasSpaceInTarget { context.emit(.httpTargetSpace, at: target, sink: &sink) }
        switch HTTP1Target.judge(head, line) {
        case .wellFormed: break
        case .wrongForm: context.emit(.httpTargetForm, at: target, sink: &sink)
        case .badCharacter(let byte): context.emit(.httpTargetCharacter, a: UInt64(byte), at: target, sink: &sink)
        }
    }

    /// What is odd about a version in a start line.
    func judge<Sink: ConversationSink & ~Copyable>(
        _ version: HTTP1Version, _ head: RawSpan, _ range: ByteRange, at arrival: Arrival, context: inout ConversationContext,
        sink: inout Sink
    ) {
        let here = arrival.advanced(by: range.start)
        if !version.isWellFormed {
            context.emit(.httpVersionInvalid, at: here, content: head.extracting(range.start..<range.end), sink: &sink)
        } else if version.hasWrongCase {
            context.emit(.httpVersionCase, at: here, sink: &sink)
        } else if version.major != 1 || version.minor > 1 {
            context.emit(.httpVersionUnexpected, a: UInt64(version.major), b: UInt64(version.minor), at: here, sink: &sink)
        }
    }

    private func judge<Sink: ConversationSink & ~Copyable>(
        _ summary: HeadSummary, _ version: HTTP1Version, _ traits: PendingRequest.Traits, at arrival: Arrival,
        context: inout ConversationContext, sink: inout Sink
    ) {
        let marks = summary.marks
        if !marks.contains(.host), !traits.contains(.before11) { context.emit(.httpHostMissing, at: arrival, sink: &sink) }
        judgeFraming(summary, isBefore11: traits.contains(.before11), at: arrival, context: &context, sink: &sink)
        if marks.contains(.transferEncoding), !marks.contains(.chunkedLast) {
            context.emit(.httpChunkedNotLast, at: arrival.advanced(by: summary.framingOffset), sink: &sink)
        }
        let upgrade = arrival.advanced(by: summary.upgrade.start)
        if marks.contains(.upgrade) {
            if traits.contains(.before11) {
                context.emit(.httpUpgradeIn10, at: upgrade, sink: &sink)
            } else if !marks.contains(.connectionUpgrade) {
                context.emit(.httpUpgradeWithoutConnection, at: upgrade, sink: &sink)
            }
        }
    }

    /// What both kinds of messages must not do about their framing (RFC 9112, sections 6.1 and 6.2).
    func judgeFraming<Sink: ConversationSink & ~Copyable>(
        _ summary: HeadSummary, isBefore11: Bool, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard summary.marks.contains(.transferEncoding) else { return }
        let here = arrival.advanced(by: summary.framingOffset)
        if summary.marks.contains(.contentLength) { context.emit(.httpLengthAndCoding, at: here, sink: &sink) }
        if isBefore11 { context.emit(.httpTransferCodingIn10, at: here, sink: &sink) }
    }
}
