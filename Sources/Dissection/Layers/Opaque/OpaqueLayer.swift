/// Bytes of a protocol that has no layer: one `data` event for each run that came in, or messages where it is known how they are cut
/// (`FramedSession`).
///
/// Such protocols agree on TLS in words of their own (STARTTLS of mail and directories, the SSLRequest of PostgreSQL, a proxy's SOCKS). All
/// of them are alike in this: the server has had the last word, and then the client begins with a ClientHello. From there on a channel
/// inside is read.
///
/// ```
/// client  EHLO a\r\n STARTTLS\r\n                     16 03 01 … ClientHello
/// server              250 … \r\n   220 go ahead\r\n                            16 03 03 … ServerHello
///         └──────────── data ─────────────────────┘   └──────── inside ──────────────
/// ```
package struct OpaqueLayer<Inside: ChannelReader>: Layer {
    private var tunnel: HeldLayer<TunnelLayer<Inside>>?
    /// Bytes of the tunnel, as they were when it last took some.
    private var tunnelBytes = 0
    /// The user said that there is nothing to be read.
    private let isForced: Bool
    /// Who spoke last.
    private var speaker: Side?
    /// Something was lost since the client spoke last: what comes next need not be where it begins.
    private var hasLost = false
    /// More is not waited for.
    private static var mostPending: Int { 64 }
    /// Bytes with which a ClientHello may begin, and where they came.
    private var pending: [UInt8] = []
    private var pendingArrival: Arrival?
    /// Cuts the bytes into messages; none where the user wants them as they come.
    private let talk: FramedSession?

    package init(_ start: LayerStart) {
        isForced = start.isForced
        talk = start.isForced && start.framing == nil ? nil : FramedSession(start.framing)
    }

    package mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        if let tunnel { return tunnel.receive(bytes, at: arrival, held: &tunnelBytes, context: &context, sink: &sink) }
        guard bytes.byteCount > 0 else { return .taken }
        let isTurn = speaker == .server && arrival.side == .client && !isForced && !hasLost && talk?.isInside(.client) != true
        if speaker != arrival.side {
            tellPending(context: &context, sink: &sink)
            speaker = arrival.side
            hasLost = false
        }
        guard isTurn || !pending.isEmpty else {
            tell(bytes, at: arrival, context: &context, sink: &sink)
            return .taken
        }
        return judge(bytes, at: arrival, context: &context, sink: &sink)
    }

    /// The client's turn begins with these bytes, or with those that wait.
    private mutating func judge<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        let verdict: Recognized
        if pending.isEmpty {
            verdict = context.layers.isBegun(client: bytes)
        } else if pending.count < OpaqueLayer.mostPending {
            var beginning = pending
            beginning.append(copying: bytes.extracting(0..<min(OpaqueLayer.mostPending, bytes.byteCount)))
            verdict = context.layers.isBegun(client: beginning.rawBytes)
        } else {
            verdict = .no
        }
        switch verdict {
        case .no:
            tellPending(context: &context, sink: &sink)
            tell(bytes, at: arrival, context: &context, sink: &sink)
        case .undecided:
            if pending.isEmpty { pendingArrival = arrival } else { pendingArrival?.place.extend(by: arrival.place) }
            pending.append(copying: bytes)
        case .yes:
            for side in [Side.client, .server] { talk?.flush(side, context: &context, sink: &sink) }
            let inside = HeldLayer(TunnelLayer<Inside>(fromStart: true))
            tunnel = inside
            let beginning = pending
            pending = []
            if let first = pendingArrival, !beginning.isEmpty {
                _ = inside.receive(beginning.rawBytes, at: first, held: &tunnelBytes, context: &context, sink: &sink)
            }
            pendingArrival = nil
            return inside.receive(bytes, at: arrival, held: &tunnelBytes, context: &context, sink: &sink)
        }
        return .taken
    }

    private func tell<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if let talk { return talk.receive(bytes, at: arrival, context: &context, sink: &sink) }
        context.emit(.data(DataRun(length: UInt64(bytes.byteCount))), at: arrival, content: bytes, sink: &sink)
    }

    private mutating func tellPending<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard let first = pendingArrival, !pending.isEmpty else { return }
        let bytes = pending
        pending = []
        pendingArrival = nil
        tell(bytes.rawBytes, at: first, context: &context, sink: &sink)
    }

    package mutating func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if arrival.side == .client { tellPending(context: &context, sink: &sink) }
        talk?.flush(arrival.side, context: &context, sink: &sink)
    }

    package mutating func pass<Sink: ConversationSink & ~Copyable>(
        _ gap: Gap, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Bool { tunnel?.pass(gap, at: arrival, context: &context, sink: &sink) ?? false }

    package mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? {
        if arrival.side == .client { hasLost = true }
        talk?.skip(length, of: arrival.side)
        return nil
    }

    package mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if let tunnel { return tunnel.finish(at: arrival, context: &context, sink: &sink) }
        if arrival.side == .client { tellPending(context: &context, sink: &sink) }
        talk?.finish(at: arrival, context: &context, sink: &sink)
    }

    package mutating func settle<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        talk?.settle(context: &context, sink: &sink)
        tunnel?.settle(context: &context, sink: &sink)
    }

    package var isPassedOn: Bool { tunnel != nil }

    package func isHolding(_ side: Side) -> Bool { false }

    package var heldBytes: Int { pending.count + tunnelBytes + (talk?.heldBytes ?? 0) }

    package mutating func cutAssembly() -> Side? {
        defer { tunnelBytes = tunnel?.heldBytes ?? 0 }
        return tunnel?.cutAssembly() ?? talk?.cutAssembly()
    }

    package mutating func dropWindows() {
        tunnel?.dropWindows()
        tunnelBytes = tunnel?.heldBytes ?? 0
    }

    package var searchSteps: Int { (tunnel?.searchSteps ?? 0) + (talk?.searchSteps ?? 0) }

    package func waiting(of side: Side) -> UInt64 {
        (side == .client ? UInt64(pending.count) : 0) &+ (tunnel?.waiting(of: side) ?? 0)
    }
}

extension OpaqueLayer: RegisteredLayer {
    package static var name: LayerName { .data }

    /// Never by its first bytes: it is what is left.
    package static func begins(client: RawSpan, server: RawSpan, searched: inout Int) -> Recognized { .no }

    package static func search() -> (any MidstreamSearch)? { ForeignSearch() }
}
