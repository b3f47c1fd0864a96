import Dissection
import Reports

/// TLS on one side of the proxy alone, in reverse mode: what the URL of the upstream says about TLS and what the client does need not agree, and
/// the proxy makes up for it. Such a client works through the proxy and not without it, which the user has to know.
extension ClientSession {
    /// The client speaks TLS, and the server is spoken to in plaintext. A Unix socket cannot be reached without the proxy, and is left out.
    func reportUnwrappedTLS() {
        guard let plan, let conversation, !plan.isUnix else { return }
        Self.report(
            """
            the client speaks TLS, and plaintext goes to the upstream \(plan.target), as its URL says. Without the proxy the client's TLS handshake \
            would fail, unless the server speaks TLS: then the URL has to say so
            """,
            in: conversation, core)
    }

    /// Watches for the client's first bytes where the server speaks TLS and the client does not: one that says nothing is no evidence.
    func plaintextReception() -> (any ReceptionWatch)? {
        guard case .plaintext = nature, let plan, handshakes.server != nil else { return nil }
        return PlaintextReception { [core, conversation] in
            guard let conversation else { return }
            Self.report(
                "the client speaks plaintext and the upstream \(plan.target) speaks TLS. Without the proxy the client has to use TLS",
                in: conversation, core)
        }
    }

    private static func report(_ words: String, in conversation: UInt64, _ core: ProxyCore) {
        guard core.reportedOnce.isFirst(.proxyTLSUnwrapped, of: words) else { return }
        core.recorder.find(.proxyTLSUnwrapped, detail: words, in: conversation, at: .now)
    }
}

/// Waits for the first bytes of a client that speaks plaintext.
private final class PlaintextReception: ReceptionWatch {
    private let spoke: () -> Void

    init(spoke: @escaping () -> Void) { self.spoke = spoke }

    func accepted() { spoke() }

    func served() {}

    func ended(_ ending: WireEnding, of leg: Leg, conversation: UInt64) {}
}
