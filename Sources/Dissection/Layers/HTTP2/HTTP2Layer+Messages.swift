/// Requests, responses and trailers, told as those of HTTP/1.
extension HTTP2Layer {
    mutating func takeRequest<Sink: ConversationSink & ~Copyable>(
        _ block: HTTP2Direction.Block, _ head: HTTP2Head, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let number = block.promised ?? block.stream
        let before = context.enterStream(number)
        defer { context.leaveStream(before) }
        let highest = self[side].highestStream
        let isKnown = streams[number] != nil
        let isRepeated = block.promised == nil && side == .client && streams[number]?.client.hasHead == true
        let stream = stream(number, context: &context, at: block.arrival, sink: &sink)
        if side == .client { noteLoss(of: stream, side, context: &context, sink: &sink) }
        var request = render(head, exchange: context.nextExchange())
        request.priority = block.priority
        let content = text
        context.emit(.request(request), at: block.arrival, content: content.rawBytes, sink: &sink)
        judgeNumber(number, after: highest, isKnown: isKnown, side, at: block.arrival, context: &context, sink: &sink)
        if isRepeated { context.emit(.http2HeadRepeated, at: block.arrival, sink: &sink) }
        if !isKnown, block.promised == nil, number > highest {
            judgeGoAway(side, at: block.arrival, context: &context, sink: &sink)
        }
        tellFaults(head, isRequest: true, at: block.arrival, context: &context, sink: &sink)
        if block.promised == nil { judgeCount(side, at: block.arrival, context: &context, sink: &sink) }

        let name = RequestName(content.rawBytes, request)
        if block.promised != nil, head.method != nil, !name.method.isText("GET"), !name.method.isText("HEAD") {
            context.emit(.http2PushUnsafe, at: block.arrival, sink: &sink)
        }
        stream.exchange = request.exchange
        stream.note(asked: name)
        context.noteEngineIO(method: name.method, target: name.target)
        stream.isHead = name.method.isText("HEAD")
        stream.client.hasHead = true
        stream.client.content = head.content
        stream.requestEnd = nil
        stream.deadline = head.deadline
        stream.requestStart = block.arrival.place.time
        stream.noteFrame(at: block.arrival.place.time)
        if name.method.isText("CONNECT") {
            stream.requestEnd = block.arrival.place.time
            stream.purpose = purpose(head)
            if stream.channel == nil { stream.channel = HTTP2Stream.Channel() }
            if knowsAll, head.protocolName != nil, !self[.server].settings.enablesConnectProtocol, self[.server].hasSettings {
                context.emit(.http2ConnectProtocolUnasked, at: block.arrival, sink: &sink)
            }
            if stream.purpose == .webSocket || stream.purpose == .otherProtocol {
                stream.channel?.offer = offer(head, content, request, at: block.arrival)
            }
        }
        if block.promised != nil {
            stream.client.isEnded = true
            stream.requestEnd = block.arrival.place.time
        } else if block.endsStream {
            end(stream, .client, at: block.arrival, context: &context, sink: &sink)
        }
        count(stream)
    }

    private func purpose(_ head: HTTP2Head) -> HTTP2Stream.Purpose {
        guard let name = head.protocolName else { return .tunnel }
        return list.bytes.rawBytes.equals("websocket", in: name) ? .webSocket : .otherProtocol
    }

