import Dissection

/// What people call a conversation: the host that the client asked for, and the path.
package struct ConversationLabel: Sendable {
    /// Where the host is known from; a later one counts for more.
    private enum Source: UInt8, Sendable { case nothing, address, name, asked, hello, request }

    /// The Host of a request; before that the name of the TLS hello, what the client asked a proxy for, the server's name, or its address. With its
    /// port, where it has one there. At most 256 bytes.
    package private(set) var host: [UInt8] = []
    /// The same of the first request; until there is one, `host`.
    package var firstHost: [UInt8] { firstRequested.isEmpty ? host : firstRequested }
    private var firstRequested: [UInt8] = []
    /// The target of the first request without its query, at most 256 bytes; empty where nothing was requested.
    package private(set) var firstPath: [UInt8] = []
    /// The same of the last request so far.
    package private(set) var path: [UInt8] = []
    private var source = Source.nothing

    private static let longest = 256

    package init() {}

    /// Bytes of memory that it takes.
    package var heldBytes: Int {
        MemoryLayout<ConversationLabel>.stride + host.count + firstRequested.count + firstPath.count + path.count
    }

    /// The host without its port: two runs of a test may use different ones.
    package var bareHost: [UInt8] { Self.withoutPort(host) }

    /// The same of the first request.
    package var firstBareHost: [UInt8] { Self.withoutPort(firstHost) }

    private static func withoutPort(_ host: [UInt8]) -> [UInt8] {
        guard let colon = host.lastIndex(of: UInt8(ascii: ":")) else { return host }
        let port = host[host.index(after: colon)...]
        guard !port.isEmpty, port.allSatisfy({ 0x30...0x39 ~= $0 }) else { return host }
        let name = host[..<colon]
        // Several colons without brackets are an IPv6 address.
        return name.contains(UInt8(ascii: ":")) && name.last != UInt8(ascii: "]") ? host : [UInt8](name)
    }

    /// The host as everything that concerns it is summed up: without its port, and in lower case, since names are the same in any case (RFC 4343).
    static func summed(_ host: [UInt8]) -> String { String(decoding: withoutPort(host).map(\.lowercased), as: UTF8.self).visible }

    /// Takes note of what an event says of the names.
    package mutating func note(_ event: borrowing ConversationEvent) {
        // A fact is large to copy, and few events have a name.
        switch event.kind {
        case .opened, .tls, .request, .upgrade: break
        case _: return
        }
        switch event.fact {
        case .opened(let opening):
            var address = OutputBuffer(capacity: 64)
            if opening.server.address.family != .none { address.append(opening.server) }
            take(address.bytes, from: .address)
            take(event.bytes(opening.serverName), from: .name)
            take(event.bytes(opening.viaTarget).authority(), from: .asked)
        case .tls(let facts): take(event.bytes(facts.serverName), from: .hello)
        case .request(let head):
            let target = event.bytes(head.target)
            if event.bytes(head.method).isWord("connect") { return take(target, from: .asked) }
            take(event.host(of: head), from: .request)
            take(path: target)
        case .upgrade(let upgrade):
            take(event.bytes(upgrade.host), from: .request)
            // In HTTP/2 a CONNECT that asks for it has the path (RFC 8441, section 4).
            if upgrade.accepted, !upgrade.target.isEmpty { take(path: event.bytes(upgrade.target)) }
        default: return
        }
    }

    /// Takes the path of a target, without its query.
    private mutating func take(path target: RawSpan) {
        var end = 0
        while end < min(target.byteCount, Self.longest), target[end] != UInt8(ascii: "?") { end += 1 }
        path = target.prefix(end).copy
        if firstPath.isEmpty { firstPath = path }
        if firstRequested.isEmpty, source == .request { firstRequested = host }
    }

    private mutating func take(_ name: RawSpan, from new: Source) {
        guard !name.isEmpty, new.rawValue >= source.rawValue else { return }
        host = name.prefix(Self.longest).copy
        source = new
    }
}

extension RawSpan {
    /// What stands between the scheme and the path of a URL, as of the upstream of a reverse proxy; all of what is none.
    @_lifetime(copy self)
    fileprivate func authority() -> RawSpan {
        var start = 0
        for index in 0..<max(0, byteCount - 2)
        where self[index] == UInt8(ascii: ":") && self[index + 1] == UInt8(ascii: "/") && self[index + 2] == UInt8(ascii: "/") {
            start = index + 3
            break
        }
        var end = start
        while end < byteCount, self[end] != UInt8(ascii: "/") { end += 1 }
        return start == 0 ? self : extracting(start..<end)
    }
}
