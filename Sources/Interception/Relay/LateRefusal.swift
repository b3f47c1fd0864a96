import Dissection
import Reports

extension Recorder {
    /// Reports that a server ended TLS over the client certificate.
    ///
    /// With TLS 1.3 the handshake is over for the proxy before the server has looked at the client's certificate (RFC 8446, section 4.4.2.4): its
    /// alert comes where application data would, and without this the conversation would only show a reset.
    func findRefusal(_ trouble: TLSTrouble, by leg: Leg, in conversation: UInt64) {
        guard leg.side == .server, leg.tls?.hasReceived == false, let words = trouble.refusalOfOurCertificate else { return }
        find(.proxyTLSFailed, detail: words, in: conversation, at: .now)
    }
}

extension TLSTrouble {
    /// Why a server ended TLS that had said nothing yet, where it is about the client certificate; nil where it is not.
    var refusalOfOurCertificate: String? {
        guard case .alert(let alert) = self, alert == .certificateRequired || alert.isAboutCertificate else { return nil }
        let advice = advice ?? "it refused the client certificate: give one that it accepts with --client-cert"
        return "the server ended it after the handshake with the TLS alert “\(alert)” (\(advice))"
    }
}