    mutating func takeResponse<Sink: ConversationSink & ~Copyable>(
        _ block: HTTP2Direction.Block, _ head: HTTP2Head, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let status = head.status ?? 0
        guard !isGone(block.stream, side) else {
            let response = render(head, status: status, latency: nil, asked: nil)
            let content = text
            context.emit(.response(response), at: block.arrival, content: content.rawBytes, sink: &sink)
            return tellGone(block, side, context: &context, sink: &sink)
        }
        let stream = stream(block.stream, context: &context, at: block.arrival, sink: &sink)
        noteLoss(of: stream, side, context: &context, sink: &sink)
        let isFinal = status >= 200 || status < 100
        var fault: FindingRow? = stream[side].isEnded ? .http2StreamOver : stream[side].hasHead ? .http2HeadRepeated : nil
        var asked: AskedRequest?
        if let exchange = stream.exchange {
            asked = AskedRequest(
                exchange: exchange, method: ByteRange(0..<stream.methodCount),
                target: ByteRange(stream.methodCount..<stream.asked.count), isCut: stream.isAskedCut)
        } else if knowsAll, !stream.client.hasHead {
            fault = fault ?? .http2StreamIdle
        }
        let question = asked == nil ? [] : stream.asked
        var latency: Int64?
        if isFinal, let ended = stream.requestEnd, let now = block.firstTime, now >= ended { latency = now.nanoseconds(since: ended) }
        let response = render(head, status: status, latency: latency, asked: asked)
        let content = text
        context.emit(
            .response(response), at: block.arrival, content: content.rawBytes, asked: question.rawBytes,
            sink: &sink)
        if let fault { context.emit(fault, at: block.arrival, sink: &sink) }
        tellFaults(head, isRequest: false, at: block.arrival, context: &context, sink: &sink)
        if status < 100 || status > 599 {
            context.emit(.http2StatusInvalid, a: UInt64(status), at: block.arrival, sink: &sink)
        } else if status == 101 {
            context.emit(.http2StatusSwitching, at: block.arrival, sink: &sink)
        }
        if isFinal {
            stream[side].hasHead = true
            stream[side].content = head.content
            if stream.isHead || status == 304 || status == 204 {
                stream[side].content.length = nil
                stream.hasNoBody = stream.purpose == .exchange && side == .server
            }
            stream.awaitsCallStatus = head.content.isCall && status == 200 && list.unknown == 0 && list.omitted == 0 && side == .server
            if stream.purpose != .exchange {
                open(stream, status, content, response, at: block.arrival, context: &context, sink: &sink)
            }
        } else if block.endsStream {
            context.emit(.http2InformationalEnd, at: block.arrival, sink: &sink)
        }
        if head.hasCallStatus { stream.awaitsCallStatus = false }
        if isFinal, side == .server {
            StreamEnd(stream: stream, knowsAll: knowsAll, isServerLeaving: self[.server].goAway != nil, arrival: block.arrival)
                .reportResponse(
                    head, status: status, endsStream: block.endsStream, longestBefore: self[.client].longestMessage, list.bytes.rawBytes,
                    context: &context, sink: &sink)
        }
        stream.noteFrame(at: block.arrival.place.time)
        if block.endsStream { end(stream, side, at: block.arrival, context: &context, sink: &sink) }
        count(stream)
    }

    mutating func takeTrailers<Sink: ConversationSink & ~Copyable>(
        _ block: HTTP2Direction.Block, _ head: HTTP2Head, _ bytes: RawSpan, _ side: Side, context: inout ConversationContext,
        sink: inout Sink
    ) {
        guard !isGone(block.stream, side), streams[block.stream]?[side].isEnded != true else {
            // Its stream is no more: they are shown as they came.
            show(block, bytes, context: &context, sink: &sink)
            return tellGone(block, side, context: &context, sink: &sink)
        }
        if head.losesBytes { show(block, bytes, context: &context, sink: &sink) }
        let stream = stream(block.stream, context: &context, at: block.arrival, sink: &sink)
        noteLoss(of: stream, side, context: &context, sink: &sink)
        let lacksHead = knowsAll && !stream[side].hasHead
        text.removeAll(keepingCapacity: true)
        appendFields(isTrailers: true)
        let trailers = text
        beginBody(stream, side, at: block.arrival, context: context)
        let arrival = virtual(block.arrival, stream, side)
        stream[side].body.finish(at: arrival, trailers: trailers.rawBytes, context: &context, sink: &sink)
        stream[side].isBodyTold = true
        if head.hasCallStatus || list.unknown > 0 || list.omitted > 0 { stream.awaitsCallStatus = false }
        if lacksHead { context.emit(.http2PseudoMissing, at: block.arrival, sink: &sink) }
        tellFaults(head, isRequest: side == .client, at: block.arrival, context: &context, sink: &sink)
        if block.endsStream, side == .server {
            StreamEnd(stream: stream, knowsAll: knowsAll, isServerLeaving: self[.server].goAway != nil, arrival: block.arrival)
                .reportResponse(
                    head, longestBefore: self[.client].longestMessage, list.bytes.rawBytes, context: &context, sink: &sink)
        }
        if block.endsStream {
            end(stream, side, at: block.arrival, context: &context, sink: &sink)
        } else if knowsAll {
            context.emit(.http2TrailersOpen, at: block.arrival, sink: &sink)
        }
        count(stream)
    }

