import Dissection
import NIOCore

/// HTTP mode: CONNECT, and plain requests that name their server (RFC 9112, section 3.2.2).
///
/// A plain client may go on to another server on the same connection; then the conversation with the first is over, and the
/// session dials again. The front lives on as the relay's filter for that.
final class HTTPFront: Front, ClientBytesFilter {
    let mode = "http"
    private let core: ProxyCore
    private var machine: HTTPProxyRequests
    /// The head of the first request for a server that is being dialled.
    private var head: ForwardedHead?
    /// What the client sent behind what has to wait for answers.
    private var waiting: ByteBuffer?
    /// A tunnel: no answer of ours can be told from the server's any more.
    private(set) var isTunnel = false
    /// Of the plain client whose requests the relay runs through here.
    private var session: ClientSession?

    init(core: ProxyCore) {
        self.core = core
        machine = HTTPProxyRequests(credentials: core.settings.credentials)
    }

    // MARK: - Before there is a server

    func start(_ session: ClientSession) {}

    func receive(_ bytes: ByteBuffer, at time: Timestamp, session: ClientSession) {
        run(bytes, at: time, session: session, relay: nil)
    }

    var heldBytes: Int { machine.heldBytes }

    func forget() {
        machine = HTTPProxyRequests(credentials: core.settings.credentials)
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
        relay.pass(sent: ByteBuffer(bytes: head.sent), relayed: ByteBuffer(bytes: head.relayed), at: .now)
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

    func observe(_ answer: ByteBuffer, relay: Relay) {
        guard machine.followsAnswers, machine.takeAnswer(answer.readableBytesSpan) else { return }
        guard let held = waiting, let session else { return }
        waiting = nil
        relay.isClientHeld = false
        run(held, at: .now, session: session, relay: relay)
    }

    func clientFinished(_ relay: Relay) {
        if case .tunnel(let held) = machine.finish(), !held.isEmpty {
            relay.pass(sent: ByteBuffer(bytes: held), relayed: ByteBuffer(bytes: held), at: .now)
        }
    }

    func relayEnded() { session = nil }

    // MARK: - Requests

    private func run(_ bytes: ByteBuffer, at time: Timestamp, session: ClientSession, relay: Relay?) {
        var rest = bytes
        while true {
            let (consumed, action) = machine.take(rest.readableBytesSpan)
            guard let taken = rest.readSlice(length: consumed) else { return }
            switch action {
            case .needMore: return
            case .discard: continue
            case .connect(let asked):
                isTunnel = true
                if let relay { session.leave(relay) }
                let plan = Plan(destination: Destination(asked), serverTLS: .asTheClient, target: asked.description)
                return session.dial(plan, early: rest, at: time)
            case .forward(let head) where head.opens:
                if let relay { session.leave(relay) }
                self.head = head
                let plan = Plan(
                    destination: Destination(head.origin), serverTLS: .never, target: "http://\(head.origin)", isPlaintext: true)
                return session.dial(plan, early: rest, at: time)
            case .forward(let head):
                relay?.pass(sent: ByteBuffer(bytes: head.sent), relayed: ByteBuffer(bytes: head.relayed), at: time)
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
                let reply = ByteBuffer(bytes: Responses.bytes(for: answer, certificate: core.tls.authorityCertificate))
                if answer.closes { return end(with: reply, session: session, relay: relay) }
                session.client.write(reply)
            case .close(let reply, _):
                return end(with: reply.isEmpty ? nil : ByteBuffer(bytes: reply), session: session, relay: relay)
            }
        }
    }

    private func end(with reply: ByteBuffer?, session: ClientSession, relay: Relay?) {
        if let relay { session.leave(relay) }
        session.refuse(with: reply)
    }
}
