/// TLS: the names in the hellos, alerts in the clear, and the records by type and size; and what is inside, where there are keys.
///
/// Ciphertext is neither shown nor kept longer than until its record is whole. A record that is no hello is one `data` event when its last
/// byte has come, unless it is opened and carries bytes of the channel inside.
package struct TLSLayer<Inside: ChannelReader>: Layer {
    var client = TLSDirection<Inside>()
    var server = TLSDirection<Inside>()
    var handshake = TLSHandshake()
    /// What keys open; none where there are none.
    var opened: OpenedTLS<Inside>?
    private var hasLookedForKeys = false
    private var serverHasFinished = false
    /// Bytes of the server, or a gap, were seen.
    private var serverHasBegun = false
    /// The server speaks SSL 2.0, and so do both.
    private var old: OldSession?

    package init() {}

    package mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        if let old {
            old.receive(bytes, at: arrival, handshake: &handshake, context: &context, sink: &sink)
            return .taken
        }
        if arrival.side == .server, !serverHasBegun, bytes.byteCount > 0 {
            serverHasBegun = true
            // No content type of TLS has the highest bit.
            if client.saidOldHello, bytes[0] & 0x80 != 0 {
                let session = OldSession()
                old = session
                session.receive(bytes, at: arrival, handshake: &handshake, context: &context, sink: &sink)
                return .taken
            }
        }
        if !hasLookedForKeys { lookForKeys(context) }
        if arrival.side == .client { handshake.clientHasBegun = true }
        if let opened {
            opened.noteBeginning(at: arrival, context: context, sink: &sink)
            receiveOpening(bytes, at: arrival, context: &context, sink: &sink)
            return .taken
        }
        take(bytes, at: arrival, context: &context, sink: &sink)
        return .taken
    }

    /// Returns how many bytes were taken: those behind a record that waits for a key are not.
    @discardableResult
    mutating func take<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Int {
        // Up to TLS 1.2 a client waits for the server's whole flight.
        if arrival.side == .client {
            server.giveUpCertificates(context: &context, sink: &sink)
            awaitClient()
        }
        return arrival.side == .client
            ? client.receive(bytes, at: arrival, handshake: &handshake, context: &context, sink: &sink)
            : server.receive(bytes, at: arrival, handshake: &handshake, context: &context, sink: &sink)
    }

    /// Has the client's records read for the certificates that the server has asked for, where there are no keys.
    private mutating func awaitClient() { client.awaiting = server.held?.awaitsClientCertificates == true ? server.held : nil }

    private mutating func lookForKeys(_ context: borrowing ConversationContext) {
        hasLookedForKeys = true
        guard let keys = context.layers.keys as? TLSDecryption, !keys.secrets.isEmpty, context.channel.depth < ByteChannel.mostDepth else {
            return
        }
        set(OpenedTLS(keys))
    }

    mutating func set(_ opened: OpenedTLS<Inside>?) {
        self.opened = opened
        client.opened = opened
        server.opened = opened
    }

    package var standing: Standing { opened?.standing ?? Standing(.sealed) }

    package mutating func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if arrival.side == .server { serverHasBegun = true } else { awaitClient() }
        opened?.noteBeginning(at: arrival, context: context, sink: &sink)
        // What waited for a key came before the loss.
        stopWaiting(context: &context, sink: &sink)
        if let old {
            old.flush(at: arrival, context: &context, sink: &sink)
        } else if arrival.side == .client {
            client.flush(at: arrival, handshake: &handshake, context: &context, sink: &sink)
        } else {
            server.flush(at: arrival, handshake: &handshake, context: &context, sink: &sink)
        }
    }

    package mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? {
        if let old {
            old.skip(length, at: arrival, context: &context, sink: &sink)
        } else if arrival.side == .client {
            client.skip(length, at: arrival, handshake: &handshake, context: &context, sink: &sink)
        } else {
            server.skip(length, at: arrival, handshake: &handshake, context: &context, sink: &sink)
        }
        return nil
    }

    package mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if let old {
            old.finish(at: arrival, context: &context, sink: &sink)
            return
        }
        stopWaiting(context: &context, sink: &sink)
        handshake.noteEnd(of: arrival.side)
        if arrival.side == .server { serverHasFinished = true } else { awaitClient() }
        if arrival.side == .server { reportUnanswered(at: arrival, context: &context, sink: &sink) }
        // Only the server's end is the end of all hope for its hello.
        if serverHasFinished { handshake.tellWithoutServer(context: &context, sink: &sink) }
        if arrival.side == .client {
            client.finish(at: arrival, handshake: &handshake, context: &context, sink: &sink)
        } else {
            server.finish(at: arrival, handshake: &handshake, context: &context, sink: &sink)
        }
        if let opened, !opened.isDone { opened.finish(at: arrival, context: &context, sink: &sink) }
    }

    /// The server sends nothing more: reports that it has closed without a byte after the ClientHello.
    private func reportUnanswered<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard handshake.hasHello, context.channel.depth == 0, context[.server].bytes == 0, !context.lacksServer,
            let ending = context.end(at: arrival), ending.side == .server, ending.how == .fin || ending.how == .reset,
            context.isWhole(.client), context.isWhole(.server)
        else { return }
        context.emit(.tlsHelloUnanswered, at: arrival, sink: &sink)
    }

    package mutating func settle<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        stopWaiting(context: &context, sink: &sink)
        server.tellHeldAhead(context: &context, sink: &sink)
        opened?.settle(context: &context, sink: &sink)
    }

    package mutating func dropWindows() { opened?.dropWindows() }

    package var searchSteps: Int { opened?.searchSteps ?? 0 }

    package func isHolding(_ side: Side) -> Bool { false }

    package var heldBytes: Int {
        mutating get {
            let held = client.heldBytes + server.heldBytes + handshake.heldBytes + (server.held?.recordBytes ?? 0)
            guard let opened else { return held }
            return held + opened.heldBytes + client.fragment.capacity + server.fragment.capacity
        }
    }

    package mutating func cutAssembly() -> Side? {
        opened?.giveUpWaiting()
        if let side = opened?.cutAssembly() { return side }
        if client.heldBytes > 0, client.heldBytes >= server.heldBytes {
            client.cut()
            return .client
        }
        if server.heldBytes > 0 {
            server.cut()
            return .server
        }
        guard handshake.heldBytes > 0 else { return nil }
        handshake.forget()
        return .client
    }
}

extension TLSLayer: RegisteredLayer {
    package static var name: LayerName { .tls }
    package static var mayFollowConversation: Bool { true }

    package static func begins(client: RawSpan, server: RawSpan, searched: inout Int) -> Recognized {
        client.byteCount > 0 ? TLSRecords.beginsWithHello(client, type: 1) : TLSRecords.beginsWithHello(server, type: 2)
    }

    package static func search() -> (any MidstreamSearch)? { TLSSearch() }

    package static func mayBegin(with first: UInt8, from side: Side) -> Bool { first == 0x16 }

    package static func follows(client: RawSpan) -> Recognized { TLSRecords.isHelloAfterData(client) }

    package init(_ start: LayerStart) {
        self.init()
        client.isFound = start.isFound
        server.isFound = start.isFound
        client.isUnconfirmed = start.isFound || start.isFoundAfterLoss
        server.isUnconfirmed = start.isFound || start.isFoundAfterLoss
    }
}
