import Dissection
import NIOCore

/// Waits for the first sign of what a client makes of our certificate after its handshake: with TLS 1.3 a client finishes before it
/// complains.
final class CertificateReception: ReceptionWatch {
    private let tls: TLSTermination
    private let recorder: Recorder
    private let plan: Plan
    private let offered: UpstreamOffer
    private let client: IPAddress
    private let securedAt = NIODeadline.now()

    /// How soon a client closes that has looked at the certificate and will not use the connection. Browsers keep what they opened ahead of need
    /// for longer: Chromium for 10 s.
    private static let promptly = TimeAmount.seconds(2)

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
        if outcome == .closedUnused, .now() - securedAt > Self.promptly { return }
        tls.clientRefused(outcome, offered, plan: plan, client: client, conversation: conversation, recorder)
    }
}
