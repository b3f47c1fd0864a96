/// What a `ConversationEvent` tells: one case for each kind of record (docs/log-format.md).
public enum Fact: Sendable {
    case opened(Opening)
    case tls(TLSFacts)
    case request(RequestHead)
    case response(ResponseHead)
    case body(BodyPart)
    case upgrade(Upgrade)
    case frame(FrameHeader)
    case message(Message)
    /// A ping; the content is its payload.
    case ping
    case pong(Pong)
    case close(CloseFrame)
    /// What the two sides of an HTTP/2 connection tell each other beside messages.
    case control(ControlFrame)
    case data(DataRun)
    case gap(Gap)
    case finding(Finding)
    case closed(Closing)
}
