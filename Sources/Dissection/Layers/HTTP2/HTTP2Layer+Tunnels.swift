/// Streams that a CONNECT has made a channel of: a tunnel (RFC 9113, section 8.5), or a WebSocket (RFC 8441).
extension HTTP2Layer {
    /// The final response to a CONNECT has come.
    mutating func open<Sink: ConversationSink & ~Copyable>(
        _ stream: HTTP2Stream, _ status: UInt16, _ head: [UInt8], _ response: ResponseHead, at arrival: Arrival,
        context: inout ConversationContext, sink: inout Sink
    ) {
        guard let channel = stream.channel else { return }
        let isAccepted = status / 100 == 2
        if let offer = channel.offer, !isAccepted || stream.purpose == .otherProtocol {
            context.emit(.upgrade(offer.answered(isAccepted)), at: arrival, content: offer.head.rawBytes, sink: &sink)
            if !isAccepted, stream.purpose == .webSocket, self[.server].settings.enablesConnectProtocol {
                let refusal = RequestRefusal(of: offer, head: head.rawBytes, response: response, at: arrival)
                refusal.tell(body: RawSpan(), context: &context, sink: &sink)
            }
        }
        if isAccepted {
            // Neither has a body then.
            stream.client.content = HTTP2Content()
            stream.server.content = HTTP2Content()
            let isTooDeep = context.channel.depth >= ByteChannel.mostDepth
            switch stream.purpose {
            case .exchange: break
            case .webSocket:
                let negotiation = WebSocketHandshake.judgeStreamAnswer(
                    offer: channel.offer, head: head.rawBytes, response: response, at: arrival, context: &context, sink: &sink)
                channel.inside = context.layers.make(.webSocket, LayerStart(negotiation: negotiation))
            case .tunnel where !isTooDeep: channel.inside = HeldLayer(TunnelLayer<Inside>(fromStart: true))
            case .tunnel, .otherProtocol: channel.inside = context.layers.make(.data, LayerStart())
            }
        }
        channel.offer = nil
        releaseEarly(stream, context: &context, sink: &sink)
        guard let inside = channel.inside, stream.client.isEnded else { return }
        finishInside(
            stream, inside, at: Arrival(side: .client, offset: self[.client].start, place: arrival.place), context: &context, sink: &sink)
    }

    /// What waited for the response belongs to the channel that it opens, or to a body.
    func releaseEarly<Sink: ConversationSink & ~Copyable>(
        _ stream: HTTP2Stream, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let channel = stream.channel, let first = channel.earlyArrival else { return }
        let early = channel.early
        channel.early = []
        channel.earlyArrival = nil
        if channel.inside != nil {
            pass(early.rawBytes, into: stream, at: first, context: &context, sink: &sink)
        } else {
            context.emit(.data(DataRun(length: UInt64(early.count))), at: first, content: early.rawBytes, sink: &sink)
        }
    }

    /// Keeps what a client sends before it has the response. False where it is too much, or comes with a loss between.
    func keepEarly(_ bytes: RawSpan, of stream: HTTP2Stream, at arrival: Arrival, limit: Limits) -> Bool {
        guard let channel = stream.channel, arrival.side == .client, !stream.client.hasBody,
            channel.early.count + bytes.byteCount <= limit.roleBytes
        else { return false }
        if channel.earlyArrival == nil { channel.earlyArrival = arrival } else { channel.earlyArrival?.place.extend(by: arrival.place) }
        channel.early.append(copying: bytes)
        return true
    }

