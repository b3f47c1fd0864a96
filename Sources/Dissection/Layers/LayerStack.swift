/// The layer that reads a conversation now. Its state is made when the first payload has said what it is.
///
/// One optional for each layer rather than an enum with payloads: the state is changed in place, never moved out.
struct LayerStack {
    enum Current {
        case http1
        case webSocket
        case tls
        case opaque
    }

    private(set) var current: Current = .opaque
    private var http1: HTTP1Layer?
    private var webSocket: WebSocketLayer?
    private var tls: TLSLayer?
    private var opaque = OpaqueLayer()

    init(_ first: Current) { enter(first, negotiation: WebSocketNegotiation(isKnown: false)) }

    init(webSocket negotiation: WebSocketNegotiation) { enter(.webSocket, negotiation: negotiation) }

    private mutating func enter(_ layer: Current, negotiation: WebSocketNegotiation) {
        http1 = nil
        webSocket = nil
        tls = nil
        current = layer
        switch layer {
        case .http1: http1 = HTTP1Layer()
        case .webSocket: webSocket = WebSocketLayer(negotiation: negotiation)
        case .tls: tls = TLSLayer()
        case .opaque: return
        }
    }

    @inline(__always)
    mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        switch current {
        case .webSocket: webSocket?.receive(bytes, at: arrival, context: &context, sink: &sink) ?? .taken
        case .http1: http1?.receive(bytes, at: arrival, context: &context, sink: &sink) ?? .taken
        case .tls: tls?.receive(bytes, at: arrival, context: &context, sink: &sink) ?? .taken
        case .opaque: opaque.receive(bytes, at: arrival, context: &context, sink: &sink)
        }
    }

    mutating func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        switch current {
        case .webSocket: webSocket?.flush(at: arrival, context: &context, sink: &sink)
        case .http1: http1?.flush(at: arrival, context: &context, sink: &sink)
        case .tls: tls?.flush(at: arrival, context: &context, sink: &sink)
        case .opaque: return
        }
    }

    mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? {
        switch current {
        case .webSocket: webSocket?.skip(length, at: arrival, context: &context, sink: &sink)
        case .http1: http1?.skip(length, at: arrival, context: &context, sink: &sink)
        case .tls: tls?.skip(length, at: arrival, context: &context, sink: &sink)
        case .opaque: opaque.skip(length, at: arrival, context: &context, sink: &sink)
        }
    }

    mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        switch current {
        case .webSocket: webSocket?.finish(at: arrival, context: &context, sink: &sink)
        case .http1: http1?.finish(at: arrival, context: &context, sink: &sink)
        case .tls: tls?.finish(at: arrival, context: &context, sink: &sink)
        case .opaque: opaque.finish(at: arrival, context: &context, sink: &sink)
        }
    }

    func isHolding(_ side: Side) -> Bool {
        switch current {
        case .http1: http1?.isHolding(side) ?? false
        case .webSocket: webSocket?.isHolding(side) ?? false
        case .tls: tls?.isHolding(side) ?? false
        case .opaque: false
        }
    }

    var heldBytes: Int {
        mutating get {
            switch current {
            case .http1: http1?.heldBytes ?? 0
            case .webSocket: webSocket?.heldBytes ?? 0
            case .tls: tls?.heldBytes ?? 0
            case .opaque: 0
            }
        }
    }

    mutating func cutAssembly() -> Side? {
        switch current {
        case .http1: http1?.cutAssembly()
        case .webSocket: webSocket?.cutAssembly()
        case .tls: tls?.cutAssembly()
        case .opaque: nil
        }
    }
}
