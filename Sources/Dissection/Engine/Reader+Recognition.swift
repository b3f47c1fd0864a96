// Deciding who is who in a conversation and what is spoken, from what waits.

extension Reader {
    /// Decides roles and protocol from what waits, if it is enough or has to be.
    mutating func decide<Sink: ConversationSink & ~Copyable>(isLast: Bool, context: inout ConversationContext, sink: inout Sink) {
        let search = search ?? RecognitionSearch(context.layers)
        self.search = search
        var clue: RecognitionSearch.Clue?
        if case .recognition(fromStart: true) = phase {
            let found = context.layers.layer(
                client: queue.client.rawBytes, server: queue.server.rawBytes, searched: &search.lineSearched)
            clue = found.map { RecognitionSearch.Clue(layer: $0) }
        } else {
            clue = search.clue(in: queue, of: .client) ?? search.clue(in: queue, of: .server)
        }
        guard let clue = clue ?? (isLast ? lastWord(search, context) : nil) else { return }
        take(clue, context: &context, sink: &sink)
    }

    /// It is known what is spoken, and perhaps by whom: the layer reads what waits.
    mutating func take<Sink: ConversationSink & ~Copyable>(
        _ clue: RecognitionSearch.Clue, context: inout ConversationContext, sink: inout Sink
    ) {
        let name = chosen(clue.layer, context)
        let isFound = if case .recognition(fromStart: true) = phase { false } else { !startIsOpen }
        let isFoundAfterLoss = startIsOpen
        startIsOpen = false
        decideRoles(clue.client, context: &context, sink: &sink)
        self.search = nil
        enter(name, isFound: isFound, isFoundAfterLoss: isFoundAfterLoss, context: &context, sink: &sink)
        replay(context: &context, sink: &sink)
    }

    /// What the bytes that wait are, when nothing more will come.
    func lastWord(_ search: RecognitionSearch, _ context: borrowing ConversationContext) -> RecognitionSearch.Clue {
        if case .recognition(fromStart: true) = phase {
            return RecognitionSearch.Clue(
                layer: context.layers.lastWord(client: queue.client.rawBytes, server: queue.server.rawBytes))
        }
        return search.lastWord(queue, knowsRoles: knowsRoles)
    }

    /// What the user said goes before what was recognised, except for what comes before it.
    func chosen(_ recognised: LayerName, _ context: borrowing ConversationContext) -> LayerName {
        guard let forced else { return recognised }
        if let row = context.layers[recognised], row.isPreamble || row.olderVersion == forced { return recognised }
        if case .recognition(fromStart: true) = phase, context.layers[forced]?.handshake == recognised { return recognised }
        return forced
    }
}
