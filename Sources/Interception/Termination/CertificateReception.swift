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
    private let isHTTP2: Bool
    /// The client has taken data of the server.
    private var wasServed = false
    private let securedAt = NIODeadline.now()

    /// How soon a client closes that has looked at the certificate and will not use the connection. Browsers keep what they opened ahead of need
    /// for longer: Chromium for 10 s.
    private static let promptly = TimeAmount.seconds(2)

    /// - Parameter isHTTP2: HTTP/2 was agreed on. Its servers send SETTINGS without being asked (RFC 9113, section 3.4), also to a client that leaves.
    init(_ tls: TLSTermination, _ recorder: Recorder, plan: Plan, offered: UpstreamOffer, client: IPAddress, isHTTP2: Bool) {
        self.tls = tls
        self.recorder = recorder
        self.plan = plan
        self.offered = offered
        self.client = client
        self.isHTTP2 = isHTTP2
    }

    /// The client said something under it.
    func accepted() { tls.clientAccepted(offered, plan: plan, client: client) }

    /// A server that speaks first has served the client, which need not say anything.
    func served() { if !isHTTP2 { wasServed = true } }

    /// The client ended without having said anything.
    func ended(_ ending: WireEnding, of leg: Leg, conversation: UInt64) {
        guard let outcome = leg.tls?.outcome(of: ending) else { return }
        if outcome == .closedUnused {
            if wasServed { return tls.clientWasServed(offered, plan: plan, client: client) }
            if .now() - securedAt > Self.promptly { return }
        }
        tls.clientRefused(outcome, offered, plan: plan, client: client, conversation: conversation, recorder)
    }
}
