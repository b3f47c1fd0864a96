/// What goes into an HTTP Archive.
public struct HARSettings: Sendable {
    /// Bytes of one message that are kept at most.
    public var payload: PayloadPolicy
    /// Bytes of one body, which comes in parts.
    public var bodyBytes = 16 << 20
    /// The conversations to be shown; all where none are named.
    public var conversations: ConversationSelection?
    /// Bytes that the exchanges which are not over take together at most: what comes beyond is left out of them, and counted.
    public var totalBytes = 64 << 20
    /// What picks exchanges: those of which it shows anything are written whole, with all messages of their WebSockets. Nil where all are.
    package var filter: FilterPlan?
    /// Of these, what bodies and messages may take: the rest is for heads, without which an exchange could not be told at all.
    var contentBytes: Int { totalBytes - totalBytes / 4 }

    public init(payload: PayloadPolicy = .full, conversations: ConversationSelection? = nil) {
        self.payload = payload
        self.conversations = conversations
    }
}
