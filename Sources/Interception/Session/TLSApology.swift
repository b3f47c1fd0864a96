import Dissection
import NIOCore
import Reports

/// Tells a client of the HTTP mode, inside TLS, why TLS with its server came to nothing.
///
/// Its CONNECT was answered with 200 before anybody knew, so the 502 can only be the answer to the first request in the tunnel. That
/// needs a client that speaks HTTP/1.1 and trusts the authority; any other gets a RST.
///
/// The conversation goes on meanwhile: what the client says inside TLS stands in its records, with a finding that says who answered.
final class TLSApology: LegOwner, WaitingClient {
    private static let patience = TimeAmount.seconds(10)
    /// How long a client may go on to speak that was answered.
    private static let lingering = TimeAmount.seconds(3)

    let loop: any EventLoop
    private let client: Leg
    private let address: IPAddress
    private let offered: UpstreamOffer
    private let plan: Plan
    private let answer: ByteBuffer
    private let conversation: UInt64
    /// How the server had left.
    private let serverEnd: Closing.End
    private let core: ProxyCore
    /// What the client sent so far, its ClientHello: told where TLS with the client comes to nothing as well.
    private var hello: Inbox
    private var deadline: Scheduled<Void>?
    /// Of what is held until the client has been told.
    private var ticket: PreambleBudget.Ticket?
    private var hasAnswered = false
    private var isOver = false

    private init(
        _ client: Leg, at address: IPAddress, offered: UpstreamOffer, plan: Plan, answer: ByteBuffer, hello: Inbox, serverEnd: Closing.End,
        in conversation: UInt64, core: ProxyCore, on loop: any EventLoop
    ) {
        self.client = client
        self.address = address
        self.offered = offered
        self.plan = plan
        self.loop = loop
        self.answer = answer
        self.hello = hello
        self.serverEnd = serverEnd
        self.conversation = conversation
        self.core = core
    }

    /// Takes the client over, and ends its conversation.
    ///
    /// - Parameters:
    ///   - address: the client's.
    ///   - early: what the client sent so far, its ClientHello.
    ///   - serverEnd: how the server had left.
    static func begin(
        _ answer: ByteBuffer, to client: Leg, at address: IPAddress, offered: UpstreamOffer, early: Inbox, serverEnd: Closing.End,
        plan: Plan, in conversation: UInt64, core: ProxyCore, on loop: any EventLoop
    ) {
        let apology = TLSApology(
            client, at: address, offered: offered, plan: plan, answer: answer, hello: early, serverEnd: serverEnd, in: conversation,
            core: core,
            on: loop)
        guard offered.alpn.isEmpty || offered.alpn.contains("http/1.1") else { return apology.giveUp() }
        client.attach(to: apology)
        core.waiting.add(apology)
        // For the handshake, and for the request after it.
        apology.deadline = loop.assumeIsolated().scheduleTask(in: patience) { apology.giveUp() }
        let handshakes = TLSHandshakes(core.tls, core.recorder, patience: patience, on: loop)
        var early = early
        let bound = NIOLoopBound(apology, eventLoop: loop)
        apology.ticket = core.preambles.enter(holding: apology.cost) { bound.eventLoop.execute { bound.value.giveWay() } }
        handshakes.secureClient(client, offered: offered, plan: plan, replaying: early.takeBytes()) { result in
            guard !apology.isOver else { return }
            switch result {
            case .failure(let failure): apology.handshakeFailed(failure)
            case .success(let agreement):
                apology.hello = Inbox()
                apology.account()
                handshakes.tellSecured(client: agreement, offered: offered, plan: plan, in: conversation)
                client.read()
            }
        }
        apology.account()
    }

    // MARK: - What it holds

    private var cost: Int { hello.cost + answer.readableBytes + (client.tls?.cost ?? 0) }

    private func account() {
        if let ticket { core.preambles.update(ticket, holding: cost) }
    }

    func legHasGrown(_ leg: Leg) { account() }

