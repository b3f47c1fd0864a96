import Dissection
import NIOCore
import Reports

/// Follows a plaintext conversation into TLS (STARTTLS, a CONNECT inside it): watches for the agreement, and when the client
/// then sends a ClientHello, opens TLS on both sides and goes on with the same relay.
///
/// Only a whole ClientHello begins it; what turns out to be something else goes on as the bytes that it is.
final class MidstreamTLS: LegOwner, MidstreamWatch {
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
    private let handshakes: TLSHandshakes
    /// Until when what may be a hello is looked at.
    private var looking: Scheduled<Void>?
    private var relay: Relay?
    /// Of what both handshakes hold.
    private var ticket: PreambleBudget.Ticket?
    private var clientAddress = IPAddress()

    init(core: ProxyCore, plan: Plan, on loop: any EventLoop) {
        self.core = core
        self.plan = plan
        handshakes = TLSHandshakes(core.tls, core.recorder, patience: core.settings.patience.handshake, on: loop)
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
        case .securingServer, .securingClient:
            recordHeld(relay)
            releaseTicket(relay)
        case .watching, .over: break
        }
    }

    /// The handshakes come to nothing: what came for them, and during them, stands in the records.
    private func recordHeld(_ relay: Relay) {
        for (inbox, side) in [(held, Side.client), (clientInbox, .client), (serverInbox, .server)] {
            inbox.record(from: side, in: relay.conversation, core.recorder)
        }
        (held, clientInbox, serverInbox) = (Inbox(), Inbox(), Inbox())
        for leg in [relay.client, relay.server] { core.recorder.recordForeign(leg, in: relay.conversation) }
    }

    private func look(_ bytes: ByteBuffer, at time: Timestamp, relay: Relay) -> Bool {
        self.relay = relay
        held.append(bytes, at: time)
        if looking == nil {
            looking = relay.client.eventLoop?.assumeIsolated().scheduleTask(in: core.settings.patience.handshake) { [weak self] in
                // It never became one, and the server waits for it.
                if let self, self.phase == .looking { self.release(relay) }
            }
        }
        switch reader.receive(bytes, isSealed: { core.tls.isSealed($0, plan) }) {
        case .unknown: account(relay)
        case .plaintext, .sealed: release(relay)
        case .tls(let offered): open(offered, relay: relay)
        }
        return true
    }

    /// It is no hello: the bytes go on, and the watch with them.
    private func release(_ relay: Relay) {
        phase = .watching
        self.relay = nil
        releaseTicket(relay)
        reader = ClientNatureReader()
        looking?.cancel()
        looking = nil
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
        looking?.cancel()
        self.relay = relay
        clientAddress = Endpoint(relay.client.channel?.remoteAddress).address
        relay.client.attach(to: self)
        relay.server.attach(to: self)
        handshakes.secureServer(relay.server, offered: offered, plan: plan, in: relay.conversation) { failure in
            if let failure {
                self.fail(self.reason(failure, "the server"), relay)
            } else {
                self.secureClient(offered, relay: relay)
            }
        }
        account(relay)
    }

    // MARK: - What it holds

    /// Says what is held until it is known to be a hello or not, and what both handshakes hold.
    private func account(_ relay: Relay) {
        guard phase != .watching, phase != .over, let loop = relay.client.eventLoop else { return }
        let bytes =
            held.cost + reader.heldBytes + clientInbox.cost + serverInbox.cost + (relay.client.tls?.cost ?? 0)
            + (relay.server.tls?.cost ?? 0)
        if let ticket { return core.preambles.update(ticket, holding: bytes) }
        let bound = NIOLoopBound(self, eventLoop: loop)
        ticket = core.preambles.enter(holding: bytes) { bound.eventLoop.execute { bound.value.giveWay() } }
    }

    func legHasGrown(_ leg: Leg) { if let relay { account(relay) } }

    private func releaseTicket(_ relay: Relay) {
        if let ticket, core.preambles.leave(ticket), let loop = relay.client.eventLoop { Heap.giveBackSoon(on: loop) }
        ticket = nil
    }

    /// Others need the place: these are the handshakes that have taken longest.
    private func giveWay() {
        ticket = nil
        if let relay { fail(core.preambles.refusal, relay, .limit) }
    }

    // MARK: - The handshake with the client, and the end of both

    private func secureClient(_ offered: UpstreamOffer, relay: Relay) {
        phase = .securingClient
        handshakes.secureClient(relay.client, offered: offered, plan: plan, replaying: held.bytes) { result in
            switch result {
            case .success: self.finish(offered, relay: relay)
            case .failure(.failed(let error)) where relay.client.tls != nil:
                self.handshakes.tellRefusal(
                    .failed(error), of: relay.client, offered: offered, plan: self.plan, client: self.clientAddress, in: relay.conversation)
                self.fail(nil, relay)
            case .failure(let failure): self.fail(self.reason(failure, "the client"), relay)
            }
        }
        account(relay)
    }

    private func reason(_ failure: TLSHandshakes.Failure, _ whom: String) -> String {
        switch failure {
        case .timedOut: "the TLS handshake was not finished in time"
        case .failed:
            "with \(whom): \(failure.trouble.words(about: whom))"
                + (phase == .securingServer ? ForeignBytes.words(relay?.server, "the server") : "")
        }
    }

    private func finish(_ offered: UpstreamOffer, relay: Relay) {
        guard core.sessions.take(for: relay.client), core.sessions.take(for: relay.server) else {
            return fail(core.sessions.refusal, relay, .limit)
        }
        phase = .over
        held = Inbox()
        releaseTicket(relay)
        relay.midstream = nil
        handshakes.tellSecured(client: nil, offered: offered, plan: plan, in: relay.conversation)
        self.relay = nil
        relay.start(client: clientInbox, server: serverInbox)
    }

    private func fail(_ reason: String?, _ relay: Relay, _ how: Closing.Manner = .tlsFailed) {
        guard phase != .over else { return }
        recordHeld(relay)
        phase = .over
        releaseTicket(relay)
        handshakes.stop()
        self.relay = nil
        relay.stop(how, reason: reason)
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

    func leg(_ leg: Leg, brokeWith trouble: TLSTrouble) {
        if let relay { core.recorder.findRefusal(trouble, by: leg, in: relay.conversation) }
        self.leg(leg, ended: .reset, at: .now)
    }
}
