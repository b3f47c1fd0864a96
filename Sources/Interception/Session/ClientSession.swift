import Dissection
import NIOCore
import Reports

/// One client connection until its conversation runs: learns where to, dials, decides about TLS, then hands both sides to
/// a relay.
///
/// What comes next, in this order, each as soon as it is known (`advance`), all of it on one event loop:
///
/// 1. the front of the mode names the destination (from a preamble, the settings or the kernel), and the dial begins;
/// 2. the server is connected: the conversation begins, and the front tells the client where that is due;
/// 3. the client's nature shows: a ClientHello, other bytes, or a server that speaks first, which makes it plaintext (but for HTTP/2);
/// 4. TLS to the server, where the mode or the client wants it;
/// 5. TLS with the client, where it speaks it, under a leaf made from what the server showed;
/// 6. both sides run through a `Relay`.
final class ClientSession: LegOwner, WaitingClient {
    /// Bytes of a client that are taken in before its server is reached.
    private static let earlyBytes = 64 << 10

    let core: ProxyCore
    let client: Leg
    let loop: any EventLoop
    private(set) var front: any Front

    private(set) var server: Leg?
    private(set) var plan: Plan?
    var phase = SessionPhase.front {
        didSet {
            if phase == .over { handshakes.stop() }
            guard phase.isBeforeRelay != oldValue.isBeforeRelay else { return }
            if phase.isBeforeRelay { core.waiting.add(self) } else { core.waiting.remove(self) }
        }
    }
    private(set) var nature = ClientNature.unknown
    var reader = ClientNatureReader()
    var clientInbox = Inbox()
    var serverInbox = Inbox()
    /// What began TLS with the client, until that is agreed on.
    var hello: ByteBuffer?
    var dialling: UpstreamDial?
    var conversation: UInt64?
    var deadline: Scheduled<Void>?
    /// Until when the client's first bytes are looked at.
    private var looking: Scheduled<Void>?
    private var isLookingForHello = false
    private(set) var handshakes: TLSHandshakes
    private var isFirstBytesTimeOver = false
    /// Of what is held of the client's bytes; none where there is nothing.
    var ticket: PreambleBudget.Ticket?
    /// Kept, since a channel that is closed has no address.
    var clientAddress: SocketAddress?
    var dialledAt: Timestamp?
    var watched: LoopWatch.Key?
    /// The client has had a conversation, or a page of the proxy's own.
    var wasServed = false

    init(core: ProxyCore, front: any Front, client: Leg, loop: any EventLoop) {
        self.core = core
        self.front = front
        self.client = client
        self.loop = loop
        handshakes = TLSHandshakes(core.tls, core.recorder, patience: core.settings.patience.handshake, on: loop)
    }

    /// The client was accepted.
    func start() {
        client.attach(to: self)
        core.waiting.add(self)
        clientAddress = client.channel.flatMap { $0.remoteAddress ?? PeerReach.addressOfReset($0) }
        let patience = core.settings.patience.preamble
        expect(within: patience) { session in
            session.clientIsGone(
                .proxyTimedOut, "\(patience.nanoseconds / 1_000_000_000) s waiting for the client's request", .timeout, by: .proxy)
        }
        front.start(self)
        if phase != .over { client.read() }
    }

    // MARK: - For the front

    /// The client's TLS is relayed unopened.
    var isSealed: Bool { if case .sealed = nature { true } else { false } }

    /// The destination is known; `early` is what the client sent after its preamble.
    func dial(_ plan: Plan, early: ByteBuffer? = nil, at time: Timestamp = .now) {
        guard phase == .front else { return }
        self.plan = plan
        phase = .dialling
        wasServed = true
        dialledAt = time
        deadline?.cancel()
        if plan.isPlaintext { nature = .plaintext }
        if let early, early.readableBytes > 0 { takeFromClient(early, at: time) }
        // It has ended already, but may still listen; the server is to see the same, after all that came before.
        if client.hasPeerFinished { clientInbox.append(.fin, at: time) }
        dialUnlessLooping(plan)
    }

    /// The client asked one of our listeners for another, and is that one's from here on; `early` is what it sent after its preamble.
    func change(to front: any Front, early: ByteBuffer, at time: Timestamp) {
        guard phase == .front else { return }
        self.front = front
        front.start(self)
        if early.readableBytes > 0 { front.receive(early, at: time, session: self) }
    }

    /// The conversation with one server is over, and the client goes on to another: `dial` or `refuse` comes next.
    func leave(_ relay: Relay) {
        relay.leaveClient()
        client.attach(to: self)
        server = nil
        plan = nil
        conversation = nil
        handshakes = TLSHandshakes(core.tls, core.recorder, patience: core.settings.patience.handshake, on: loop)
        nature = .unknown
        looking?.cancel()
        (looking, isLookingForHello) = (nil, false)
        phase = .front
    }

