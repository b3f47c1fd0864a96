// Deciding who is who in a conversation and what is spoken, from what waits.

extension Conversation {
    /// Decides roles and protocol from what waits, if it is enough or has to be.
    mutating func decide<Sink: ConversationSink & ~Copyable>(isLast: Bool, sink: inout Sink) {
        let search = search ?? RecognitionSearch()
        self.search = search
        var clue: ProtocolRecognition.Clue?
        if case .recognition(fromStart: true) = phase {
            let layer = ProtocolRecognition.atStart(
                client: queue.bytes(of: sides.direction(of: .client)), server: queue.bytes(of: sides.direction(of: .server)),
                searched: &search.lineSearched)
            clue = layer.map { ProtocolRecognition.Clue(layer: $0) }
        } else {
            clue = search.clue(in: queue.first.rawBytes, of: .first) ?? search.clue(in: queue.second.rawBytes, of: .second)
        }
        guard let clue = clue ?? (isLast ? lastWord(search) : nil) else { return }
        take(clue, sink: &sink)
    }

    /// It is known what is spoken, and perhaps by whom: the layer reads what waits.
    mutating func take<Sink: ConversationSink & ~Copyable>(_ clue: ProtocolRecognition.Clue, sink: inout Sink) {
        let layer = chosen(clue.layer)
        if case .roles = phase { decideRoles(clue.client, sink: &sink) }
        self.search = nil
        enter(layer, sink: &sink)
        replay(sink: &sink)
    }

    /// What the bytes that wait are, when nothing more will come.
    func lastWord(_ search: RecognitionSearch) -> ProtocolRecognition.Clue {
        switch phase {
        case .recognition(fromStart: true):
            let isRequest = HTTP1Lines.isUnfinishedRequest(queue.bytes(of: sides.direction(of: .client)))
            return ProtocolRecognition.Clue(layer: isRequest ? .http1 : .opaque)
        case .recognition, .running, .watching:
            return ProtocolRecognition.lastWord(
                first: queue.first.rawBytes, second: queue.second.rawBytes, search: search, client: sides.direction(of: .client))
        case .roles:
            return ProtocolRecognition.lastWord(
                first: queue.first.rawBytes, second: queue.second.rawBytes, search: search, client: nil)
        }
    }

    /// What the user said goes before what was recognised, except for a handshake at the start of a WebSocket.
    func chosen(_ recognised: LayerStack.Current) -> LayerStack.Current {
        if recognised == .proxyHeader { return recognised }
        if case .recognition(fromStart: true) = phase, recognised == .http1, forced == .webSocket { return .http1 }
        return forced ?? recognised
    }

    /// Fixes who is who: as the content says, else the lower port is the server, else the first sender is the client.
    mutating func decideRoles<Sink: ConversationSink & ~Copyable>(_ client: Direction?, sink: inout Sink) {
        let before = sides.sideOfFirst
        let roles = sides.decide(client: client, rulePort: rulePort, first: firstEndpoint, second: secondEndpoint)
        if sides.sideOfFirst != before { context.swapSides() }
        emitOpened(roles: roles, sink: &sink)
        phase = .recognition(fromStart: false)
    }

    mutating func emitOpened<Sink: ConversationSink & ~Copyable>(roles: Opening.Roles, sink: inout Sink) {
        guard !isOpened else { return }
        isOpened = true
        let (client, server) = sides.sideOfFirst == .client ? (firstEndpoint, secondEndpoint) : (secondEndpoint, firstEndpoint)
        let opening = Opening(client: client, server: server, start: start, roles: roles)
        Conversation.tellOpened(opening, number: context.number, place: openedPlace, sink: &sink)
    }

    /// Tells that a conversation has come into sight.
    static func tellOpened<Sink: ConversationSink & ~Copyable>(_ opening: Opening, number: UInt64, place: Place, sink: inout Sink) {
        sink.receive(
            ConversationEvent(conversation: number, from: nil, place: place, offset: nil, fact: .opened(opening), content: RawSpan()))
    }
}
