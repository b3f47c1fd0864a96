/// The header of the PROXY protocol before what the client says. It is shown as `data` with a finding that names the
/// addresses; what follows it is recognised as if it were the first.
struct ProxyHeaderLayer: Layer {
    private var header: [UInt8] = []
    private var start: Arrival?
    /// The header is whole, or there will be none.
    private var isOver = false

    mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        guard !isOver else {
            context.emit(.data(DataRun(length: UInt64(bytes.byteCount))), at: arrival, content: bytes, sink: &sink)
            return .taken
        }
        guard arrival.side == .client else { return .hold(consumed: 0) }
        let before = header.count
        if start == nil { start = arrival } else { start?.place.extend(by: arrival.place) }
        header.append(copying: bytes)
        switch ProxyHeader.read(header.rawBytes) {
        case .unfinished: return .taken
        case .malformed:
            tellHeader(context: &context, sink: &sink)
            return .handOver(consumed: bytes.byteCount, to: .opaque)
        case .whole(let found):
            // Bytes that came before did not make it whole.
            header.removeLast(header.count - found.length)
            let place = start ?? arrival
            tellHeader(context: &context, sink: &sink)
            var text = Array("no addresses".utf8)
            if !found.client.isEmpty { text = Array("client ".utf8) + found.client + Array(", server ".utf8) + found.server }
            context.emit(.tcpProxyHeader, a: UInt64(found.version), at: place, content: text.rawBytes, sink: &sink)
            return .handOver(consumed: found.length - before, to: .undecided(fromStart: true))
        }
    }

    private mutating func tellHeader<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        isOver = true
        let bytes = header
        header = []
        guard let start, !bytes.isEmpty else { return }
        context.emit(.data(DataRun(length: UInt64(bytes.count))), at: start, content: bytes.rawBytes, sink: &sink)
    }

    mutating func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if arrival.side == .client { tellHeader(context: &context, sink: &sink) }
    }

    mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? { arrival.side == .client ? .undecided(fromStart: false) : nil }

    mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if arrival.side == .client { tellHeader(context: &context, sink: &sink) }
    }

    func isHolding(_ side: Side) -> Bool { side == .server && !isOver }

    var heldBytes: Int { header.count }

    mutating func cutAssembly() -> Side? { nil }
}

extension ProxyHeaderLayer: RegisteredLayer {
    static var name: LayerName { LayerName("proxy-header") }
    static var isPreamble: Bool { true }

    static func begins(client: RawSpan, server: RawSpan, searched: inout Int) -> Recognized {
        client.byteCount > 0 ? ProxyHeader.begins(client) : .no
    }

    static func search() -> (any MidstreamSearch)? { ProxyHeaderSearch() }

    init(_ start: LayerStart) { self.init() }
}
