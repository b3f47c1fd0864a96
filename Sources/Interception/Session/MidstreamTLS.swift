import Dissection
import NIOCore
import Reports

/// Follows a plaintext conversation into TLS (STARTTLS, a CONNECT inside it): watches for the agreement, and when the client
/// then sends a ClientHello, opens TLS on both sides and goes on with the same relay.
///
/// Only a whole ClientHello begins it; what turns out to be something else goes on as the bytes that it is.
final class MidstreamTLS: LegOwner {
    private enum Phase { case watching, looking, securingServer, securingClient, over }

    private let core: ProxyCore
    private let plan: Plan
    private var phase = Phase.watching
    private var watch = StartTLSWatch()
    private var reader = ClientNatureReader()
    /// What the client sent since the server agreed, until it is known to be a hello or not.
    private var held = Inbox()
    private var clientInbox = Inbox()
    private var serverInbox = Inbox()
    private var deadline: Scheduled<Void>?
    private var relay: Relay?
    private var clientAddress = IPAddress()

    init(core: ProxyCore, plan: Plan) {
        self.core = core
        self.plan = plan
    }

    /// Whether it looks at the client's bytes before they go on.
    var isHolding: Bool { phase == .looking || phase == .watching && watch.verdict == .look }

    /// Shows it what one side sent. True when it keeps the bytes: they are no plaintext of the conversation, or not yet.
    func takes(_ bytes: ByteBuffer, from side: Side, at time: Timestamp, relay: Relay) -> Bool {
        if phase == .looking, side == .client { return look(bytes, at: time, relay: relay) }
        guard phase == .watching else { return false }
        if watch.verdict == .look, side == .client {
            phase = .looking
            return look(bytes, at: time, relay: relay)
        }
        if watch.see(bytes.readableBytesSpan, from: side) == .over { end(relay) }
        return false
    }

    /// The client ended while its bytes were looked at: they are what they are.
    func clientFinished(_ relay: Relay) {
        switch phase {
        case .looking: release(relay)
        case .securingServer, .securingClient: recordHeld(relay)
        case .watching, .over: break
        }
    }

    /// The handshakes come to nothing: what came for them, and during them, stands in the records.
    private func recordHeld(_ relay: Relay) {
        for (inbox, side) in [(held, Side.client), (clientInbox, .client), (serverInbox, .server)] {
            inbox.record(from: side, in: relay.conversation, core.recorder)
        }
        (held, clientInbox, serverInbox) = (Inbox(), Inbox(), Inbox())
    }

    private func look(_ bytes: ByteBuffer, at time: Timestamp, relay: Relay) -> Bool {
        held.append(bytes, at: time)
        switch reader.receive(bytes, isSealed: { core.tls.isSealed($0, plan) }) {
        case .unknown: break
        case .plaintext, .sealed: release(relay)
        case .tls(let offered): open(offered, relay: relay)
        }
        return true
    }

    /// It is no hello: the bytes go on, and the watch with them.
    private func release(_ relay: Relay) {
        phase = .watching
        reader = ClientNatureReader()
        let bytes = held.takeBytes()
        if watch.see(bytes.readableBytesSpan, from: .client) == .over { end(relay) }
        relay.pass(sent: bytes, relayed: bytes, at: .now)
    }

    private func end(_ relay: Relay) {
        phase = .over
        relay.midstream = nil
    }

    // MARK: - Both handshakes

    private func open(_ offered: UpstreamOffer, relay: Relay) {
        phase = .securingServer
        self.relay = relay
        clientAddress = Endpoint(relay.client.channel?.remoteAddress).address
        relay.client.attach(to: self)
        relay.server.attach(to: self)
        expect(relay)
        do {
            let tls = try core.tls.connect(relay.server, offered: offered, plan: plan)
            tls.handshake.assumeIsolated().whenComplete { result in
                switch result {
                case .success(let agreement): self.secureClient(offered, agreement, relay: relay)
                case .failure(let error): self.fail("with the server: \(TLSTrouble(error))", relay)
                }
            }
        } catch {
            fail("with the server: \(error)", relay)
        }
    }

    private func secureClient(_ offered: UpstreamOffer, _ server: TLSAgreement, relay: Relay) {
        guard phase == .securingServer else { return }
        phase = .securingClient
        if let problem = server.unverifiedProblem {
            core.recorder.find(.proxyCertificateUnverified, detail: problem.description, in: relay.conversation, at: .now)
        }
        expect(relay)
        do {
            let tls = try core.tls.accept(relay.client, offered: offered, server: server, plan: plan, replaying: held.bytes)
            tls.handshake.assumeIsolated().whenComplete { result in
                switch result {
                case .success: self.finish(offered, server, relay: relay)
                case .failure(let error):
                    guard self.phase == .securingClient else { return }
                    let outcome = tls.outcome(ofFailure: error)
                    self.core.tls.clientRefused(
                        outcome, offered, plan: self.plan, client: self.clientAddress, conversation: relay.conversation, core: self.core)
                    self.fail(nil, relay)
                }
            }
        } catch {
            fail("with the client: \(error)", relay)
        }
    }

    private func finish(_ offered: UpstreamOffer, _ server: TLSAgreement, relay: Relay) {
        guard phase == .securingClient else { return }
        phase = .over
        deadline?.cancel()
        held = Inbox()
        relay.midstream = nil
        core.tellSecured(
            TLSSummary(
                serverName: offered.serverName ?? plan.tlsName, alpn: server.alpn, version: server.version, cipher: server.cipherSuite),
            offered: offered, hasSecuredServer: true, in: relay.conversation)
        self.relay = nil
        relay.start(client: clientInbox, server: serverInbox)
    }

    private func fail(_ reason: String?, _ relay: Relay) {
        guard phase != .over else { return }
        recordHeld(relay)
        phase = .over
        deadline?.cancel()
        self.relay = nil
        relay.stop(.tlsFailed, reason: reason)
    }

    private func expect(_ relay: Relay) {
        deadline?.cancel()
        deadline = relay.client.eventLoop?.assumeIsolated().scheduleTask(in: core.settings.patience.handshake) {
            self.fail("the TLS handshake was not finished in time", relay)
        }
    }

    // MARK: - LegOwner, during the handshakes

    func leg(_ leg: Leg, received bytes: ByteBuffer, at time: Timestamp) {
        if leg.side == .client { clientInbox.append(bytes, at: time) } else { serverInbox.append(bytes, at: time) }
    }

    func legHasRead(_ leg: Leg) {}

    func leg(_ leg: Leg, ended ending: LegEnding, at time: Timestamp) {
        if leg.side == .client { clientInbox.append(ending, at: time) } else { serverInbox.append(ending, at: time) }
    }

    func legIsWritable(_ leg: Leg) {}

    func leg(_ leg: Leg, brokeWith trouble: TLSTrouble) { self.leg(leg, ended: .reset, at: .now) }
}