    // MARK: - Dialling

    func connected(_ reached: UpstreamDial.Reached) {
        guard phase == .dialling else { return reached.leg.close() }
        server = reached.leg
        serverInbox = reached.early
        reached.leg.attach(to: self)
        self.reached()
    }

    /// The server is there.
    private func reached() {
        begin()
        phase = .deciding
        front.reached(self)
        guard phase == .deciding, let plan else { return }
        if plan.isServerTLS {
            expect(within: core.settings.patience.firstBytes) { session in
                session.isFirstBytesTimeOver = true
                session.advance()
            }
        } else {
            server?.read()
        }
        client.read()
        advance()
    }

    // MARK: - LegOwner

    func leg(_ leg: Leg, received bytes: ByteBuffer, at time: Timestamp) {
        switch phase {
        case .front where leg === client:
            front.receive(bytes, at: time, session: self)
            account()
        case .front, .over, .relaying: return
        case .dialling, .deciding, .securingServer, .securingClient:
            if leg === client { takeFromClient(bytes, at: time) } else { serverInbox.append(bytes, at: time) }
            advance()
            account()
        }
    }

    func leg(_ leg: Leg, receivedUrgent bytes: ByteBuffer, at time: Timestamp) {
        switch phase {
        case .front, .over, .relaying: self.leg(leg, received: bytes, at: time)
        case .dialling, .deciding, .securingServer, .securingClient:
            if leg === client {
                takeFromClient(bytes, at: time, isUrgent: true)
            } else {
                serverInbox.append(bytes, at: time, isUrgent: true)
            }
            advance()
        }
    }

    func legHasRead(_ leg: Leg) {
        switch phase {
        // Not before it has taken what it was answered: it may ask for more than it reads.
        case .front: if client.isWritable { client.read() }
        case .dialling, .deciding:
            if leg !== client {
                leg.read()
            } else if nature.isUnknown, clientInbox.count < Self.earlyBytes {
                leg.read()
            }
        // A handshake asks for what it needs by itself.
        case .securingServer, .securingClient, .relaying, .over: return
        }
    }

    func leg(_ leg: Leg, ended ending: LegEnding, at time: Timestamp) {
        switch (phase, leg === client) {
        case (.over, _), (.relaying, _): return
        case (.front, _):
            let words = ending == .reset ? "it reset the connection" : "it closed the connection"
            clientIsGone(.proxyClientLeft, words, ending == .reset ? .reset : .fin, by: .client)
        // The handshake tells.
        case (.securingServer, false), (.securingClient, true): return
        case (_, true):
            clientInbox.append(ending, at: time)
            // Whoever sends no more will send no ClientHello.
            if nature.isUnknown { nature = .plaintext }
            if ending == .reset { abandon(at: time) } else { advance() }
        case (_, false):
            serverInbox.append(ending, at: time)
            if nature.isUnknown { nature = .plaintext }
            advance()
        }
    }

    func legIsWritable(_ leg: Leg) { if phase == .front { leg.read() } }

    func legHasGrown(_ leg: Leg) { account() }

    func leg(_ leg: Leg, brokeWith trouble: TLSTrouble) {
        if let conversation { core.recorder.findRefusal(trouble, by: leg, in: conversation) }
        self.leg(leg, ended: .reset, at: .now)
    }

    // MARK: - What the client speaks

    private func takeFromClient(_ bytes: ByteBuffer, at time: Timestamp, isUrgent: Bool = false) {
        clientInbox.append(bytes, at: time, isUrgent: isUrgent)
        guard nature.isUnknown else { return }
        nature = reader.receive(bytes) { core.tls.isSealed($0, plan) }
        if !nature.isUnknown {
            reader = ClientNatureReader()
        } else if looking == nil || reader.heldBytes > 0 && !isLookingForHello {
            look()
        }
    }

    /// What may become a ClientHello, and does not, the server gets.
    private func look() {
        isLookingForHello = reader.heldBytes > 0
        looking?.cancel()
        looking = loop.assumeIsolated().scheduleTask(in: reader.patience(core.settings.patience)) { [weak self] in
            guard let self, self.nature.isUnknown, self.phase.isBeforeRelay, self.phase != .front else { return }
            self.nature = .plaintext
            self.advance()
        }
    }

