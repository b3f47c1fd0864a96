import Dissection

/// Waits for the first sign of what a client makes of our certificate after its handshake: with TLS 1.3 a client finishes before it
/// complains.
final class CertificateReception: ReceptionWatch {
    private let tls: TLSTermination
    private let recorder: Recorder
    private let plan: Plan
    private let offered: UpstreamOffer
    private let client: IPAddress

    init(_ tls: TLSTermination, _ recorder: Recorder, plan: Plan, offered: UpstreamOffer, client: IPAddress) {
        self.tls = tls
        self.recorder = recorder
        self.plan = plan
        self.offered = offered
        self.client = client
    }

    /// The client said something under it.
    func accepted() { tls.clientAccepted(offered, plan: plan, client: client) }

    /// The client ended before anything was said.
    func ended(_ ending: WireEnding, of leg: Leg, conversation: UInt64) {
        guard let outcome = leg.tls?.outcome(of: ending) else { return }
        tls.clientRefused(outcome, offered, plan: plan, client: client, conversation: conversation, recorder)
    }
}