    /// What is wrong with the fields of a head, and what of them is not known.
    private func tellFaults<Sink: ConversationSink & ~Copyable>(
        _ head: HTTP2Head, isRequest: Bool, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        for fault in head.faults {
            context.emit(fault.row, at: arrival, content: list.bytes.rawBytes.extracting(fault.name), sink: &sink)
        }
        let unknown = list.unknown
        if unknown > 0 { tellUnknown(at: arrival, context: &context, sink: &sink) }
        if list.omitted > 0 { context.emit(.http2FieldsLimit, a: list.omitted, at: arrival, sink: &sink) }
        let most = self[arrival.side.peer].announced.most.listBytes
        if knowsAll, unknown == 0, list.size > UInt64(most) {
            context.emit(.http2ListTooLarge, a: list.size, b: UInt64(most), at: arrival, sink: &sink)
        }
    }

    // MARK: - Heads as text

    /// Writes a request as HTTP/1 would; the pseudo-header fields that have no place in its first line stay fields.
    private mutating func render(_ head: HTTP2Head, exchange: UInt64) -> RequestHead {
        text.removeAll(keepingCapacity: true)
        append(head.method)
        let method = ByteRange(0..<text.count)
        text.append(0x20)
        let start = text.count
        append(head.path ?? (head.method == nil ? nil : head.authority))
        let target = ByteRange(start..<text.count)
        text.append(0x20)
        let version = appendVersion()
        text += [0x0D, 0x0A]
        let fields = text.count
        appendFields()
        let end = text.count
        text += [0x0D, 0x0A]
        return RequestHead(method: method, target: target, version: version, fields: ByteRange(fields..<end), exchange: exchange)
    }

    private mutating func render(_ head: HTTP2Head, status: UInt16, latency: Int64?, asked: AskedRequest?) -> ResponseHead {
        text.removeAll(keepingCapacity: true)
        let version = appendVersion()
        text.append(0x20)
        text += [UInt8(status / 100 % 10), UInt8(status / 10 % 10), UInt8(status % 10)].map { $0 + 0x30 }
        text += [0x20, 0x0D, 0x0A]
        let fields = text.count
        appendFields()
        let end = text.count
        text += [0x0D, 0x0A]
        return ResponseHead(
            status: status, version: version, reason: ByteRange(fields - 2..<fields - 2), fields: ByteRange(fields..<end), latency: latency,
            asked: asked)
    }

    private mutating func appendVersion() -> ByteRange {
        let start = text.count
        ("HTTP/2" as StaticString).withUTF8Buffer { unsafe text.append(contentsOf: $0) }
        return ByteRange(start..<text.count)
    }

    /// Appends a value of the list, as it may stand in a line.
    private mutating func append(_ range: Range<Int>?) {
        guard let range else { return }
        let start = text.count
        text += list.bytes[range]
        // Who turns fields into lines replaces what would end them (RFC 9110, section 5.5).
        for index in start..<text.count where text[index] == 0 || text[index] == 0x0A || text[index] == 0x0D { text[index] = 0x20 }
    }

    /// Appends the fields that have no place in a first line, a line each; of trailers, which have none, all.
    private mutating func appendFields(isTrailers: Bool = false) {
        for field in list.fields where !field.isUnknown {
            let pseudo = HTTP2Pseudo(list.bytes.rawBytes.extracting(field.name))
            if !isTrailers, !pseudo.isDisjoint(with: [.method, .path, .status]) { continue }
            let name = text.count
            append(field.name)
            // A colon ends a name, but for the one before it.
            for index in name..<text.count where index > name && text[index] == UInt8(ascii: ":") { text[index] = 0x20 }
            text += [UInt8(ascii: ":"), 0x20]
            if let raw = HTTP2Head.rawMetadata(list.bytes.rawBytes, field) {
                // As gRPC writes them in text, without padding (PROTOCOL-HTTP2.md, "Custom-Metadata").
                text += Base64.encode(Array(list.bytes[raw])).prefix { $0 != UInt8(ascii: "=") }
            } else {
                append(field.value)
            }
            text += [0x0D, 0x0A]
        }
    }
}
