import Dissection

/// The client's side of a connection in the HTTP mode: CONNECT, and plain requests in absolute-form, one after another (RFC 9112).
///
/// Bytes of the client go in by `take`, bytes of the server by `takeAnswer`, because a request for another server has to wait until the
/// answers of the one before are complete. At most one head of 64 KiB is held.
///
/// ```
/// head ─┬─ CONNECT ────────────── tunnel
///   ^   ├─ plain request ─ body ─┬─ (upgrade: the answer decides) ─ tunnel
///   │   └─ answered here ─ body ─┤
///   └────────────────────────────┘
/// ```
package struct HTTPProxyRequests: Sendable {
    package enum Action: Hashable, Sendable {
        /// All was taken; the next bytes decide.
        case needMore
        /// Connect to there and answer with `Responses.connectionEstablished`. Bytes behind those that were taken are the tunnel's first.
        case connect(HostPort)
        /// The head of a request, which may begin a conversation.
        case forward(ForwardedHead)
        /// The bytes that were taken go to the server as they are.
        case relay
        /// These bytes, which were held, go to the server as they are, and so does everything that follows: call `take` no more.
        case tunnel([UInt8])
        /// The bytes that were taken are the body of a request that the proxy answered: they go nowhere.
        case discard
        /// Nothing is to be done before answers of the server are complete. Read no more; call again once `takeAnswer` was true.
        case awaitAnswers
        /// Send this (`Responses.bytes(for:certificate:)`).
        case answer(LocalAnswer)
        /// Nothing that the proxy could say would be understood: send these bytes, if there are any, and close. The reason is for the log.
        case close([UInt8], reason: String)
    }

    /// The name under which the proxy answers by itself; `.test` is nobody's (RFC 6761, section 6.2).
    package static let ownName = "unmask.test"

    private enum State {
        case head
        /// A whole head, which was looked at and has to wait.
        case decided(ProxyRequestHead)
        case body(BodyExtent, isRelayed: Bool)
        /// The request before offered an upgrade.
        case upgradeOffered
        case tunnel
        case closed
    }

    private let credentials: ProxyCredentials?
    private var state = State.head
    private var head = HeadBuffer()
    private var origin: HostPort?
    /// The request whose body is read offers an upgrade.
    private var offersUpgrade = false
    /// The answers of the server that the client is connected to.
    private var answers = ResponseBoundaries()

    /// - Parameter credentials: with them, clients have to tell them (RFC 7617).
    package init(credentials: ProxyCredentials? = nil) { self.credentials = credentials }

    /// Takes bytes of the client, and says what to do about the first thing that they make whole.
    ///
    /// Call it again with the rest, also with an empty one, until it needs more, has to wait, or ends. Bytes that were not consumed are
    /// not kept.
    package mutating func take(_ bytes: RawSpan) -> (consumed: Int, action: Action) {
        if answers.state == .opaque { return (0, openTunnel()) }
        switch state {
        case .head: return takeHead(bytes)
        case .decided(let head): return (0, decide(head))
        case .body(let extent, let isRelayed): return takeBody(bytes, extent, isRelayed)
        case .upgradeOffered: return takeBehindOffer(bytes)
        case .tunnel: return (0, .tunnel([]))
        case .closed: return (bytes.byteCount, .discard)
        }
    }

    /// Takes bytes of the server, which are relayed as they are. Whether a client that had to wait may go on.
    package mutating func takeAnswer(_ bytes: RawSpan) -> Bool {
        guard answers.state == .following else { return false }
        return answers.take(bytes) > 0 || answers.state != .following
    }

    /// The client sends no more. What is held of a head goes to the server that it talks to.
    package mutating func finish() -> Action? {
        guard origin != nil, !head.isEmpty else { return nil }
        return openTunnel()
    }

    /// Whether `takeAnswer` still wants to see what the server sends.
    package var followsAnswers: Bool { answers.state == .following }

    /// Memory that an unfinished head takes, in bytes.
    package var heldBytes: Int { head.bytes.capacity }

    // MARK: - Heads

    private mutating func takeHead(_ bytes: RawSpan) -> (Int, Action) {
        guard bytes.byteCount > 0 else { return (0, .needMore) }
        let consumed = head.take(bytes)
        if head.start < head.bytes.count, !head.bytes[head.start].isTokenCharacter { return (consumed, leaveHTTP()) }
        switch head.state {
        case .partial: return (consumed, .needMore)
        case .tooLong: return (consumed, refuse(431, "the head of the request is longer than 64 KiB"))
        case .whole: break
        }
        do {
            let whole = try ProxyRequestHead(head.bytes, from: head.start)
            head = HeadBuffer()
            return (consumed, decide(whole))
        } catch {
            let isForeignVersion = error == .version && origin == nil
            let reason = "this proxy speaks HTTP/1.1; for HTTP/2 in plaintext use the reverse mode"
            return (consumed, isForeignVersion ? refuse(505, reason) : leaveHTTP())
        }
    }

    /// What came is no request.
    private mutating func leaveHTTP() -> Action {
        let held = head.bytes
        // It can only be for the server that the client talks to. What that makes of it is worth seeing.
        if origin != nil { return openTunnel() }
        let reason: String
        var reply: [UInt8] = []
        switch held[head.start] {
        case 0x16: reason = "a client begins with TLS: the way to the proxy itself is plain (http://…)"
        case 5:
            reason = "a client speaks SOCKS 5, and this is an HTTP proxy"
            reply = [5, 0xFF]
        case 4:
            reason = "a client speaks SOCKS 4, and this is an HTTP proxy"
            reply = [0, 91, 0, 0, 0, 0, 0, 0]
        default: return refuse(400, "this is no HTTP/1 request")
        }
        state = .closed
        head = HeadBuffer()
        return .close(reply, reason: reason)
    }

    /// From here on everything goes to the server, what was held of a head first.
    private mutating func openTunnel() -> Action {
        var held = head.bytes
        if case .decided(let waiting) = state { held = waiting.bytes }
        state = .tunnel
        head = HeadBuffer()
        return .tunnel(held)
    }

    private mutating func refuse(_ status: UInt16, _ reason: String) -> Action {
        state = .closed
        head = HeadBuffer()
        // An answer of ours must not come before those of the server.
        if answers.outstanding > 0 { return .close([], reason: reason) }
        return .answer(LocalAnswer(.refusal(status: status, reason: reason)))
    }

    /// What becomes of a whole head.
    private mutating func decide(_ head: ProxyRequestHead) -> Action {
        let route = ProxyRoute(head)
        if case .forward(let target) = route, isAuthorized(head) { return forward(head, to: target) }
        // Everything else ends the conversation with the server, or puts an answer of ours behind its answers.
        if let action = settleBefore(head) { return action }
        switch route {
        case .connect(let target) where isAuthorized(head):
            state = .tunnel
            return .connect(target)
        case .connect, .forward: return answer(head, .authenticationRequired)
        case .answer(let content): return answer(head, content)
        }
    }

    /// Waits until the server has answered all there was; none once it has.
    private mutating func settleBefore(_ head: ProxyRequestHead) -> Action? {
        guard answers.outstanding > 0 else { return nil }
        guard answers.state == .following else {
            // Nobody can say where the server's answer ends, so nothing may be put behind it.
            state = .closed
            return .close([], reason: "a request that is not for \(origin?.description ?? "the server") follows an answer without an end")
        }
        state = .decided(head)
        return .awaitAnswers
    }

    private mutating func forward(_ head: ProxyRequestHead, to target: AbsoluteTarget) -> Action {
        let opens = origin.map { !$0.isSame(as: target.origin) } ?? true
        if opens, let action = settleBefore(head) { return action }
        if answers.outstanding >= ResponseBoundaries.mostOutstanding, answers.state == .following {
            state = .decided(head)
            return .awaitAnswers
        }
        if opens { answers = ResponseBoundaries() }
        origin = target.origin
        answers.expect(ResponseBoundaries.Expectation(isToHead: head.isMethod("HEAD")))
        let extent = BodyExtent(head.framing)
        // After faulty framing nothing of what follows can be told apart; it all goes to this server, which judges it.
        state = extent.state == .lost ? .tunnel : .body(extent, isRelayed: true)
        offersUpgrade = head.offersUpgrade
        return .forward(ForwardedHead(head, to: target, opens: opens, removesAuthorization: credentials != nil))
    }

    private mutating func answer(_ head: ProxyRequestHead, _ content: LocalAnswer.Content) -> Action {
        let extent = BodyExtent(head.framing)
        var closes = head.closesAfter || extent.state == .lost
        // A client that waits for our word may keep its body after all (RFC 9110, section 10.1.1).
        if head.fields.expectsContinue, extent.state == .open { closes = true }
        if case .refusal = content { closes = true }
        state = closes ? .closed : .body(extent, isRelayed: false)
        return .answer(LocalAnswer(content, isToHead: head.isMethod("HEAD"), closes: closes))
    }

    private func isAuthorized(_ head: ProxyRequestHead) -> Bool {
        guard let credentials else { return true }
        return head.fields.proxyAuthorizations.contains { credentials.matches(basic: head.bytes[$0.value]) }
    }

    // MARK: - Behind heads

    private mutating func takeBody(_ bytes: RawSpan, _ extent: BodyExtent, _ isRelayed: Bool) -> (Int, Action) {
        var extent = extent
        if extent.state == .open {
            guard bytes.byteCount > 0 else { return (0, .needMore) }
            let consumed = extent.take(bytes, from: 0)
            state = .body(extent, isRelayed: isRelayed)
            if extent.state == .lost {
                state = isRelayed ? .tunnel : .closed
                if consumed == 0 { return take(bytes) }
            }
            return (consumed, isRelayed ? .relay : .discard)
        }
        state = offersUpgrade && isRelayed ? .upgradeOffered : .head
        offersUpgrade = false
        return take(bytes)
    }

    /// A request may follow that did not wait, or already the other protocol.
    private mutating func takeBehindOffer(_ bytes: RawSpan) -> (Int, Action) {
        if answers.outstanding == 0 {
            state = .head
            return take(bytes)
        }
        guard bytes.byteCount > 0 else { return (0, .needMore) }
        if bytes[0].isTokenCharacter, answers.state == .following { return (0, .awaitAnswers) }
        state = .tunnel
        return (0, .tunnel([]))
    }
}
