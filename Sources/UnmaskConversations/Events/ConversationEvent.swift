/// One thing that happened in a conversation between a client and a server: a request, a message, a finding, the end.
///
/// Events come in the order in which the bytes that they are made of arrived. An event is a value: it can be kept, compared and sent to other
/// tasks.
public struct ConversationEvent: Sendable, Equatable {
    /// The number of the conversation (the TCP connection), from 1 in the order in which they begin; 0 for what is about the input as a whole.
    public let conversation: Int
    /// Who sent the bytes; nil where the event is about neither side.
    public let sender: Side?
    /// When the last byte arrived; nil where the source has no clock.
    public let time: CaptureTime?
    /// The first and the last of the packets that carried the bytes, counted from 1 as Wireshark counts them; nil where there are no packets.
    public let packets: ClosedRange<Int>?
    /// Position of the first byte in what the sender sent, from 0; inside TLS or a tunnel it counts the bytes inside. Nil where the event is not
    /// about bytes.
    public let offset: Int?
    /// The HTTP/2 stream; 0 for everything else.
    public let stream: Int
    /// How many channels the bytes are inside of: 0 for the bytes of TCP, 1 for those inside TLS or a tunnel, and so on.
    public let depth: Int
    /// What happened.
    public let content: Content

    /// One of the two sides of a conversation.
    @frozen
    public enum Side: String, Sendable, CaseIterable {
        /// The side that opened the connection.
        case client
        /// The side that accepted it.
        case server

        /// The other side.
        public var peer: Side { self == .client ? .server : .client }
    }

    /// What happened. Later versions may add cases, so a `switch` needs an `@unknown default`.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public indirect enum Content: Sendable, Equatable {
        /// The conversation begins. Each conversation has one such event, before all its others.
        case opened(Opened)
        /// What the TLS handshake says, and whether the content is decrypted.
        case tls(TLS)
        /// The head of an HTTP request.
        case request(Request)
        /// The head of an HTTP response.
        case response(Response)
        /// A body, or the next part of it.
        case body(Body)
        /// The response to an HTTP upgrade, such as the one to WebSocket.
        case upgrade(Upgrade)
        /// A whole message: of a WebSocket, or of a protocol on plain TCP that has messages (MQTT, Redis, lines of text, …).
        case message(Message)
        /// A WebSocket ping, with its payload.
        case ping([UInt8])
        /// A WebSocket pong.
        case pong(Pong)
        /// A WebSocket Close frame.
        case closeFrame(CloseFrame)
        /// What the two sides of an HTTP/2 connection say beside messages: settings, GOAWAY, resets.
        case control(Control)
        /// Bytes of a protocol that is not known, or a TLS record that is not decrypted.
        case data(DataRun)
        /// Bytes that are missing, or could not be read.
        case gap(Gap)
        /// A rule of a protocol that a side broke, or something else worth knowing.
        case finding(ConversationFinding)
        /// The conversation has ended. Each conversation has one such event; only a finding may follow it.
        case closed(Closed)
        /// A place of the capture that is damaged; reading goes on after it.
        case damage(CaptureError)
        /// The input has ended: the last event of a reading.
        case ended(Totals)
    }
}
