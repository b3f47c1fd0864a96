import NIOCore

/// Waits for the first sign of what a client makes of our certificate after its handshake: with TLS 1.3 a client finishes before it
/// complains, and one that pins says nothing and leaves.
final class CertificateReception {
    private let core: ProxyCore
    private let plan: Plan
    private let offered: UpstreamOffer

    init(core: ProxyCore, plan: Plan, offered: UpstreamOffer) {
        self.core = core
        self.plan = plan
        self.offered = offered
    }

    /// Something was said under it.
    func accepted() { core.tls.clientAccepted(offered, plan: plan) }

    /// The client ended before anything was said.
    func ended(_ ending: WireEnding, of leg: Leg, conversation: UInt64) {
        guard let outcome = leg.tls?.outcome(of: ending) else { return }
        core.tls.clientRefused(outcome, offered, plan: plan, conversation: conversation, core: core)
    }
}