    /// Others need the place: this is the client that has waited longest.
    private func giveWay() {
        ticket = nil
        guard !isOver else { return }
        core.recorder.find(.proxyLimitReached, detail: core.preambles.refusal, in: conversation, at: .now)
        giveUp()
    }

    private func handshakeFailed(_ failure: TLSHandshakes.Failure) {
        if let outcome = client.tls?.outcome(ofFailure: failure.trouble) { tellRefusal(outcome) }
        switch failure.trouble {
        case .closed: giveUp(.fin)
        case .reset: giveUp(.reset)
        default: giveUp(client.peerEnd)
        }
    }

    /// Says that the client refused our certificate where it said so itself: the server had failed, and a client that leaves without
    /// a word may do so for any reason.
    private func tellRefusal(_ outcome: ClientHandshakeOutcome) {
        guard case .refusedCertificate = outcome else { return }
        core.tls.clientRefused(outcome, offered, plan: plan, client: address, conversation: conversation, core.recorder)
    }

    // MARK: - The end

    /// - Parameter clientEnd: how the client left, where it did.
    private func giveUp(_ clientEnd: Closing.End = .open) {
        guard end(clientEnd) else { return }
        client.send(.reset)
    }

    /// The proxy is stopped.
    func stop() {
        let words = hasAnswered ? "the client had been answered with 502" : "the client had not sent the request that is answered with 502"
        if !isOver { core.recorder.find(.proxyShutDown, detail: words, in: conversation, at: .now) }
        leave(.open)
    }

    private func leave(_ clientEnd: Closing.End) {
        guard end(clientEnd) else { return }
        client.close()
    }

    /// Ends the conversation; false where it has ended.
    private func end(_ clientEnd: Closing.End) -> Bool {
        guard !isOver else { return false }
        isOver = true
        deadline?.cancel()
        core.waiting.remove(self)
        if let ticket, core.preambles.leave(ticket) { Heap.giveBackSoon(on: loop) }
        ticket = nil
        client.attach(to: nil)
        hello.record(from: .client, in: conversation, core.recorder)
        core.recorder.recordForeign(client, in: conversation)
        core.recorder.close(.tlsFailed, by: .proxy, ends: Closing.Ends(client: clientEnd, server: serverEnd), in: conversation, at: .now)
        return true
    }

    // MARK: - LegOwner

    func leg(_ leg: Leg, received bytes: ByteBuffer, at time: Timestamp) {
        guard !isOver else { return }
        core.recorder.received(bytes, from: .client, in: conversation, at: time)
        guard !hasAnswered else { return }
        hasAnswered = true
        core.recorder.find(
            .proxyRequestWithheld, detail: "TLS with the server had failed, and the proxy itself answered with 502", in: conversation,
            at: time)
        client.write(answer)
        client.send(.closeNotify)
        client.send(.fin)
        // Closing over what it still sends would be a RST that overtakes the answer.
        deadline?.cancel()
        deadline = loop.assumeIsolated().scheduleTask(in: Self.lingering) { self.leave(.open) }
    }

    func legHasRead(_ leg: Leg) {
        guard !isOver, !core.recorder.hasRoom else { return leg.read() }
        let waiting = NIOLoopBound(leg, eventLoop: loop)
        core.recorder.whenRoom(on: loop) { waiting.value.read() }
    }

    // None of them is an end that could be held against the client: whoever has been answered need not finish its request.
    func leg(_ leg: Leg, ended ending: LegEnding, at time: Timestamp) {
        guard !isOver else { return }
        switch ending {
        case .reset: giveUp(.reset)
        case .closeNotify,
            .fin where !hasAnswered:
            giveUp(.fin)
        case .fin: leave(.fin)
        case .closeNotify: leg.read()
        }
    }

    func legIsWritable(_ leg: Leg) {}

    func leg(_ leg: Leg, brokeWith trouble: TLSTrouble) {
        guard !isOver else { return }
        if let outcome = leg.tls?.outcome(of: .broken(trouble)) { tellRefusal(outcome) }
        giveUp()
    }
}
