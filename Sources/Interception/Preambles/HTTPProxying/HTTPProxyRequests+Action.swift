extension HTTPProxyRequests {
    /// What is to be done about what the client sent.
    package enum Action: Hashable, Sendable {
        /// All was taken; the next bytes decide.
        case needMore
        /// Connect to there and answer with `Responses.connectionEstablished`. Bytes after those that were taken are the tunnel's first.
        case connect(HostPort)
        /// The head of a request, which may begin a conversation.
        case forward(ForwardedHead)
        /// The bytes that were taken go to the server as they are. There is at least one.
        case relay
        /// These bytes, which were held, go to the server as they are, and so does everything that follows: call `take` no more.
        case tunnel([UInt8])
        /// The bytes that were taken are the body of a request that the proxy answered: they go nowhere. There is at least one.
        case discard
        /// Nothing is to be done before answers of the server are complete. Read no more; call again once `takeAnswer` was true.
        case awaitAnswers
        /// Send this (`Responses.bytes(for:certificate:)`).
        case answer(LocalAnswer)
        /// Nothing that the proxy could say would be understood: send these bytes, if there are any, and close. The reason is for the log.
        case close([UInt8], reason: String)
        /// The proxy has sent its last response: close. What the client still sends is dropped.
        case end
    }

    /// Takes bytes of the client, and says what to do about the first thing that they make whole. Call it again with the rest, also with an
    /// empty one, until it needs more, has to wait, or ends. Bytes that were not consumed are not kept.
    ///
    /// A caller's loop ends whatever is sent: each action after which it goes on has used up bytes of this call, or a head that was held.
    package mutating func take(_ bytes: RawSpan) -> (consumed: Int, action: Action) {
        switch step(bytes) {
        case (0, .relay), (0, .discard): (0, .needMore)
        case let next: next
        }
    }
}
