/// The seam between the sources and the layers: what one direction of a conversation brought.
///
/// TCP reassembly makes these from packets, the proxy from sockets; nothing after it knows which. Besides opening and closing there is no
/// other way into a conversation.
public enum StreamEvent: ~Escapable {
    /// The next bytes in order, borrowed for the call.
    case bytes(RawSpan)
    /// The next bytes are not to be had.
    case gap(length: UInt64, cause: Gap.Cause)
    /// No more will come: FIN, or the end of a socket.
    case finished
    /// RST.
    case reset
    /// The source itself found something about the connection; `detail` is the text that the row's sentence names. `offset` is the byte of
    /// the direction that it is about; nil where it is about no side.
    case found(Finding, offset: UInt64?, detail: RawSpan)
    /// What the side sends from here on belongs to nothing that is read of the conversation: it is shown as it comes. A server that was offered
    /// TLS, and responded in clear text, has responded to no request of the client.
    case aside
    /// The source terminates TLS, and this was agreed on; `names` is what the facts point to.
    case secured(TLSFacts, names: RawSpan)
}
