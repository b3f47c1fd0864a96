import Dissection
import NIOCore
import Reports

/// HTTP mode: CONNECT, and plain requests that name their server (RFC 9112, section 3.2.2).
///
/// A plain client may go on to another server on the same connection; then the conversation with the first is over, and the
/// session dials again. The front lives on as the relay's filter for that.
final class HTTPFront: Front, ClientBytesFilter {
    let mode = "http"
    private let core: ProxyCore
    var machine: HTTPProxyRequests
    /// The head of the first request for a server that is being dialled.
    private(set) var head: ForwardedHead?
    /// What the client sent after what has to wait for answers.
    var waiting: ByteBuffer?
    /// A tunnel: no answer of ours can be told from the server's any more.
    private(set) var isTunnel = false
    /// The client was asked for a password, and may come back with one.
    private(set) var refusal: String?
    /// Of the plain client whose requests the relay runs through here.
    private(set) var session: ClientSession?
    /// What is to be done about the bytes of the server that are being relayed.
    private var admission: HTTPProxyRequests.Admission?
    /// How long the first bytes of a tunnel are held that begin as a request does.
    private static let glance = TimeAmount.milliseconds(50)

    init(core: ProxyCore) {
        self.core = core
        machine = HTTPProxyRequests(credentials: core.settings.credentials, mark: core.mark)
    }

    var unfinished: String? {
        let count = machine.heldBytes
        return count > 0 ? "\(count) \(count == 1 ? "byte" : "bytes") of a request had come" : nil
    }

    // MARK: - Before there is a server

    func start(_ session: ClientSession) {}

    func receive(_ bytes: ByteBuffer, at time: Timestamp, session: ClientSession) {
        run(bytes, at: time, session: session, relay: nil)
    }

    var heldBytes: Int { machine.reservedBytes }

    func forget() {
        machine = HTTPProxyRequests(credentials: core.settings.credentials, mark: core.mark)
        waiting = nil
    }

    var answerToOverflow: ByteBuffer? {
        ByteBuffer(bytes: Responses.text(status: 503, "the proxy has no memory left for requests that are not finished"))
    }

    func reached(_ session: ClientSession) {
        if isTunnel { session.client.write(ByteBuffer(bytes: Responses.connectionEstablished)) }
    }

    func answer(to failure: DialFailure, _ how: Closing.Manner) -> ByteBuffer? {
        let error: ProxyStatusError =
            switch failure.kind {
            case .refused: .connectionRefused
            case .hostUnreachable, .networkUnreachable: .destinationUnroutable
            case .timedOut: .connectionTimeout
            case .unknownName: .dnsError
            case .dialsItself: .proxyLoopDetected
            case .tls: .tlsProtocolError
            case .outOfFiles, .other: .destinationUnavailable
            }
        let isToHead = head?.isToHead ?? false
        return ByteBuffer(bytes: Responses.unreachable(error, failure.reason, isToHead: isToHead))
    }

    func prepare(_ relay: Relay, session: ClientSession) {
        guard let head else { return }
        self.head = nil
        self.session = session
        relay.filter = self
        forward(head, at: .now, relay: relay)
    }

    private func forward(_ head: ForwardedHead, at time: Timestamp, relay: Relay) {
        relay.pass(sent: ByteBuffer(bytes: head.sent), relayed: ByteBuffer(bytes: head.relayed), at: time)
        if let change = head.change { relay.find(.proxyHeaderRewritten, change, at: time) }
    }

    // MARK: - Filter of the relay

    func receive(_ bytes: ByteBuffer, at time: Timestamp, relay: Relay) {
        guard let session else { return }
        if waiting != nil {
            waiting?.writeImmutableBuffer(bytes)
        } else {
            run(bytes, at: time, session: session, relay: relay)
        }
    }

    func admits(_ answer: ByteBuffer) -> Int {
        guard machine.followsAnswers else { return answer.readableBytes }
        let admission = machine.takeAnswer(answer.readableBytesSpan)
        self.admission = admission
        return admission.passed
    }

    func admitted(at time: Timestamp, relay: Relay) {
        guard let admission, let session else { return }
        self.admission = nil
        switch admission.surplus {
        case nil: break
        case .upgrade: relay.find(.proxyUnaskedUpgrade, "it was passed on, and the connections were closed", at: time)
        case .response:
            relay.find(.proxyExcessResponse, "it was not passed on, and the connection to the server was closed", at: time)
        case .faulty(let fault): relay.find(.proxyResponseWithheld, fault, at: time)
        }
        if admission.endsClient || admission.surplus != nil { session.leave(relay) }
        if admission.endsClient {
            if case .faulty(let fault)? = admission.surplus, !admission.isCut {
                let page = Responses.unreachable(.httpProtocolError, "the server's response cannot be passed on: \(fault)", isToHead: false)
                session.client.write(ByteBuffer(bytes: page))
            }
            recordWaiting(of: session)
            return session.finish()
        }
        if admission.isSettled, let held = waiting {
            waiting = nil
            relay.isClientHeld = false
            run(held, at: time, session: session, relay: admission.surplus == nil ? relay : nil)
        }
        // A client that was between two requests goes on to the next.
        if admission.surplus != nil { session.readOn() }
    }

