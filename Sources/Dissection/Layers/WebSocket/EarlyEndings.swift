// Connections that ended early, for a reason that one side could not say.

/// The first compressed message of a side that refers to one before it.
struct ContextUse: Sendable {
    var time: Timestamp?
    /// Messages of its side before it, and frames that the other side had sent by then.
    var messages: UInt64
    var peerFrames: UInt64
}

extension WebSocketDirection {
    /// A compressed message could be inflated only with the window that those before it have left.
    mutating func noteContextUse(_ context: borrowing ConversationContext) {
        contextUse = ContextUse(time: message.place.time, messages: context[side].messages, peerFrames: context[side.peer].frames)
    }

    /// The server sends nothing more: reports that it ended the connection at the first message that needs the client's window.
    func tellContextUnread<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard context.channel.stream == 0, let use = contextUse, context[side].messages == use.messages + 1, let used = use.time,
            use.peerFrames == context[.server].frames,
            use.peerFrames > 0,
            let ending = context.end(at: arrival), ending.side == .server, ending.how == .fin || ending.how == .reset,
            let ended = ending.time,
            context.isWhole(.client), context.isWhole(.server)
        else { return }
        let waited = ended.nanoseconds(since: used)
        guard waited >= 0, waited <= 1_000_000_000 else { return }
        var text = FindingText()
        text.append(span: waited)
        context.emit(.webSocketContextUnread, at: arrival, content: text.bytes.rawBytes, sink: &sink)
    }

    /// Why a compressed message cannot be inflated.
    ///
    /// - Parameter hasEarlier: other messages of the side came before it.
    func whyInvalid(_ fault: Inflater.Fault, hasEarlier: Bool) -> [UInt8] {
        var text = FindingText()
        switch fault {
        case .malformed, .beyondWindow: text.append("its bytes are not a DEFLATE stream")
        case .beyondHistory where message.isAlone:
            text.append("it refers to bytes before its beginning")
            if hasEarlier {
                text.append(", so the ")
                text.append(side == .client ? "client" : "server")
                text.append(" probably keeps its context although it agreed to ")
                text.append(side == .client ? "client_no_context_takeover" : "server_no_context_takeover")
            }
        case .beyondHistory:
            text.append("it refers to more bytes than the ")
            text.append(side == .client ? "client" : "server")
            text.append(" has sent compressed")
            if hasSentPlain { text.append("; an uncompressed message may have gone into its window") }
        }
        return text.bytes
    }

    /// The server has closed with a code that says that it does not take this connection: reports that no subprotocol was agreed on, where
    /// nothing else came since the handshake.
    func reportProtocolRequired<Sink: ConversationSink & ~Copyable>(
        _ code: UInt16, _ session: borrowing WebSocketSession, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard side == .server, session.negotiation.isKnown, !session.negotiation.hasSubprotocol, context.channel.stream == 0,
            context[.client].frames == 0, context[.server].frames == 1, context.isWhole(.client), context.isWhole(.server)
        else { return }
        var text = FindingText()
        if context.passedOver.isEmpty {
            text.append("the client offered none")
        } else {
            text.append("the server chose none of those offered (")
            text.append(context.passedOver)
            text.append(")")
        }
        context.emit(.webSocketProtocolRequired, a: UInt64(code), at: arrival, content: text.bytes.rawBytes, sink: &sink)
    }

    /// Reports a pong that came after its ping's sender had closed the connection.
    func tellLatePong<Sink: ConversationSink & ~Copyable>(
        _ waited: Int64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let ending = context.ending, ending.how == .closeFrame, ending.side == side.peer, let closed = ending.time,
            let now = arrival.place.time
        else { return }
        let late = now.nanoseconds(since: closed)
        guard late >= 500_000_000, waited - late >= 100_000_000 else { return }
        var text = FindingText()
        text.append(span: waited)
        text.append(" after the ping and ")
        text.append(span: late)
        text.append(" after the ")
        text.append(side == .client ? "server" : "client")
        text.append(" had closed")
        if let code = ending.code {
            text.append(" with code ")
            text.append(decimal: UInt64(code))
        }
        context.emit(.webSocketPongLate, at: arrival, content: text.bytes.rawBytes, sink: &sink)
    }
}

extension WebSocketLayer {
    /// Later than this after the handshake a client leaves for another reason.
    private static let longestStay: Int64 = 5_000_000_000

    /// The client sends nothing more: reports that it left because no subprotocol was chosen.
    func tellProtocolNone<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard !context.passedOver.isEmpty, context.channel.stream == 0, context[.client].messages == 0, context[.server].messages == 0,
            let ending = context.end(at: arrival),
            ending.side == .client, ending.how != .closeFrame || ending.code != 1_000 && ending.code != 1_001,
            let stay = context.spoken.silence(until: ending.time), stay <= Self.longestStay, context.isWhole(.client),
            context.isWhole(.server)
        else { return }
        var text = FindingText()
        text.append(context.passedOver)
        context.emit(.webSocketProtocolNone, at: arrival, content: text.bytes.rawBytes, sink: &sink)
    }
}
