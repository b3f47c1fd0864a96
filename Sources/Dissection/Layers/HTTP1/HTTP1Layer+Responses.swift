/// Responses: matched to their request, told, judged; upgrades and tunnels.
extension HTTP1Layer {
    /// Tells a response, then what is found about its head and about the upgrade that it decides. Returns what reads on,
    /// where the protocol changes.
    mutating func takeResponse<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, isCut: Bool, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? {
        context.gatherFindings()
        let next = tellResponse(head, isCut: isCut, at: arrival, context: &context, sink: &sink)
        if isHeadTentative(.server) { context.dropGatheredViolations() }
        noteUnanswered(.server)
        context.tellGathered(sink: &sink)
        return next
    }

    private mutating func tellResponse<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, isCut: Bool, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? {
        let lineFeed = head.firstIndex(of: 0x0A, from: 0, to: head.byteCount) ?? head.byteCount
        let line = StatusLine(head, from: 0, lineFeed: lineFeed)
        let status = line.status ?? 0
        let wasCertain = isCertain(.server)
        let received = arrival.place.packets == nil ? nil : arrival.place.received
        let lacksClient = received.map { context.lacksBytes(of: .client, before: $0) } ?? false
        let answer = exchange.respond(
            status, isClientWhole: context.isWhole(.client) && !lacksClient, hasBegunRequest: hasBegunRequest, received: received,
            receivedBefore: server.headReceived, mayLackEarlier: context.startsMidstream)
        let asked = answer.request
        if asked != nil, answer.isMatched { noteExchange() }
        if answer.isFinal { notePassedOver(.client) }
        server.headReceived = arrival.place.received
        var latency: Int64?
        // A clock that was set back, or a request that was captured late, says nothing.
        if let ended = answer.askedAt, let now = server.firstTime, now >= ended { latency = now.nanoseconds(since: ended) }
        let range = HTTP1Layer.fields(of: head, behind: lineFeed, isCut: isCut)
        let response = ResponseHead(
            status: status, version: line.version, reason: line.reason, fields: range, latency: latency, asked: answer.asked)
        context.emit(.response(response), at: arrival, content: head, asked: exchange.askedText(of: answer), sink: &sink)
        tellEmptyLines(.server, place: arrival.place, context: &context, sink: &sink)

        if server.marks.contains(.closing), wasCertain { context.emit(.httpBytesAfterClose, at: arrival, sink: &sink) }
        let version = HTTP1Version(head, line.version)
        judge(version, head, line.version, at: arrival, context: &context, sink: &sink)
        if status < 100 || status > 599 { context.emit(.httpStatusInvalid, a: UInt64(status), at: arrival, sink: &sink) }
        if line.lacksSpace, lineFeed < head.byteCount { context.emit(.httpStatusLineSpace, at: arrival, sink: &sink) }
        if asked == nil, answer.isMatched, !refusesWithoutRequest(status, context) {
            context.emit(.httpResponseUnasked, at: arrival, sink: &sink)
        }

        var fields = HeaderValidator(.response, at: arrival)
        fields.judge(head, fields: range, context: &context, sink: &sink)
        let summary = fields.summary
        let isTunnel = asked?.traits.contains(.connect) == true && status / 100 == 2
        if !isCut {
            judge(summary, status, version, asked, isTunnel: isTunnel, at: arrival, context: &context, sink: &sink)
        }
        if !isCut, answer.isMatched { reportOtherType(head, response, asked, summary, at: arrival, context: &context, sink: &sink) }
        server.marks.remove([.closing, .bodyless])
        if answer.isFinal, summary.marks.contains(.close) { server.marks.insert(.closing) }
        tellPreflight(head, response, answer.asked, isCut: isCut, at: arrival, context: &context, sink: &sink)
        var refusal: RequestRefusal?
        switch answer.meaning {
        case .plain:
            // Of requests that follow each other without waiting, the length is that of the last.
            refusal = RequestRefusal.ofPlain(
                exchange.askedText(of: answer), status, length: exchange.waitingCount == 0 ? client.announced : 0, at: arrival,
                context: &context, sink: &sink)
        case .switches(let box):
            return switchProtocol(head, response, summary, asked, box?.offer, isCut: isCut, at: arrival, context: &context, sink: &sink)
        case .opensTunnel: return .inside(fromStart: !isCut)
        case .declines(let box):
            tellUpgrade(
                box.offer, answer: RawSpan(), protocols: ByteRange(), accepted: false, at: arrival, context: &context, sink: &sink)
            if box.offer.isWebSocket { refusal = RequestRefusal(of: box.offer, head: head, response: response, at: arrival) }
        }

        let behind = arrival.advanced(by: head.byteCount)
        guard !isCut else {
            refusal?.tell(body: RawSpan(), context: &context, sink: &sink)
            loseAlignment(at: behind)
            return nil
        }
        let isToHead = asked?.traits.contains(.head) == true
        let framing = MessageFraming(response: FramingFields(summary, isBefore11: version.isBefore11), status: status, isToHead: isToHead)
        if framing == .none, isToHead && answer.isMatched || status < 200 || status == 204 || status == 304 {
            server.marks.insert(.bodyless)
        }
        judgeCodings(summary, framing, at: arrival, context: &context, sink: &sink)
        beginBody(framing, summary, limits: context.limits, at: behind)
        if status == 200, server.isInBody, summary.contentLength <= EngineIOTarget.longestOpening {
            server.body.opensEngineIO = EngineIOTarget.opens(exchange.askedText(of: answer))
        }
        guard let refusal else { return nil }
        server.body.refusal = refusal
        if !server.isInBody { server.body.tellRefusal(context: &context, sink: &sink) }
        return nil
    }