    func clientFinished(_ relay: Relay) {
        switch machine.finish() {
        case .tunnel(let held)?: relay.pass(sent: ByteBuffer(bytes: held), relayed: ByteBuffer(bytes: held), at: .now)
        case .close(_, let reason)?: relay.find(.proxyRequestWithheld, reason, at: .now)
        default: break
        }
    }

    func relayEnded(leavesClient: Bool) {
        if !leavesClient, let session { recordWaiting(of: session) }
        session = nil
    }

    // MARK: - Requests

    private func run(_ bytes: ByteBuffer, at time: Timestamp, session: ClientSession, relay: Relay?) {
        var rest = bytes
        while true {
            let (consumed, action) = machine.take(rest.readableBytesSpan)
            guard let taken = rest.readSlice(length: consumed) else { return }
            switch action {
            case .needMore:
                if machine.holdsTunnelStart, let relay { releaseLater(relay, session) }
                return
            case .discard: continue
            case .connect(let asked):
                isTunnel = true
                refusal = nil
                if let relay { session.leave(relay) }
                var plan = Plan(connecting: asked)
                plan.via = machine.via
                return session.dial(plan, early: rest, at: time)
            case .forward(let head) where head.opens:
                if let relay { session.leave(relay) }
                refusal = nil
                self.head = head
                return session.dial(Plan(forwarding: head), early: rest, at: time)
            case .forward(let head):
                if let relay { forward(head, at: time, relay: relay) }
            case .relay:
                relay?.pass(sent: taken, relayed: taken, at: time)
            case .tunnel(let held):
                if !held.isEmpty { relay?.pass(sent: ByteBuffer(bytes: held), relayed: ByteBuffer(bytes: held), at: time) }
                if rest.readableBytes > 0 { relay?.pass(sent: rest, relayed: rest, at: time) }
                relay?.filter = nil
                self.session = nil
                return
            case .awaitAnswers:
                waiting = rest
                relay?.isClientHeld = true
                return
            case .answer(let answer):
                // First, since a client that is gone ends the session with the write.
                let refused = record(answer, session: session)
                session.client.write(ByteBuffer(bytes: Responses.bytes(for: answer, certificate: core.tls.authorityCertificate)))
                guard answer.closes else { continue }
                if let relay { session.leave(relay) }
                return session.finish(of: refused, unread: rest.readableBytes)
            case .close(let reply, let reason):
                if let relay {
                    relay.find(.proxyRequestWithheld, reason, at: time)
                    session.leave(relay)
                    return session.end(with: nil)
                }
                return session.refuse(
                    with: reply.isEmpty ? nil : ByteBuffer(bytes: reply),
                    "\(reply.isEmpty ? "closed without an answer" : "answered in SOCKS"), \(reason)", unread: rest.readableBytes)
            case .end:
                if let relay { session.leave(relay) }
                // It cannot come back with a password.
                return session.finish(of: refusal.map { session.beginRefusal($0) }, unread: rest.readableBytes)
            }
        }
    }

    /// What the proxy answered itself stands in the records where it was a refusal.
    ///
    /// - Returns: What ends when the client has left; none where it may go on, or was served.
    private func record(_ answer: LocalAnswer, session: ClientSession) -> LingeringClose.Conversation? {
        guard answer.reason != nil else {
            refusal = nil
            session.notePage()
            return nil
        }
        let words = answer.words
        // Many clients tell their password only when they are asked for it.
        if answer.content == .authenticationRequired, answer.wrongUser == nil, !answer.closes {
            refusal = words
            return nil
        }
        session.notePage()
        let row: FindingRow = answer.status == 508 ? .proxyLoop : .proxyClientRefused
        if answer.closes { return session.beginRefusal(words, as: row, target: answer.target) }
        session.recordRefusal(words, as: row, target: answer.target)
        return nil
    }

    /// Lets go what is held of a tunnel's beginning, unless more of it comes soon.
    private func releaseLater(_ relay: Relay, _ session: ClientSession) {
        session.loop.assumeIsolated().scheduleTask(in: Self.glance) { [weak self, weak relay] in
            guard let self, let relay, relay.filter === self else { return }
            let held = machine.release()
            guard !held.isEmpty else { return }
            relay.pass(sent: ByteBuffer(bytes: held), relayed: ByteBuffer(bytes: held), at: .now)
            relay.filter = nil
            self.session = nil
        }
    }
}
