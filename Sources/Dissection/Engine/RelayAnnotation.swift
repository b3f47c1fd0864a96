/// What the recording of a proxy says of a conversation beside its packets: what went on at the proxy, and how it ended where nothing on the
/// wire says so.
public enum RelayAnnotation: Sendable {
    /// Said of the packet that opens a conversation: the names that the client and the server had there, empty where they had none, and whether what
    /// the packets have for the server's address stands for none, because it was never known.
    case opened(isServerUnknown: Bool, client: [UInt8], server: [UInt8])
    /// TLS was terminated; the content is what the facts point to.
    case secured(TLSFacts, content: [UInt8])
    /// The proxy had something to say; the content is the text that the row's sentence names.
    case found(FindingRow, detail: [UInt8])
    /// The proxy ended the conversation, or gave it up; the row says why, and the reason is the text that it names.
    /// `ends` says how the sides had left by then, where nothing else does.
    case closed(Closing.Manner, Closing.Closer, row: FindingRow?, reason: [UInt8]?, ends: Closing.Ends)
    /// What the side sends from here on belongs to nothing that is read (`StreamEvent.aside`).
    case aside(Side)
    /// So many bytes of the side came, and were not kept.
    case unkept(Side, UInt64)
}
