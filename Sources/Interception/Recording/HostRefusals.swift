import Dissection
import Reports

/// Finds servers of reverse mode that refuse a request because its `Host` or `Origin` names the proxy.
///
/// A server with sites by name, or one that checks where a page comes from, refuses with 403, 404 or 421 what it would take without the proxy. Only
/// 421 says so (RFC 9110, section 15.5.20). The others have other causes too, and are evidence only as long as the server has taken no such request,
/// where its names can make the difference, and where no page of a third site may be what it refuses. Each upstream is reported once a run.
struct HostRefusals {
    /// What a request says that names the proxy.
    private struct Named {
        var host: HostPort?
        var origin: String?
        /// It comes from a page of neither the proxy nor the server.
        var isForeign = false
        /// It asks for a WebSocket, whose server checks `Origin` (RFC 6455, section 10.2).
        var isWebSocket = false
        var isHTTP2 = false
    }

    private struct Exchange: Hashable {
        let conversation: UInt64
        let number: UInt64
    }

    private struct Upstream {
        /// It has taken a request whose Host names the proxy, or a WebSocket whose Origin does.
        var takesHost = false
        var takesOrigin = false
        /// The same of another request.
        var takesOriginOfPages = false
        var isReported = false
    }

    private struct Found {
        let conversation: UInt64
        let origin: String
        let words: String
    }

    /// Requests without a response that are remembered; over it all are forgotten, since those of clients that are gone stay.
    private static let limit = 4_096
    private static let longestOrigin = 300

    private var conversations: [UInt64: ReverseNames] = [:]
    /// By scheme and authority. There are as many as the settings name.
    private var upstreams: [String: Upstream] = [:]
    private var pending: [Exchange: Named] = [:]
    private var found: Found?

    /// Whether there is a conversation to look at.
    var isWatching: Bool { !conversations.isEmpty }

    mutating func begin(_ conversation: UInt64, _ names: ReverseNames) {
        guard !(names.isHostRewritten && names.isOriginRewritten), upstreams[names.origin]?.isReported != true else { return }
        conversations[conversation] = names
    }

    /// What is to be reported of this conversation, to which the last events belong.
    mutating func takeFound(of conversation: UInt64) -> String? {
        guard let found else { return nil }
        self.found = nil
        guard found.conversation == conversation else { return nil }
        upstreams[found.origin, default: Upstream()].isReported = true
        return found.words
    }

    mutating func take(_ event: borrowing ConversationEvent) {
        switch event.kind {
        case .request, .response, .closed: break
        default: return
        }
        guard let names = conversations[event.conversation] else { return }
        switch event.fact {
        case .request(let head): take(event, head, names)
        case .response(let head): take(event, head, names)
        default: conversations[event.conversation] = nil
        }
    }

    private mutating func take(_ event: borrowing ConversationEvent, _ head: RequestHead, _ names: ReverseNames) {
        var named = Named()
        if !names.isHostRewritten, let host = Self.host(event.host(of: head)), names.isProxy(host) { named.host = host }
        var fields = HeaderFields(in: event.content, at: head.fields)
        while let field = fields.next() {
            let name = event.bytes(field.name)
            if name.isWord("origin") {
                if !names.isOriginRewritten { Self.take(origin: event.bytes(field.value), names, into: &named) }
            } else if name.isWord("sec-websocket-version") {
                named.isWebSocket = true
            }
        }
        guard named.host != nil || named.origin != nil else { return }
        named.isHTTP2 = event.bytes(head.version).isEqual(("HTTP/2" as StaticString).bytes)
        if pending.count >= Self.limit { pending = [:] }
        pending[Exchange(conversation: event.conversation, number: head.exchange)] = named
    }

    private mutating func take(_ event: borrowing ConversationEvent, _ head: ResponseHead, _ names: ReverseNames) {
        guard let asked = head.asked, head.status == 101 || head.status >= 200,
            let named = pending.removeValue(forKey: Exchange(conversation: event.conversation, number: asked.exchange))
        else { return }
        var upstream = upstreams[names.origin] ?? Upstream()
        defer { upstreams[names.origin] = upstream }
        switch head.status {
        case 100..<400, 401:
            if named.host != nil { upstream.takesHost = true }
            if named.origin != nil { if named.isWebSocket { upstream.takesOrigin = true } else { upstream.takesOriginOfPages = true } }
        case 403, 404, 421:
            guard found == nil, !upstream.isReported, isRefusal(head.status, named, upstream, names) else { return }
            found = Found(
                conversation: event.conversation, origin: names.origin, words: Self.words(head.status, named, names))
        default: return
        }
    }

    private func isRefusal(_ status: UInt16, _ named: Named, _ upstream: Upstream, _ names: ReverseNames) -> Bool {
        if status == 421 { return named.host != nil }
        if named.isForeign { return false }
        if named.origin != nil {
            // Of 404 a path that is not there is the likelier cause, once the server has taken such names at all.
            let isKnown = named.isWebSocket ? upstream.takesOrigin : upstream.takesOriginOfPages
            let isLikely = status == 403 || named.isWebSocket && !upstream.takesHost && !upstream.takesOriginOfPages
            if !isKnown, isLikely { return true }
        }
        guard let host = named.host, !upstream.takesHost else { return false }
        // Sites by name do not differ by port, nor by the names that this machine has for itself.
        return !names.hasServerName(host) && !(host.isLoopback && names.server.isLoopback)
    }

    private static func words(_ status: UInt16, _ named: Named, _ names: ReverseNames) -> String {
        var said: [String] = []
        var options: [String] = []
        if let host = named.host {
            said.append("Host is \(host.port == 0 ? host.host : host.description)")
            options.append("--rewrite-host \(names.authority)")
        }
        if let origin = named.origin {
            said.append("Origin is \(origin)")
            options.append("--rewrite-origin \(names.origin)")
        }
        let advice =
            options.joined(separator: " ") + (named.isHTTP2 ? ". HTTP/2 is not rewritten; with --http1 clients in TLS speak HTTP/1" : "")
        return "\(status) to a request whose \(said.joined(separator: " and ")). Try \(advice)"
    }

    private static func host(_ value: RawSpan) -> HostPort? { try? HostPort.parse(value.copy, defaultPort: 0) }

    /// Tells an origin (RFC 6454, section 6.1) that names the proxy from one that names neither it nor the server, such as `null`.
    private static func take(origin value: RawSpan, _ names: ReverseNames, into named: inout Named) {
        let text = String(decoding: value.copy.prefix(longestOrigin + 1), as: UTF8.self)
        guard value.byteCount <= longestOrigin, let start = text.firstRange(of: "://")?.upperBound,
            let host = try? HostPort.parse(text[start...].utf8, defaultPort: 0)
        else {
            named.isForeign = true
            return
        }
        if names.isProxy(host) { named.origin = text } else { named.isForeign = !names.isServer(host) }
    }
}