    /// Whether a response may come although no request is whole.
    ///
    /// A server may say that it timed out before anything was asked (RFC 9110, section 15.5.9). One that refuses does not
    /// wait for the rest of a head that has begun, and answers a client that stops sending before it has asked.
    private func refusesWithoutRequest(_ status: UInt16, _ context: ConversationContext) -> Bool {
        if status == 408 { return true }
        return (400...599).contains(status) && (hasBegunRequest || context.ending?.side == .client)
    }

    /// The beginning of a request's head has come.
    private var hasBegunRequest: Bool { client.phase == .head && !client.buffer.isEmpty }

    private func judge<Sink: ConversationSink & ~Copyable>(
        _ summary: HeadSummary, _ status: UInt16, _ version: HTTP1Version, _ asked: PendingRequest?, isTunnel: Bool, at arrival: Arrival,
        context: inout ConversationContext, sink: inout Sink
    ) {
        let marks = summary.marks
        let framing = arrival.advanced(by: summary.framingOffset)
        judgeFraming(summary, isBefore11: version.isWellFormed && version.isBefore11, at: arrival, context: &context, sink: &sink)
        if marks.contains(.chunked), !marks.contains(.chunkedLast) {
            context.emit(.httpChunkedNotLast, at: framing, sink: &sink)
        }
        // Of what a request that may be another one asked for nothing is held against the server.
        let isMatched = !exchange.isUnmatched
        let hasNoBody = status / 100 == 1 || status == 204 || isTunnel && isMatched
        if hasNoBody, marks.contains(.contentLength) {
            context.emit(.httpLengthWithoutBody, a: UInt64(status), at: framing, sink: &sink)
        }
        if hasNoBody, marks.contains(.transferEncoding) {
            context.emit(.httpCodingWithoutBody, a: UInt64(status), at: framing, sink: &sink)
        }
        if status / 100 == 1, isMatched, asked?.traits.contains(.before11) == true {
            context.emit(.httpInformationalTo10, a: UInt64(status), at: arrival, sink: &sink)
        }
        switch status {
        case 205 where asked?.traits.contains(.head) != true:
            // One that is chunked may be empty, and then is right.
            if summary.contentLength > 0 { context.emit(.httpBodyIn205, at: framing, sink: &sink) }
        case 206 where !marks.contains(.partial): context.emit(.httpContentRangeMissing, at: arrival, sink: &sink)
        case 401 where !marks.contains(.challenge): context.emit(.httpChallengeMissing, a: 401, at: arrival, sink: &sink)
        case 405 where !marks.contains(.allow): context.emit(.httpAllowMissing, at: arrival, sink: &sink)
        case 407 where !marks.contains(.proxyChallenge): context.emit(.httpChallengeMissing, a: 407, at: arrival, sink: &sink)
        case 426 where !marks.contains(.upgrade): context.emit(.httpUpgradeRequiredMissing, at: arrival, sink: &sink)
        default: break  // Other answers owe no field.
        }
        if marks.contains(.upgrade), !marks.contains(.connectionUpgrade) {
            context.emit(.httpUpgradeWithoutConnection, at: arrival.advanced(by: summary.upgrade.start), sink: &sink)
        }
    }