    /// Does what comes next, if it is known.
    private func advance() {
        guard phase == .deciding, let plan else { return }
        switch nature {
        case .unknown:
            if serverInbox.count <= Self.earlyBytes, HTTP2ServerPreface.isBegun(by: serverInbox.bytes.readableBytesSpan) {
                // Its client may speak TLS, whose ClientHello may come later than this.
                if looking == nil { look() }
            } else if !serverInbox.isEmpty {
                nature = .plaintext
                advance()
            } else if plan.isServerTLS, isFirstBytesTimeOver, handshakes.server == nil {
                secureServer(offered: nil)
            }
        case .plaintext:
            if plan.isServerTLS, handshakes.server == nil { secureServer(offered: nil) } else { relay() }
        case .sealed: relay()
        case .tls(let offered):
            if plan.serverTLS != .never, handshakes.server == nil { secureServer(offered: offered) } else { secureClient(offered) }
        }
    }

    // MARK: - TLS

    private func secureServer(offered: UpstreamOffer?) {
        guard let server, var plan else { return }
        // A client that speaks HTTP/2 without TLS wants a server that does.
        if offered == nil, HTTP2Preface.isBegun(by: clientInbox.bytes.readableBytesSpan) { plan.protocols = ["h2"] }
        phase = .securingServer
        deadline?.cancel()
        handshakes.secureServer(server, offered: offered, plan: plan, replaying: serverInbox.takeBytes(), in: conversation) { failure in
            guard self.phase == .securingServer else { return }
            if let failure { self.serverRefused(failure) } else { self.serverIsSecured() }
        }
        account()
    }

    private func serverIsSecured() {
        forgetWatch()
        phase = .deciding
        account()
        server?.read()
        if nature.isUnknown { client.read() }
        advance()
    }

    private func serverRefused(_ failure: TLSHandshakes.Failure) {
        let sent = ForeignBytes.words(server, "the server")
        if case .timedOut = failure {
            return fail(.tlsFailed, DialFailure(kind: .timedOut, reason: "the server did not finish the TLS handshake in time" + sent))
        }
        let trouble = sent.isEmpty ? failure.trouble : .notTLS
        let advice = trouble.advice.map { " (\($0))" } ?? ""
        fail(.tlsFailed, DialFailure(kind: .tls, reason: trouble.words(about: "the server") + sent + advice))
    }

    private func secureClient(_ offered: UpstreamOffer) {
        guard let plan else { return }
        phase = .securingClient
        deadline?.cancel()
        let early = clientInbox.takeBytes()
        hello = early
        handshakes.secureClient(client, offered: offered, plan: plan, replaying: early) { result in
            guard self.phase == .securingClient else { return }
            switch result {
            case .success(let agreement): self.clientIsSecured(agreement)
            case .failure(let failure): self.clientRefused(failure)
            }
        }
        account()
    }

    private func clientIsSecured(_ agreement: TLSAgreement) {
        hello = nil
        tellSecured(client: agreement)
        if handshakes.server == nil { reportUnwrappedTLS() }
        relay()
    }

    // MARK: - The end of the session

    private func relay() {
        guard let server, let conversation, let plan else { return }
        deadline?.cancel()
        if phase != .securingClient, handshakes.server != nil { tellSecured(client: nil) }
        guard core.sessions.take(for: client), core.sessions.take(for: server) else {
            return fail(.limit, DialFailure(kind: .other, reason: core.sessions.refusal))
        }
        phase = .relaying
        if client.tls == nil, let channel = client.channel { StreamSocket.prepareForRelay(channel, mark: client.mark) }
        let relay = Relay(client: client, server: server, conversation: conversation, recorder: core.recorder, memory: core.relays)
        core.conversations.add(relay, on: loop)
        if let watched {
            self.watched = nil
            let core = core
            relay.onAnswer = { core.watch { $0.cleared(watched) } }
            // Through another proxy, there is no success where there is no end.
            if core.settings.via(to: plan.destination) != nil {
                relay.onAnswer?()
                relay.onAnswer = nil
            }
        }
        if case .plaintext = nature, plan.followsTLS, handshakes.server == nil {
            relay.midstream = MidstreamTLS(core: core, plan: plan, on: loop)
        }
        relay.reception = plaintextReception()
        if let offered = nature.offered {
            relay.reception = CertificateReception(
                core.tls, core.recorder, plan: plan, offered: offered, client: Endpoint(clientAddress).address,
                isHTTP2: handshakes.client?.alpn == "h2")
        }
        front.prepare(relay, session: self)
        relay.start(client: clientInbox, server: serverInbox)
        (clientInbox, serverInbox) = (Inbox(), Inbox())
        releaseTicket()
    }

    private func expect(within time: TimeAmount, otherwise: @escaping (ClientSession) -> Void) {
        deadline?.cancel()
        deadline = loop.assumeIsolated().scheduleTask(in: time) { [weak self] in
            if let self, self.phase != .over, self.phase != .relaying { otherwise(self) }
        }
    }
}
