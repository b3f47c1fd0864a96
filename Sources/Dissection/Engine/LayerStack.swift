/// The layer that reads a conversation now. Its state is made when the first payload has said what it is.
///
/// The state lives in a box, which only this stack refers to: a conversation then costs what its own layer costs, and
/// the state is changed in place, never moved out.
struct LayerStack {
    enum Current {
        case http1
        case webSocket
        case tls
        case proxyHeader
        case opaque
    }

    private final class Box<State: Layer> {
        /// Bytes that it takes in the heap.
        static var ownBytes: Int { MemoryLayout<State>.size + 32 }

        var layer: State
        init(_ layer: State) { self.layer = layer }
    }

    private(set) var current: Current = .opaque
    private var http1: Box<HTTP1Layer>?
    private var webSocket: Box<WebSocketLayer>?
    private var tls: Box<TLSLayer>?
    private var proxyHeader: Box<ProxyHeaderLayer>?
    private var opaque = OpaqueLayer()
    /// Bytes of the layer and its buffers, as they were after the last call that could change them.
    private(set) var heldBytes = 0

    init(_ first: Current) { enter(first, negotiation: WebSocketNegotiation(isKnown: false)) }

    init(webSocket negotiation: WebSocketNegotiation) { enter(.webSocket, negotiation: negotiation) }

    private mutating func enter(_ layer: Current, negotiation: WebSocketNegotiation) {
        current = layer
        switch layer {
        case .http1: http1 = Box(HTTP1Layer())
        case .webSocket: webSocket = Box(WebSocketLayer(negotiation: negotiation))
        case .tls: tls = Box(TLSLayer(makeHTTP: { HTTP1Layer.ofResponsesAlone() }))
        case .proxyHeader: proxyHeader = Box(ProxyHeaderLayer())
        case .opaque: return
        }
        countHeld()
    }

    @inline(__always)
    mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        switch current {
        case .webSocket:
            guard let webSocket else { return .taken }
            return LayerStack.receive(bytes, at: arrival, by: &webSocket.layer, held: &heldBytes, context: &context, sink: &sink)
        case .http1:
            guard let http1 else { return .taken }
            return LayerStack.receive(bytes, at: arrival, by: &http1.layer, held: &heldBytes, context: &context, sink: &sink)
        case .tls:
            guard let tls else { return .taken }
            return LayerStack.receive(bytes, at: arrival, by: &tls.layer, held: &heldBytes, context: &context, sink: &sink)
        case .proxyHeader:
            guard let proxyHeader else { return .taken }
            return LayerStack.receive(bytes, at: arrival, by: &proxyHeader.layer, held: &heldBytes, context: &context, sink: &sink)
        case .opaque:
            return opaque.receive(bytes, at: arrival, context: &context, sink: &sink)
        }
    }

    /// Reads and counts in one access to the box, because each access is checked for being the only one.
    @inline(__always)
    private static func receive<State: Layer, Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, by layer: inout State, held: inout Int, context: inout ConversationContext,
        sink: inout Sink
    ) -> LayerOutcome {
        let outcome = layer.receive(bytes, at: arrival, context: &context, sink: &sink)
        held = Box<State>.ownBytes + layer.heldBytes
        return outcome
    }

    mutating func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        defer { countHeld() }
        switch current {
        case .webSocket: webSocket?.layer.flush(at: arrival, context: &context, sink: &sink)
        case .http1: http1?.layer.flush(at: arrival, context: &context, sink: &sink)
        case .tls: tls?.layer.flush(at: arrival, context: &context, sink: &sink)
        case .proxyHeader: proxyHeader?.layer.flush(at: arrival, context: &context, sink: &sink)
        case .opaque: return
        }
    }

    mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? {
        defer { countHeld() }
        switch current {
        case .webSocket: return webSocket?.layer.skip(length, at: arrival, context: &context, sink: &sink)
        case .http1: return http1?.layer.skip(length, at: arrival, context: &context, sink: &sink)
        case .tls: return tls?.layer.skip(length, at: arrival, context: &context, sink: &sink)
        case .proxyHeader: return proxyHeader?.layer.skip(length, at: arrival, context: &context, sink: &sink)
        case .opaque: return opaque.skip(length, at: arrival, context: &context, sink: &sink)
        }
    }

    mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        defer { countHeld() }
        switch current {
        case .webSocket: webSocket?.layer.finish(at: arrival, context: &context, sink: &sink)
        case .http1: http1?.layer.finish(at: arrival, context: &context, sink: &sink)
        case .tls: tls?.layer.finish(at: arrival, context: &context, sink: &sink)
        case .proxyHeader: proxyHeader?.layer.finish(at: arrival, context: &context, sink: &sink)
        case .opaque: opaque.finish(at: arrival, context: &context, sink: &sink)
        }
    }

    func isHolding(_ side: Side) -> Bool {
        switch current {
        case .http1: http1?.layer.isHolding(side) ?? false
        case .webSocket: webSocket?.layer.isHolding(side) ?? false
        case .tls: tls?.layer.isHolding(side) ?? false
        case .proxyHeader: proxyHeader?.layer.isHolding(side) ?? false
        case .opaque: false
        }
    }

    mutating func stopHolding(_ side: Side) {
        if case .http1 = current { http1?.layer.stopHolding(side) }
    }

    mutating func cutAssembly() -> Side? {
        defer { countHeld() }
        switch current {
        case .http1: return http1?.layer.cutAssembly()
        case .webSocket: return webSocket?.layer.cutAssembly()
        case .tls: return tls?.layer.cutAssembly()
        case .proxyHeader, .opaque: return nil
        }
    }

    mutating func dropWindows() {
        guard case .webSocket = current else { return }
        webSocket?.layer.dropWindows()
        countHeld()
    }

    private mutating func countHeld() {
        heldBytes =
            switch current {
            case .http1: Box<HTTP1Layer>.ownBytes + (http1?.layer.heldBytes ?? 0)
            case .webSocket: Box<WebSocketLayer>.ownBytes + (webSocket?.layer.heldBytes ?? 0)
            case .tls: Box<TLSLayer>.ownBytes + (tls?.layer.heldBytes ?? 0)
            case .proxyHeader: Box<ProxyHeaderLayer>.ownBytes + (proxyHeader?.layer.heldBytes ?? 0)
            case .opaque: 0
            }
    }
}
