import Dissection
import Reports

extension Recorder {
    /// Reports that a server ended TLS over the client certificate, or that the proxy refused a side a new handshake.
    ///
    /// With TLS 1.3 the handshake is over for the proxy before the server has looked at the client's certificate (RFC 8446, section 4.4.2.4): its
    /// alert comes where application data would, and without this the conversation would only show a reset.
    func findRefusal(_ trouble: TLSTrouble, by leg: Leg, in conversation: UInt64) {
        if trouble.isRefusedRenegotiation {
            return find(.proxyTLSFailed, detail: trouble.words(about: "the \(leg.side)"), in: conversation, at: .now)
        }
        guard leg.side == .server, leg.tls?.hasReceived == false, let words = trouble.refusalOfOurCertificate else { return }
        find(.proxyTLSFailed, detail: words, in: conversation, at: .now)
    }
}

extension TLSTrouble {
    /// The peer asked for a new handshake, and the proxy has refused it with a fatal alert: BoringSSL does so.
    var isRefusedRenegotiation: Bool { self == .unreadable(reason: Self.renegotiation) }

    /// Why a server ended TLS that had said nothing yet, where it is about the client certificate; nil where it is not.
    var refusalOfOurCertificate: String? {
        guard case .alert(let alert) = self, alert == .certificateRequired || alert.isAboutCertificate else { return nil }
        let advice = advice ?? "it refused the client certificate: give one that it accepts with --client-cert"
        return "the server ended it after the handshake with the TLS alert “\(alert)” (\(advice))"
    }
}
