/// Words that formats say of payloads in which these do not stand: the type of a message that is a number in it.
///
/// Who looks for a text need not have a payload decoded that is JSON without escapes, unless the text may be one of these.
package enum FormatWords {
    /// Of payloads that begin with `{` or `[`, or with digits before these.
    package static let ofJSON: [String] = (EngineIO.types + SocketIOPacket.types + Array(SignalR.types.values) + WAMP.types + others).map {
        $0.description
    }

    /// Those of JSON-RPC, SockJS and GraphQL, and of what stands around them.
    private static let others: [StaticString] = [
        "handshake", "batch", "notification", "call", "error", "result", "message", "open", "close", "query", "mutation", "subscription",
    ]
}
