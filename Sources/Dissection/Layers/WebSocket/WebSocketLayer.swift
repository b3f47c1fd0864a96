/// WebSocket (RFC 6455) with permessage-deflate (RFC 7692), judged from outside, both directions apart.
package struct WebSocketLayer: Layer {
    private var session: WebSocketSession
    private var client: WebSocketDirection
    private var server: WebSocketDirection
    private var clientHasBegun = false
    private var serverHasBegun = false
    /// Frames were found somewhere in what came, which may begin with something else: an upgrade that was cut.
    private var isFound = false
    /// As before, and the first bytes of both sides came before a loss: what was agreed to stands there, if anything.
    private var isFoundAfterLoss = false
    /// The user has said that this is spoken.
    private var isForced = false
    /// What `heldBytes` was when a direction last used its buffers.
    private var counted = 0
    private var restOfRequest: RestOfRequest

    package init(negotiation: WebSocketNegotiation) {
        session = WebSocketSession(negotiation: negotiation)
        client = WebSocketDirection(side: .client, carried: CarriedContent.make(negotiation, of: .client))
        server = WebSocketDirection(side: .server, carried: CarriedContent.make(negotiation, of: .server))
        restOfRequest = RestOfRequest(isDue: negotiation.requestMayFollow, isBegun: !negotiation.requestWasUnseen)
    }

    @inline(__always)
    package mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        if arrival.side == .client {
            if !clientHasBegun {
                if restOfRequest.isDue { return receiveRest(bytes, at: arrival, context: &context, sink: &sink) }
                begin(at: arrival, context)
            }
            client.receive(bytes, at: arrival, session: &session, context: &context, sink: &sink)
        } else {
            if !serverHasBegun { begin(at: arrival, context) }
            server.receive(bytes, at: arrival, session: &session, context: &context, sink: &sink)
        }
        return .taken
    }

    /// Takes bytes of the client of which the first may belong to the request.
    private mutating func receiveRest<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        let count = restOfRequest.take(bytes)
        if count > 0 {
            context.emit(.data(DataRun(length: UInt64(count))), at: arrival, content: bytes.extracting(0..<count), sink: &sink)
        }
        guard count < bytes.byteCount else { return .taken }
        return receive(bytes.suffix(from: count), at: arrival.advanced(by: count), context: &context, sink: &sink)
    }

    package mutating func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if arrival.side == .client {
            if !clientHasBegun { begin(at: arrival, context) }
            restOfRequest.lose()
            client.flush(at: arrival, session: &session, context: &context, sink: &sink)
        } else {
            if !serverHasBegun { begin(at: arrival, context) }
            server.flush(at: arrival, session: &session, context: &context, sink: &sink)
        }
    }

    package mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? {
        if arrival.side == .client {
            if !clientHasBegun { begin(at: arrival, context) }
            client.skip(length, at: arrival, session: &session, context: &context, sink: &sink)
        } else {
            if !serverHasBegun { begin(at: arrival, context) }
            server.skip(length, at: arrival, session: &session, context: &context, sink: &sink)
        }
        return nil
    }

    package mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if session.firstEnd == nil {
            let came = arrival.side == .client ? server.message.seen : client.message.seen
            session.firstEnd = WebSocketSession.FirstEnd(
                side: arrival.side, sizes: session[sizes: arrival.side.peer], messages: context[arrival.side.peer].messages, came: came,
                announced: AnnouncedLimit(session.negotiation, context))
        }
        let isRead = arrival.side == .client ? client.isReadWell : server.isReadWell
        if arrival.side == .client {
            client.finish(at: arrival, session: &session, context: &context, sink: &sink)
        } else {
            server.finish(at: arrival, session: &session, context: &context, sink: &sink)
        }
        if isRead { session.tellUnanswered(by: arrival.side, at: arrival, context: &context, sink: &sink) }
        if arrival.side == .client {
            tellProtocolNone(at: arrival, context: &context, sink: &sink)
        } else {
            client.tellContextUnread(at: arrival, context: &context, sink: &sink)
        }
        if let first = session.firstEnd, first.side != arrival.side, !client.hasClosed, !server.hasClosed {
            Self.reportSizeLimit(first, context: &context, sink: &sink)
        }
    }

    /// A stream whose beginning is not in the capture may begin anywhere in a frame, in each direction for itself. After
    /// packets that were cut short it mostly begins with a packet, and so with a frame; the frames have to bear that out.
    private mutating func begin(at arrival: Arrival, _ context: borrowing ConversationContext) {
        let side = arrival.side
        let isUnknown = !session.negotiation.isKnown || side == .client && session.negotiation.requestWasCut
        // Without a loss what comes after a request that was not seen begins with a frame.
        let isUnseen = side == .client && session.negotiation.requestWasUnseen && !context.hasBeginning(side)
        // Where frames were found, what began the other side in full view was no frame either.
        let isAfterOther = isFoundAfterLoss || isFound && (side == .client || !context.hasGap(side))
        let mayBeOther = side == .client && session.negotiation.requestMayFollow
        let mayBeCut = mayBeOther || isUnknown && (isAfterOther || !context.hasBeginning(side)) || isUnseen && context.hasGap(side)
        let isUnconfirmed = isUnknown && context.hasGap(side) || isUnseen || mayBeOther
        let isGuessed = isFound || isFoundAfterLoss || session.negotiation.isGuessed
        if side == .client {
            clientHasBegun = true
            client.begin(
                at: arrival.offset, mayBeCut: mayBeCut, isUnconfirmed: isUnconfirmed, isKnown: session.negotiation.isKnown,
                isGuessed: isGuessed,
                isForced: isForced)
        } else {
            serverHasBegun = true
            server.begin(
                at: arrival.offset, mayBeCut: mayBeCut, isUnconfirmed: isUnconfirmed, isKnown: session.negotiation.isKnown,
                isGuessed: isGuessed,
                isForced: isForced)
        }
    }

    package func isHolding(_ side: Side) -> Bool { false }

    package var standing: Standing { session.standing }

    package var heldBytes: Int {
        mutating get {
            guard client.hasUsedBuffers || server.hasUsedBuffers else { return counted }
            counted = client.countHeld() + server.countHeld() + session.clientPings.heldBytes + session.serverPings.heldBytes
            return counted
        }
    }

    package mutating func dropWindows() {
        client.dropWindow(outlastsMessages: session.compression(of: .client).takeover)
        server.dropWindow(outlastsMessages: session.compression(of: .server).takeover)
    }

    package mutating func cutAssembly() -> Side? {
        client.largestCut >= server.largestCut ? client.cutAssembly() : server.cutAssembly()
    }
}

extension WebSocketLayer: RegisteredLayer {
    package static var name: LayerName { .webSocket }
    package static var handshake: LayerName? { .http }

    /// Never without a handshake; what has none is found by its frames (`WebSocketResync`).
    package static func begins(client: RawSpan, server: RawSpan, searched: inout Int) -> Recognized { .no }

    package static func search() -> (any MidstreamSearch)? { WebSocketSearch() }

    package static func mayBegin(with first: UInt8, from side: Side) -> Bool { side == .client && first & 0x80 != 0 }

    package init(_ start: LayerStart) {
        self.init(negotiation: start.negotiation ?? WebSocketNegotiation(isKnown: false))
        isFound = start.isFound
        isFoundAfterLoss = start.isFoundAfterLoss
        isForced = start.isForced
    }
}
