/// How the peer's half of a connection ended, or what ended the connection: one at a time, in order, and never before the bytes that came
/// before it. A TLS leg fires them as user inbound events to the handlers after it.
package enum WireEnding: Hashable, Sendable {
    /// A close_notify alert (RFC 8446 6.1). The TCP connection is still open in both directions.
    case closeNotify
    /// TCP's FIN; where no close_notify came before it, the peer left that out.
    case fin
    /// TCP's RST, or another error of the socket. The channel becomes inactive right after.
    case reset
    /// The TLS of the peer cannot be read any further: it sent a fatal alert, or a record that is not genuine. Nothing more can be
    /// read or written; FIN or RST may still follow.
    case broken(TLSTrouble)
}

extension WireEnding {
    init(_ ending: LegEnding) {
        self =
            switch ending {
            case .closeNotify: .closeNotify
            case .fin: .fin
            case .reset: .reset
            }
    }
}
