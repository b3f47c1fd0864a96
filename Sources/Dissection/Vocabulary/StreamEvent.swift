/// The seam between the sources and the layers: what one direction of a conversation brought.
///
/// TCP reassembly makes these from packets, the proxy from sockets; nothing after it knows which.
public enum StreamEvent: ~Escapable {
    /// The next bytes in order, borrowed for the call.
    case bytes(RawSpan)
    /// The next bytes are not to be had.
    case gap(length: UInt64, cause: Gap.Cause)
    /// No more will come: FIN, or the end of a socket.
    case finished
    /// RST.
    case reset
}
