/// The layer that reads a conversation now. Its state is made when the first payload has said what it is.
///
/// The state lives in a box, which only this stack refers to: a conversation then costs what its own layer costs, and
/// the state is changed in place, never moved out.
struct LayerStack {
    enum Current {
        case http1
        case webSocket
        case tls
        case opaque
    }

    private final class Box<State: Layer> {
        var layer: State
        init(_ layer: State) { self.layer = layer }
    }

    private(set) var current: Current = .opaque
    private var http1: Box<HTTP1Layer>?
    private var webSocket: Box<WebSocketLayer>?
    private var tls: Box<TLSLayer>?
    private var opaque = OpaqueLayer()

    init(_ first: Current) { enter(first, negotiation: WebSocketNegotiation(isKnown: false)) }

    init(webSocket negotiation: WebSocketNegotiation) { enter(.webSocket, negotiation: negotiation) }

    private mutating func enter(_ layer: Current, negotiation: WebSocketNegotiation) {
        current = layer
        switch layer {
        case .http1: http1 = Box(HTTP1Layer())
        case .webSocket: webSocket = Box(WebSocketLayer(negotiation: negotiation))
        case .tls: tls = Box(TLSLayer())
        case .opaque: return
        }
    }

    @inline(__always)
    mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        switch current {
        case .webSocket: webSocket?.layer.receive(bytes, at: arrival, context: &context, sink: &sink) ?? .taken
        case .http1: http1?.layer.receive(bytes, at: arrival, context: &context, sink: &sink) ?? .taken
        case .tls: tls?.layer.receive(bytes, at: arrival, context: &context, sink: &sink) ?? .taken
        case .opaque: opaque.receive(bytes, at: arrival, context: &context, sink: &sink)
        }
    }

    mutating func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        switch current {
        case .webSocket: webSocket?.layer.flush(at: arrival, context: &context, sink: &sink)
        case .http1: http1?.layer.flush(at: arrival, context: &context, sink: &sink)
        case .tls: tls?.layer.flush(at: arrival, context: &context, sink: &sink)
        case .opaque: return
        }
    }

    mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? {
        switch current {
        case .webSocket: webSocket?.layer.skip(length, at: arrival, context: &context, sink: &sink)
        case .http1: http1?.layer.skip(length, at: arrival, context: &context, sink: &sink)
        case .tls: tls?.layer.skip(length, at: arrival, context: &context, sink: &sink)
        case .opaque: opaque.skip(length, at: arrival, context: &context, sink: &sink)
        }
    }

    mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        switch current {
        case .webSocket: webSocket?.layer.finish(at: arrival, context: &context, sink: &sink)
        case .http1: http1?.layer.finish(at: arrival, context: &context, sink: &sink)
        case .tls: tls?.layer.finish(at: arrival, context: &context, sink: &sink)
        case .opaque: opaque.finish(at: arrival, context: &context, sink: &sink)
        }
    }

    func isHolding(_ side: Side) -> Bool {
        switch current {
        case .http1: http1?.layer.isHolding(side) ?? false
        case .webSocket: webSocket?.layer.isHolding(side) ?? false
        case .tls: tls?.layer.isHolding(side) ?? false
        case .opaque: false
        }
    }

    var heldBytes: Int {
        mutating get {
            switch current {
            case .http1: http1?.layer.heldBytes ?? 0
            case .webSocket: webSocket?.layer.heldBytes ?? 0
            case .tls: tls?.layer.heldBytes ?? 0
            case .opaque: 0
            }
        }
    }

    mutating func cutAssembly() -> Side? {
        switch current {
        case .http1: http1?.layer.cutAssembly()
        case .webSocket: webSocket?.layer.cutAssembly()
        case .tls: tls?.layer.cutAssembly()
        case .opaque: nil
        }
    }
}
