/// The opening handshake of a WebSocket (RFC 6455, section 4), judged from outside.
///
/// What holds for every upgrade (Host, Connection, Upgrade, the version of HTTP) is judged by the HTTP/1 layer.
package enum WebSocketHandshake {
    /// What both sides put behind the key (section 1.3).
    private static let uuid = Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)

    /// Whether `accept` is the Accept value that answers `key`.
    private static func isAccept(_ accept: RawSpan, for key: RawSpan) -> Bool {
        var sha = SHA1()
        sha.update(key)
        sha.update(uuid.rawBytes)
        let digest = sha.finish()
        return unsafe Base64.isEncoding(accept, of: digest.span.bytes)
    }

    /// Bytes that follow the head of a request with the keys of a draft, without a length that says so
    /// (draft-ietf-hybi-thewebsocketprotocol-00, section 1.3).
    static let draftKeyBytes: UInt64 = 8

    // MARK: - The client

    /// Judges an upgrade request that asks for a WebSocket (sections 4.1 and 4.2.1).
    ///
    /// - Parameters:
    ///   - head: the head as on the wire, all of it.
    ///   - knowsMethod: the method is whole.
    ///   - arrival: where the head begins.
    package static func judgeRequest<Sink: ConversationSink & ~Copyable>(
        head: RawSpan, request: RequestHead, knowsMethod: Bool = true, at arrival: Arrival, context: inout ConversationContext,
        sink: inout Sink
    ) {
        func find(_ row: FindingRow, _ range: ByteRange, _ a: UInt64 = 0, _ context: inout ConversationContext, _ sink: inout Sink) {
            context.emit(
                row, a: a, at: arrival.advanced(by: range.start), content: head.extracting(range.start..<range.end), sink: &sink)
        }
        let fields = OpeningFields(head, request.fields)
        let method = head.extracting(request.method.start..<request.method.end)
        if knowsMethod, !OpeningFields.equal(method, "get") { find(.webSocketMethodNotGET, request.method, 0, &context, &sink) }
        if fields.isDraft {
            // It is held to the rules of its draft, which nobody knows any more: the fields of RFC 6455 are none of them.
            return find(.webSocketDraft, fields.draftMark, 0, &context, &sink)
        }
        if fields.key.isEmpty {
            find(.webSocketKeyMissing, ByteRange(), 0, &context, &sink)
        } else if fields.key.count > 1 {
            find(.webSocketKeyRepeated, fields.key.range, UInt64(fields.key.count), &context, &sink)
        } else if Base64.decodedCount(fields.key.value(in: head)) != 16 {
            find(.webSocketKeyInvalid, fields.key.range, 0, &context, &sink)
        }
        if fields.version.isEmpty {
            find(.webSocketVersionMissing, ByteRange(), 0, &context, &sink)
        } else if !OpeningFields.equal(fields.version.value(in: head), "13") {
            find(.webSocketVersionOther, fields.version.range, 0, &context, &sink)
        }
        if !fields.protocols.isEmpty {
            let offered = fields.protocols.elements(in: head)
            if offered.isEmpty || !offered.allSatisfy(WebSocketExtension.isToken) {
                find(.webSocketProtocolInvalid, fields.protocols.range, 0, &context, &sink)
            } else if Set(offered).count < offered.count {
                find(.webSocketProtocolRepeated, fields.protocols.range, 0, &context, &sink)
            }
        }
        guard !fields.extensions.isEmpty else { return }
        guard let offered = WebSocketExtension.list(fields.extensions.copy(in: head)) else {
            find(.webSocketExtensionsInvalid, fields.extensions.range, 0, &context, &sink)
            return
        }
        for element in offered where element.name == DeflateParameters.name {
            guard !DeflateParameters(element, isAnswer: false).isValid else { continue }
            find(.webSocketDeflateOfferInvalid, fields.extensions.range, 0, &context, &sink)
            return
        }
    }

    // MARK: - The server

    /// Tells the upgrade that a 101 agrees to, judges it against the offer (section 4.2.2), and returns what was agreed.
    ///
    /// - Parameters:
    ///   - offer: the request; nil where it was not seen.
    ///   - isMatched: the answer surely belongs to that request, so that it can be held against it.
    ///   - head: the answer's head as on the wire, all of it.
    ///   - arrival: where the answer's head begins.
    package static func judgeAnswer<Sink: ConversationSink & ~Copyable>(
        offer: UpgradeOffer?, isMatched: Bool = true, head: RawSpan, response: ResponseHead, at arrival: Arrival,
        context: inout ConversationContext,
        sink: inout Sink
    ) -> WebSocketNegotiation {
        let fields = OpeningFields(head, response.fields)
        // Without an offer there are no fields, and their ranges are empty.
        let askedBytes = offer?.head ?? []
        let askedHead = askedBytes.rawBytes
        let asked = OpeningFields(askedHead, offer?.request.fields ?? ByteRange())
        let agreed = fields.extensions.isEmpty ? [] : WebSocketExtension.list(fields.extensions.copy(in: head))
        let deflate = agreed?.first { $0.name == DeflateParameters.name }.map { DeflateParameters($0, isAnswer: true) }
        tellUpgrade(fields, in: head, offer, asked, deflate?.compression, at: arrival, context: &context, sink: &sink)
        let isJudged = isMatched && offer != nil

        func find(_ row: FindingRow, _ range: ByteRange, _ a: UInt64 = 0, _ context: inout ConversationContext, _ sink: inout Sink) {
            context.emit(
                row, a: a, at: arrival.advanced(by: range.start), content: head.extracting(range.start..<range.end), sink: &sink)
        }
        if fields.isDraft || asked.isDraft && fields.accept.isEmpty || asked.hasDraftVersion(in: askedHead) {
            let range = fields.isDraft ? fields.draftMark : fields.connection.range
            // The request has said so already.
            if !asked.isDraft { find(.webSocketDraft, range, 0, &context, &sink) }
            var negotiation = WebSocketNegotiation(isKnown: false)
            negotiation.isDraft = true
            return negotiation
        }
        // Mostly it is the only element.
        if !OpeningFields.equal(fields.connection.value(in: head), "upgrade"),
            !fields.connection.elements(in: head).contains(where: { OpeningFields.equal($0.rawBytes, "upgrade") })
        {
            find(.webSocketConnectionMissing, fields.connection.range, 0, &context, &sink)
        }
        if fields.accept.isEmpty {
            find(.webSocketAcceptMissing, ByteRange(), 0, &context, &sink)
        } else if fields.accept.count > 1 {
            find(.webSocketAcceptRepeated, fields.accept.range, UInt64(fields.accept.count), &context, &sink)
        } else if isJudged, asked.key.count == 1, !isAccept(fields.accept.value(in: head), for: asked.key.value(in: askedHead)) {
            find(.webSocketAcceptWrong, fields.accept.range, 0, &context, &sink)
        }
        var negotiation = agree(
            fields, agreed, deflate, in: head, asked, askedHead, isJudged: isJudged, at: arrival, context: &context, sink: &sink)
        if let range = offer?.request.target {
            let target = askedHead.extracting(range.start..<range.end)
            negotiation.isPhoenix = target.mentions("/websocket?") && (target.mentions("vsn=1.") || target.mentions("vsn=2."))
            negotiation.isEngineIO = target.mentions("eio=4")
            if negotiation.isEngineIO {
                context.engineIOSession = EngineIOSession(continuing: target)
                negotiation.opensSession = context.engineIOSession == nil
            }
        }
        return negotiation
    }

    /// Tells the upgrade that the response to an extended CONNECT agrees to, judges it against the request, and returns what was agreed
    /// (RFC 8441, section 5): there is no key, and no field says that the protocol changes.
    ///
    /// - Parameters:
    ///   - offer: the request, its head written as that of HTTP/1; nil where it was not seen.
    ///   - head: the response's head, written as that of HTTP/1.
    ///   - arrival: where the response begins.
    package static func judgeStreamAnswer<Sink: ConversationSink & ~Copyable>(
        offer: UpgradeOffer?, head: RawSpan, response: ResponseHead, at arrival: Arrival, context: inout ConversationContext,
        sink: inout Sink
    ) -> WebSocketNegotiation {
        let fields = OpeningFields(head, response.fields)
        let askedBytes = offer?.head ?? []
        let asked = OpeningFields(askedBytes.rawBytes, offer?.request.fields ?? ByteRange())
        let agreed = fields.extensions.isEmpty ? [] : WebSocketExtension.list(fields.extensions.copy(in: head))
        let deflate = agreed?.first { $0.name == DeflateParameters.name }.map { DeflateParameters($0, isAnswer: true) }
        tellUpgrade(fields, in: head, offer, asked, deflate?.compression, at: arrival, context: &context, sink: &sink)
        return agree(
            fields, agreed, deflate, in: head, asked, askedBytes.rawBytes, isJudged: offer?.isCut == false, at: arrival, context: &context,
            sink: &sink)
    }

    /// Judges the subprotocol and the extensions of a response, and returns what was agreed.
    ///
    /// - Parameters:
    ///   - asked: what the request offered.
    ///   - askedHead: the head of the request.
    ///   - isJudged: the response can be held against it.
    private static func agree<Sink: ConversationSink & ~Copyable>(
        _ fields: OpeningFields, _ agreed: [WebSocketExtension]?, _ deflate: DeflateParameters?, in head: RawSpan, _ asked: OpeningFields,
        _ askedHead: RawSpan, isJudged: Bool, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> WebSocketNegotiation {
        // In a stream of HTTP/2 a head is compressed, and what is found stands where it begins.
        let isStream = context.channel.stream > 0
        func find(_ row: FindingRow, _ range: ByteRange, _ a: UInt64 = 0, _ context: inout ConversationContext, _ sink: inout Sink) {
            context.emit(
                row, a: a, at: isStream ? arrival : arrival.advanced(by: range.start), content: head.extracting(range.start..<range.end),
                sink: &sink)
        }
        if !fields.protocols.isEmpty {
            let chosen = fields.protocols.elements(in: head)
            if fields.protocols.count > 1 || chosen.count != 1 {
                find(.webSocketProtocolSeveral, fields.protocols.range, UInt64(chosen.count), &context, &sink)
            } else if isJudged, case let offered = asked.protocols.elements(in: askedHead), offered.allSatisfy(WebSocketExtension.isToken),
                !offered.contains(chosen[0])
            {
                find(.webSocketProtocolNotOffered, fields.protocols.range, 0, &context, &sink)
            }
        }
        guard let agreed else {
            find(.webSocketExtensionsInvalid, fields.extensions.range, 0, &context, &sink)
            // Something was agreed, and nobody can say what.
            return WebSocketNegotiation(isKnown: false)
        }
        // Of an offer that does not keep the grammar nobody can say what it offers.
        let offered = isJudged ? WebSocketExtension.list(asked.extensions.copy(in: askedHead)) : nil
        // Both lists may be as long as a head: names are looked up, not held against each other.
        let offeredNames = offered.map { Set($0.map(\.name)) }
        if let offeredNames, !agreed.allSatisfy({ offeredNames.contains($0.name) }) {
            find(.webSocketExtensionNotOffered, fields.extensions.range, 0, &context, &sink)
        } else if let deflate {
            let offers = offered?.filter { $0.name == DeflateParameters.name }.map { DeflateParameters($0, isAnswer: false) }
            if !deflate.isValid || agreed.filter({ $0.name == DeflateParameters.name }).count > 1 {
                find(.webSocketDeflateAnswerInvalid, fields.extensions.range, 0, &context, &sink)
            } else if let offers, !offers.contains(where: { $0.isValid && $0.allows(deflate) }) {
                find(.webSocketDeflateAnswerNotOffered, fields.extensions.range, 0, &context, &sink)
            }
        }
        if fields.protocols.isEmpty, isJudged, !asked.protocols.isEmpty { context.passedOver = asked.protocols.copy(in: askedHead) }
        var negotiation = WebSocketNegotiation(
            compression: deflate?.compression, hasUnknownExtension: agreed.contains { $0.name != DeflateParameters.name })
        negotiation.hasSubprotocol = !fields.protocols.isEmpty
        if fields.protocols.count == 1, let chosen = fields.protocols.elements(in: head).first {
            negotiation.carried = carried(by: chosen.rawBytes, context.layers)
        }
        return negotiation
    }

    /// The protocol whose messages a subprotocol carries; nil where that is not known.
    private static func carried(by subprotocol: RawSpan, _ layers: LayerTable) -> FramedProtocol? {
        let names = 0..<subprotocol.byteCount
        return layers.protocols.first { $0.subprotocols.contains { subprotocol.equals($0, in: names) } }.map { FramedProtocol($0) }
    }

    /// Tells the upgrade, with the texts of both sides as its content.
    private static func tellUpgrade<Sink: ConversationSink & ~Copyable>(
        _ fields: OpeningFields, in head: RawSpan, _ offer: UpgradeOffer?, _ asked: OpeningFields, _ compression: Upgrade.Compression?,
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        var text = Array("websocket".utf8)
        text.reserveCapacity(256)
        var upgrade = Upgrade(protocolName: ByteRange(0..<text.count), accepted: true, compression: compression)
        func append(_ part: RawSpan) -> ByteRange {
            let start = text.count
            text.append(copying: part)
            return part.isEmpty ? ByteRange() : ByteRange(start..<text.count)
        }
        if let offer {
            let asking = offer.head.rawBytes
            upgrade.host = append(asked.host.value(in: asking))
            let target = offer.request.target
            let end = min(target.end, asking.byteCount)
            if target.start >= 0, target.start < end { upgrade.target = append(asking.extracting(target.start..<end)) }
        }
        if let chosen = fields.protocols.elements(in: head).first { upgrade.subprotocol = append(chosen.rawBytes) }
        upgrade.extensions = append(fields.extensions.value(in: head))
        context.emit(.upgrade(upgrade), at: arrival, content: text.rawBytes, sink: &sink)
    }
}
