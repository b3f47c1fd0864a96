/// What the recording of a proxy says of a conversation beside its packets: what went on at the proxy, and how it ended where nothing on the
/// wire says so.
public enum RelayAnnotation: Sendable {
    /// TLS was terminated; the content is what the facts point to.
    case secured(TLSFacts, content: [UInt8])
    /// The proxy had something to say; the content is the text that the row's sentence names.
    case found(FindingRow, detail: [UInt8])
    /// The proxy ended the conversation, or gave it up.
    case closed(Closing.Manner, Closing.Closer, reason: [UInt8]?)
}

extension Closing.Manner {
    /// The finding that says why a proxy ended a conversation in this manner.
    package var proxyRow: FindingRow? {
        switch self {
        case .connectFailed: .proxyConnectFailed
        case .tlsFailed: .proxyTLSFailed
        case .timeout: .proxyTimedOut
        case .limit: .proxyLimitReached
        case .shutdown: .proxyShutDown
        case .closeFrame, .fin, .reset, .endOfCapture, .evicted, .refused: nil
        }
    }
}