    // MARK: - Upgrades

    /// A 101: both directions go on in another protocol (RFC 9110, section 15.2.2).
    private func switchProtocol<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, _ response: ResponseHead, _ summary: HeadSummary, _ asked: PendingRequest?, _ asking: UpgradeOffer?,
        isCut: Bool, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer {
        let isMatched = !exchange.isUnmatched
        let isSeen = isMatched && asked?.traits.contains(.cut) != true
        if asking == nil, isSeen, asked?.traits.isDisjoint(with: [.before11, .forgotten]) != false {
            context.emit(.httpSwitchingUnasked, at: arrival, sink: &sink)
        }
        if !isCut, !summary.marks.contains(.upgrade) {
            context.emit(.httpSwitchingWithoutUpgrade, at: arrival, sink: &sink)
        } else if let asking, isMatched, !asking.isCut, !isCut, !asking.offers(head, summary.upgrade) {
            context.emit(
                .httpSwitchingElsewhere, at: arrival.advanced(by: summary.upgrade.start),
                content: head.extracting(summary.upgrade.start..<summary.upgrade.end), sink: &sink)
        }
        let isWebSocket =
            summary.marks.contains(.webSocket)
            || (!summary.marks.contains(.upgrade) && asking?.isWebSocket == true)
        if isWebSocket, !isCut {
            let known = asking?.isCut == true ? nil : asking
            var negotiation = WebSocketHandshake.judgeAnswer(
                offer: known, isMatched: isMatched, head: head, response: response, at: arrival, context: &context, sink: &sink)
            if negotiation.isDraft { return .opaque }
            negotiation.requestWasCut = asking?.isCut == true || client.phase == .lost
            // The first thing that a client says is no frame.
            negotiation.requestMayFollow = hasBegunRequest || asking == nil && client.phase == .fresh && !context.startsMidstream
            negotiation.requestWasUnseen = asking == nil
            negotiation.isGuessed = asking == nil
            return .webSocket(negotiation)
        }
        guard isWebSocket || !isCut || summary.marks.contains(.upgrade) else { return .undecided(fromStart: false) }
        tellUpgrade(
            asking, answer: head, protocols: summary.upgrade, accepted: true, at: arrival, context: &context, sink: &sink)
        if isWebSocket { return .webSocket(WebSocketNegotiation(isKnown: false)) }
        guard UpgradeOffer.isHTTP2(head, summary.upgrade) else { return .opaque }
        var start = LayerStart()
        start.offer = asking
        return .layer(.http2, start)
    }

    /// Tells an `upgrade`, with a content of its own that has the texts of both sides.
    private func tellUpgrade<Sink: ConversationSink & ~Copyable>(
        _ offer: UpgradeOffer?, answer: RawSpan, protocols: ByteRange, accepted: Bool, at arrival: Arrival,
        context: inout ConversationContext, sink: inout Sink
    ) {
        var text: [UInt8] = []
        var name = ByteRange()
        var host = ByteRange()
        var target = ByteRange()
        if !protocols.isEmpty {
            text.append(copying: answer.extracting(protocols.start..<protocols.end))
            name = ByteRange(0..<text.count)
        }
        if let offer {
            let head = offer.head.rawBytes
            if name.isEmpty {
                text.append(copying: head.extracting(offer.protocols.start..<offer.protocols.end))
                name = ByteRange(0..<text.count)
            }
            host = ByteRange(text.count..<text.count + offer.host.count)
            text.append(copying: head.extracting(offer.host.start..<offer.host.end))
            target = ByteRange(text.count..<text.count + offer.request.target.count)
            text.append(copying: head.extracting(offer.request.target.start..<offer.request.target.end))
        }
        context.emit(
            .upgrade(Upgrade(protocolName: name, accepted: accepted, host: host, target: target)), at: arrival,
            content: text.rawBytes, sink: &sink)
    }
}
