import Dissection

/// The client's side of a connection in the HTTP mode: CONNECT, and plain requests in absolute-form, one after another (RFC 9112). A
/// request for another server waits until the answers of the one before are complete. At most one head of 64 KiB is held.
///
/// ```
/// head ─┬─ CONNECT ────────────────────────────────────────────── tunnel
///   ^   ├─ plain request ─ body ─┬─ (upgrade: the answer decides) ─ tunnel
///   │   │                        └─ (another protocol before that) ─ early, until the server has answered
///   │   └─ answered here ─ body ─┐
///   └────────────────────────────┘
/// ```
/// Nothing that is for one server goes to another: what is not a request that the proxy understands, and a request without a clear end, is
/// refused. Nothing that one server sent can be read as the response of another: a 101 opens
/// a tunnel only where the request offered an upgrade, the client's first bytes in it must not be a request to a proxy, and what a server
/// sends without having been asked is not passed on.
package struct HTTPProxyRequests: Sendable {
    /// The name under which the proxy answers by itself; `.test` is nobody's (RFC 6761, section 6.2).
    package static let ownName = "unmask.test"

    private enum State {
        case head
        /// A whole head, which was looked at and has to wait.
        case decided(ProxyRequestHead)
        /// What is not a request is refused once the server has answered what came before it.
        case refusing(UInt16, String)
        case body(BodyExtent, isRelayed: Bool)
        /// The request before offered an upgrade.
        case upgradeOffered
        /// The upgrade was accepted; the first bytes of the other protocol are looked at.
        case tunnelStart
        /// The client has begun another protocol before its upgrade was answered. Both connections end with an answer that is not a 101.
        case early
        case tunnel
        case closed
    }

    private let credentials: ProxyCredentials?
    private let mark: String
    /// The Via of the CONNECT that was accepted: the proxies that it has come through.
    package private(set) var via: [UInt8] = []
    private var state = State.head
    private var head = HeadBuffer()
    /// Looks for the next request in a body that is answered already, and in another protocol that was begun early.
    private var search = RequestSearch()
    private var origin: HostPort?
    /// The server had answered before the body was complete: what follows may begin inside of it.
    private var isAnsweredEarly = false
    /// The request whose body is read offers an upgrade.
    private var offersUpgrade = false
    /// The answers of the server that the client is connected to.
    private var answers = ResponseBoundaries()

    /// - Parameters:
    ///   - credentials: with them, clients have to tell them (RFC 7617).
    ///   - mark: what this proxy goes by in Via; a CONNECT that has it has come round.
    package init(credentials: ProxyCredentials? = nil, mark: String = "") {
        self.credentials = credentials
        self.mark = mark
    }

    /// The work of `take`.
    mutating func step(_ bytes: RawSpan) -> (consumed: Int, action: Action) {
        if answers.state == .opaque, let action = enterTunnel() { return (0, action) }
        switch state {
        case .head: return takeHead(bytes)
        case .decided(let head): return (0, decide(head))
        case .body(let extent, let isRelayed): return takeBody(bytes, extent, isRelayed)
        case .upgradeOffered: return takeAfterOffer(bytes)
        case .tunnelStart: return takeTunnelStart(bytes)
        case .refusing(let status, let reason): return (0, refuse(status, reason))
        case .early: return takeEarly(bytes)
        case .tunnel: return (0, .tunnel([]))
        case .closed: return (0, .end)
        }
    }

    /// Takes bytes of the server, and says how much of them goes to the client.
    package mutating func takeAnswer(_ bytes: RawSpan) -> Admission {
        guard answers.state == .following else { return Admission(passed: bytes.byteCount) }
        let (completed, asked) = answers.take(bytes)
        var admission = Admission(passed: asked)
        switch answers.state {
        case .unaskedUpgrade:
            admission.surplus = .upgrade
            admission.endsClient = true
        case .faulty(let fault):
            admission.surplus = .faulty(fault)
            admission.endsClient = true
            admission.isCut = answers.isBegun
        case .excess:
            admission.surplus = .response
            if case .early = state { admission.endsClient = true }
            // The client may still read the response before; nothing of another server may follow it.
            if answers.ambiguity != nil { admission.endsClient = true }
            if case .upgradeOffered = state { state = .head }
            // The rest of a body has nowhere to go.
            if case .body(let extent, true) = state, extent.state != .whole { admission.endsClient = true }
        case .following:
            if case .early = state { admission.endsClient = answers.outstanding == 0 && completed > 0 }
            admission.isSettled = completed > 0
        case .opaque where isAskedTooEarly:
            // The server may not switch before it has the whole request (RFC 9110, section 7.8).
            admission.surplus = .upgrade
            admission.endsClient = true
        case .opaque, .untilClose, .lost: admission.isSettled = true
        }
        if admission.endsClient {
            // What waits is not forgotten: the records are to have it.
            switch state {
            case .decided, .refusing, .upgradeOffered: break
            case .head, .body, .tunnelStart, .early, .tunnel, .closed: state = .closed
            }
        } else if admission.surplus != nil {
            admission.isSettled = true
            leaveServer()
        }
        return admission
    }

    /// A request whose end has not come waits for its response.
    private var isAskedTooEarly: Bool { if case .body(let extent, true) = state { extent.state != .whole } else { false } }

    /// The client sends no more. A head that it has not finished goes to the server that it is for.
    package mutating func finish() -> Action? {
        guard let origin, !head.isEmpty else { return nil }
        let held = head.bytes
        head = HeadBuffer()
        if case .tunnelStart = state { return .tunnel(held) }
        let words = held.drop { $0 == 0x0D || $0 == 0x0A }.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        let isComplete = words.count == 3 && words[0].allSatisfy(\.isTokenCharacter)
        guard credentials == nil, isComplete, let target = words.dropFirst().first, let absolute = try? AbsoluteTarget(target),
            absolute.origin.isSame(as: origin)
        else {
            return .close([], reason: "it was not complete, and it was not known to be for \(origin)")
        }
        state = .tunnel
        return .tunnel(held)
    }

    /// Whether `takeAnswer` still wants to see what the server sends.
    package var followsAnswers: Bool { answers.state == .following }
    /// Memory that an unfinished head takes, in bytes.
    package var reservedBytes: Int { head.bytes.capacity }

    /// The first bytes of a tunnel are held, for they begin as a request. Call `release` after a moment: their sender may wait for an answer.
    package var holdsTunnelStart: Bool { if case .tunnelStart = state { !head.isEmpty } else { false } }

    /// No more came: what is held is not a request.
    package mutating func release() -> [UInt8] {
        guard holdsTunnelStart else { return [] }
        defer { head = HeadBuffer() }
        state = .tunnel
        return head.bytes
    }

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
            return (consumed, leaveHTTP(error))
        }
    }

    /// What came is not a request. It may be for any server, and so goes to none.
    private mutating func leaveHTTP(_ fault: ProxyRequestHead.Fault = .notHTTP) -> Action {
        // The rest of a request, perhaps, whose beginning lies in the body before.
        if isAnsweredEarly { return withhold(answeredEarly) }
        if fault == .version { return refuse(505, "this proxy speaks HTTP/1.1; for HTTP/2 in plaintext use the reverse mode") }
        // A client that has spoken HTTP is told in HTTP.
        switch origin == nil ? head.bytes[head.start] : 0 {
        case 0x16: return close([], "the client speaks TLS, and the way to the proxy itself is plain (http://…)")
        case 5: return close([5, 0xFF], "the client speaks SOCKS 5, and this is an HTTP proxy")
        case 4: return close([0, 91, 0, 0, 0, 0, 0, 0], "the client speaks SOCKS 4, and this is an HTTP proxy")
        default: return refuse(400, "this is not an HTTP/1 request")
        }
    }

    /// The server has agreed to another protocol.
    private mutating func enterTunnel() -> Action? {
        // Nothing may have been asked since the end of the request.
        if case .body(let extent, true) = state, extent.state == .whole { state = .head }
        switch state {
        case .tunnelStart, .tunnel, .closed: return nil
        case .head, .upgradeOffered:
            state = .tunnelStart
            // What is held of a head is looked at as the tunnel's first bytes.
            return glanceAtTunnel()
        case .decided, .refusing: return withhold("the server had just switched to another protocol")
        // The client has begun before the server agreed.
        case .body, .early: state = .tunnel
        }
        return .tunnel([])
    }

    private mutating func takeTunnelStart(_ bytes: RawSpan) -> (Int, Action) {
        var position = 0
        while position < bytes.byteCount {
            // A verdict takes few bytes.
            position += head.take(bytes.extracting(position..<min(bytes.byteCount, position + 16)))
            if let action = glanceAtTunnel() { return (position, action) }
        }
        return (position, .needMore)
    }

    /// What the first bytes of a tunnel are; none while that is open.
    private mutating func glanceAtTunnel() -> Action? {
        guard !head.isEmpty else { return nil }
        switch RequestGlance(head.bytes) {
        case .undecided: return nil
        case .request: return withhold("the connection belongs to \(origin?.description ?? "a server"), which switched to another protocol")
        case .other:
            defer { head = HeadBuffer() }
            state = .tunnel
            return .tunnel(head.bytes)
        }
    }

    /// A request came that may not go where everything else of this connection goes.
    private mutating func withhold(_ reason: String) -> Action { close([], reason) }

    private mutating func close(_ reply: [UInt8], _ reason: String) -> Action {
        state = .closed
        head = HeadBuffer()
        return .close(reply, reason: reason)
    }

    private mutating func refuse(_ status: UInt16, _ reason: String) -> Action {
        head = HeadBuffer()
        // An answer of ours must not come before those of the server.
        if let action = settle(before: .refusing(status, reason)) { return action }
        state = .closed
        return .answer(LocalAnswer(.refusal(status: status, reason: reason)))
    }

    /// Bytes of a head that is not whole yet.
    package var heldBytes: Int { head.bytes.count }

    /// The server is gone: its answers are not waited for any more, and the next request is for another one.
    package mutating func leaveServer() { (origin, answers) = (nil, ResponseBoundaries()) }

    /// What becomes of a whole head.
    private mutating func decide(_ head: ProxyRequestHead) -> Action {
        let route = ProxyRoute(head)
        if case .forward(let target) = route, isAuthorized(head) { return forward(head, to: target) }
        // Everything else ends the conversation with the server, or puts an answer of ours after its answers.
        if let action = settle(before: .decided(head)) { return action }
        switch route {
        case .connect(let target) where isAuthorized(head):
            via = Array(head.fields.vias.map { head.bytes[$0.value] }.joined(separator: Array(", ".utf8)).prefix(4_096))
            if !mark.isEmpty, String(decoding: via, as: UTF8.self).contains(mark) {
                return answer(head, .refusal(status: 508, reason: "the proxy of --via sends what it gets back to this proxy"))
            }
            state = .tunnel
            return .connect(target)
        case .connect, .forward: return answer(head, .authenticationRequired)
        case .answer(let content): return answer(head, content)
        }
    }

    /// Waits until the server has answered all there was; none once it has.
    private mutating func settle(before next: State) -> Action? {
        guard origin != nil else { return nil }
        let server = origin?.description ?? ""
        if let ambiguity = answers.ambiguity { return withhold("the end of a response of \(server) was ambiguous: \(ambiguity)") }
        guard answers.outstanding > 0 else { return nil }
        // Nobody can say where the server's response ends, so nothing may follow it.
        guard answers.state == .following else { return withhold("it is not for \(server), whose response has no end") }
        state = next
        return .awaitAnswers
    }

    private mutating func forward(_ head: ProxyRequestHead, to target: AbsoluteTarget) -> Action {
        // A trailer might hold the proxy's own password.
        let extent = BodyExtent(head.framing, takesTrailers: credentials == nil, checksTrailers: true)
        // What follows could be told apart by nobody, and be for another server (RFC 9112, section 6.3).
        if extent.state == .lost { return refuse(400, "the request does not say where its body ends") }
        // For some servers a line ends there, and the next one might hold the proxy's own password.
        if credentials != nil, ResponseBoundaries.hasLoneControls(head.bytes[...]) {
            return refuse(400, "its head has a CR or NUL inside a line")
        }
        let opens = origin.map { !$0.isSame(as: target.origin) } ?? true
        if opens, let action = settle(before: .decided(head)) { return action }
        if answers.outstanding >= ResponseBoundaries.mostOutstanding, answers.state == .following {
            state = .decided(head)
            return .awaitAnswers
        }
        if opens { answers = ResponseBoundaries() }
        origin = target.origin
        answers.expect(ResponseBoundaries.Expectation(isToHead: head.isMethod("HEAD"), offersUpgrade: head.offersUpgrade))
        state = .body(extent, isRelayed: true)
        offersUpgrade = head.offersUpgrade
        (search, isAnsweredEarly) = (RequestSearch(), false)
        return .forward(ForwardedHead(head, to: target, opens: opens, removesAuthorization: credentials != nil))
    }

    private mutating func answer(_ head: ProxyRequestHead, _ content: LocalAnswer.Content) -> Action {
        let extent = BodyExtent(head.framing)
        var closes = head.closesAfter || extent.state == .lost
        // A client that waits for our word may keep its body after all (RFC 9110, section 10.1.1).
        if head.fields.expectsContinue, extent.state == .open { closes = true }
        if case .refusal = content { closes = true }
        state = closes ? .closed : .body(extent, isRelayed: false)
        var answer = LocalAnswer(content, isToHead: head.isMethod("HEAD"), closes: closes)
        answer.target = String(decoding: head.bytes[head.target].prefix(1_024), as: UTF8.self)
        if content == .authenticationRequired {
            let own = credentials
            answer.wrongUser =
                head.fields.proxyAuthorizations.lazy.compactMap { ProxyCredentials.user(inBasic: head.bytes[$0.value], hiding: own) }.first
        }
        return .answer(answer)
    }

    private func isAuthorized(_ head: ProxyRequestHead) -> Bool {
        guard let credentials else { return true }
        return head.fields.proxyAuthorizations.contains { credentials.matches(basic: head.bytes[$0.value]) }
    }

    // MARK: - After heads

    private var answeredEarly: String { "\(origin?.description ?? "the server") had answered before the body of the request was complete" }

    private mutating func takeBody(_ bytes: RawSpan, _ extent: BodyExtent, _ isRelayed: Bool) -> (Int, Action) {
        var extent = extent
        if extent.state == .open {
            guard bytes.byteCount > 0 else { return (0, .needMore) }
            let consumed = extent.take(bytes, from: 0)
            // A client that waited for the response may keep its body after all.
            if isRelayed, answers.outstanding == 0 {
                isAnsweredEarly = true
                if search.find(in: bytes.extracting(0..<consumed)) != nil { return (0, withhold(answeredEarly)) }
            }
            state = .body(extent, isRelayed: isRelayed)
            if consumed == 0 { return step(bytes) }
            return (consumed, isRelayed ? .relay : .discard)
        }
        if extent.state == .lost {
            // The response was sent, and the next request cannot be found.
            guard isRelayed else {
                state = .closed
                return (0, .end)
            }
            // What follows may be the rest of a request whose beginning lies in the body.
            guard !isAnsweredEarly else { return (0, withhold(answeredEarly)) }
            return (0, refuseBody())
        }
        state = offersUpgrade && isRelayed ? .upgradeOffered : .head
        offersUpgrade = false
        return step(bytes)
    }

    /// The body is broken off: what follows may be for another server, and may hold a password.
    private mutating func refuseBody() -> Action {
        let reason = "the chunks or trailers of the request's body are malformed" + (credentials == nil ? "" : ", or it has a trailer")
        // The server may wait for the rest, and so the only response that is due is ours.
        guard answers.outstanding == 1, !answers.isBegun, answers.ambiguity == nil else { return withhold(reason) }
        leaveServer()
        return refuse(400, reason)
    }

    /// A request may follow that did not wait, or already the other protocol.
    private mutating func takeAfterOffer(_ bytes: RawSpan) -> (Int, Action) {
        if answers.outstanding == 0 || answers.state != .following {
            state = .head
            return step(bytes)
        }
        guard bytes.byteCount > 0 else { return (0, .needMore) }
        // Empty lines may come before a request.
        if bytes[0].isTokenCharacter || bytes[0] == 0x0D || bytes[0] == 0x0A { return (0, .awaitAnswers) }
        (state, search) = (.early, RequestSearch())
        return takeEarly(bytes)
    }

    /// The server may be none that knows the other protocol, and the client may take an answer of its for the end of the exchange.
    private mutating func takeEarly(_ bytes: RawSpan) -> (Int, Action) {
        guard bytes.byteCount > 0 else { return (0, .needMore) }
        var ahead = search
        guard let place = ahead.find(in: bytes) else {
            search = ahead
            return (bytes.byteCount, .relay)
        }
        guard place > 0 else { return (0, withhold("\(origin?.description ?? "the server") has not answered the upgrade yet")) }
        _ = search.find(in: bytes.extracting(0..<place))
        return (place, .relay)
    }
}