    /// Gives bytes to what reads the stream's channel, in which they have places of their own.
    func pass<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, into stream: HTTP2Stream, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let channel = stream.channel, let inside = channel.inside else { return }
        let side = arrival.side
        let here = Arrival(side: side, offset: stream[side].dataBytes, place: arrival.place)
        stream[side].dataBytes &+= UInt64(bytes.byteCount)
        channel.beginning.note(arrival)
        enter(stream, &context)
        _ = inside.receive(bytes, at: here, held: &channel.insideBytes, context: &context, sink: &sink)
        leave(stream, &context)
    }

    /// A gap lies in the DATA of a stream's channel.
    func passGap<Sink: ConversationSink & ~Copyable>(
        _ gap: Gap, into stream: HTTP2Stream, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let channel = stream.channel, let inside = channel.inside else { return }
        let side = arrival.side
        let here = Arrival(side: side, offset: stream[side].dataBytes, place: arrival.place)
        stream[side].dataBytes &+= gap.length
        enter(stream, &context)
        if !inside.pass(gap, at: here, context: &context, sink: &sink) {
            inside.flush(at: here, context: &context, sink: &sink)
            _ = inside.skip(gap.length, at: here, context: &context, sink: &sink)
        }
        stream.channel?.insideBytes = inside.heldBytes
        leave(stream, &context)
    }

    /// As many bytes as that, or fewer, or none at all, may be missing in the channel of a stream.
    func passLoss<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, into stream: HTTP2Stream, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let channel = stream.channel, let inside = channel.inside else { return }
        let side = arrival.side
        let here = Arrival(side: side, offset: stream[side].dataBytes, place: arrival.place)
        stream[side].dataBytes &+= length
        enter(stream, &context)
        if !inside.pass(Gap(length: length, cause: .missing), at: here, context: &context, sink: &sink) {
            inside.flush(at: here, context: &context, sink: &sink)
            // No element is so long that what is missing lies inside of it for certain.
            _ = inside.skip(UInt64(1) << 63, at: here, context: &context, sink: &sink)
            _ = inside.skip(length, at: here, context: &context, sink: &sink)
        }
        stream.channel?.insideBytes = inside.heldBytes
        leave(stream, &context)
    }

    func finishInside<Sink: ConversationSink & ~Copyable>(
        _ stream: HTTP2Stream, _ inside: RunningLayer, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let here = Arrival(side: arrival.side, offset: stream[arrival.side].dataBytes, place: arrival.place)
        enter(stream, &context)
        if stream.isOver { inside.settle(context: &context, sink: &sink) }
        inside.finish(at: here, context: &context, sink: &sink)
        stream.channel?.insideBytes = inside.heldBytes
        leave(stream, &context)
    }

    /// A tunnel enters its channel itself.
    private func enter(_ stream: HTTP2Stream, _ context: inout ConversationContext) {
        if stream.purpose != .tunnel, let channel = stream.channel { context.enterInside(channel.beginning) }
    }

    private func leave(_ stream: HTTP2Stream, _ context: inout ConversationContext) {
        if stream.purpose != .tunnel, let channel = stream.channel { context.leaveInside(channel.beginning) }
    }

    /// What a request asks a stream to become, for the response to be held against.
    func offer(_ head: HTTP2Head, _ text: [UInt8], _ request: RequestHead, at arrival: Arrival) -> UpgradeOffer {
        var copy = text
        func append(_ range: Range<Int>?) -> ByteRange {
            let start = copy.count
            if let range { copy += list.bytes[range] }
            return ByteRange(start..<copy.count)
        }
        let protocols = append(head.protocolName)
        let host = append(head.authority)
        return UpgradeOffer(
            head: copy, request: request, arrival: arrival, protocols: protocols, host: host, isWebSocket: true,
            isCut: list.unknown > 0 || list.omitted > 0)
    }

    /// The request of HTTP/1 that asked for HTTP/2 has become stream 1, whose client has sent all that it will.
    mutating func openUpgraded(_ context: borrowing ConversationContext) {
        guard let offer = upgraded else { return }
        upgraded = nil
        if let said = HTTP2Settings(upgrading: offer) {
            self[.client].settings = said
            self[.client].announced.begin(with: said)
            self[.server].mostFrame = max(self[.server].mostFrame, Int(said.maxFrameSize))
            self[.server].decoder.allowedSize = self[.server].decoder.allowedSize.map { max($0, Int(said.headerTableSize)) }
        }
        let stream = HTTP2Stream(1, at: offer.arrival.place.time, lostByClient: 0, lostByServer: 0)
        let name = RequestName(offer.head.rawBytes, offer.request)
        stream.exchange = offer.request.exchange > 0 ? offer.request.exchange : nil
        stream.asked.append(copying: name.method)
        stream.methodCount = stream.asked.count
        stream.asked.append(copying: name.target)
        stream.isAskedCut = name.isCut
        stream.isHead = name.method.isText("HEAD")
        stream.client.hasHead = true
        stream.client.isEnded = true
        stream.requestEnd = offer.arrival.place.time
        streams[1] = stream
        openRequests += 1
        self[.client].highestStream = 1
        count(stream)
    }
}
