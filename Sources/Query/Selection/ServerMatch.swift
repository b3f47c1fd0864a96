import Dissection
import Reports

/// Which servers and paths the user wants (`--host`, `--path`).
struct ServerPatterns: Sendable {
    /// Any of them; all servers where there are none. Names, with or without a port.
    var hosts: [WildcardPattern]
    /// Any of them; all paths where there are none. Targets, with or without their query.
    var paths: [WildcardPattern]

    var isEmpty: Bool { hosts.isEmpty && paths.isEmpty }
}

/// What is known of the server and the exchanges of one conversation.
///
/// A host is that of the conversation (the address, the name that was dialled, the server name of TLS) or that of an exchange (the header field Host).
/// A path is that of an exchange. What belongs to no exchange belongs to the conversation, which is wanted once one of its exchanges is.
struct ServerMatch {
    /// The exchanges of which it has to be known whether they are wanted, until their responses come.
    private static let mostWaiting = 32
    /// Names that are longer are none.
    private static let longestName = 300
    /// Of the requests of a stream that wait, mostly one.
    private static let turnBytes = 64

    private var port: UInt16 = 0
    /// The host is wanted whatever an exchange says.
    private var isHost = false
    /// An exchange was wanted.
    private var hasExchange = false
    /// The exchanges of a stream, or of a connection that has none.
    private struct Turn {
        /// Of the last request and of the last response; nil before the first.
        var client: Bool?
        var server: Bool?
        /// Those without a response.
        var waiting: [(exchange: UInt64, isWanted: Bool)] = []

        /// Takes note of a request.
        mutating func ask(_ exchange: UInt64, isWanted: Bool) {
            client = isWanted
            if waiting.count == ServerMatch.mostWaiting { waiting.removeFirst() }
            waiting.append((exchange, isWanted))
        }

        /// Takes note of a response. Returns whether its exchange is wanted, where that is known.
        mutating func answer(_ head: ResponseHead) -> Bool? {
            if let asked = head.asked, let index = waiting.firstIndex(where: { $0.exchange == asked.exchange }) {
                server = waiting[index].isWanted
                // Those before it have no response any more.
                if head.status >= 200 || head.status == 101 { waiting.removeFirst(index + 1) }
            } else {
                server = waiting.first?.isWanted ?? client
            }
            return server
        }
    }

    private var turn = Turn()
    /// Of the streams of HTTP/2, where there are any.
    private var turns = ByStream(vacant: Turn())
    private var hasStreams = false

    /// Changes the exchanges of a stream.
    private mutating func change<Answer>(_ stream: UInt32, _ body: (inout Turn) -> Answer) -> Answer {
        if stream == 0 { return body(&turn) }
        hasStreams = true
        return body(&turns[stream])
    }

    private func client(_ stream: UInt32) -> Bool? { stream == 0 ? turn.client : turns[stream].client }
    private func server(_ stream: UInt32) -> Bool? { stream == 0 ? turn.server : turns[stream].server }

    var heldBytes: Int { hasStreams ? turns.heldBytes + (turns.count + 1) * Self.turnBytes : Self.turnBytes }

    /// Something of it is wanted, as far as servers and paths say.
    func isWanted(_ patterns: ServerPatterns) -> Bool { hasExchange || (isHost && patterns.paths.isEmpty) }

    /// Whether an event belongs to what is wanted.
    mutating func take(_ event: borrowing ConversationEvent, _ patterns: ServerPatterns) -> Certainty {
        let stream = event.channel.stream
        if stream != 0 { turns.touch(by: event) }
        switch event.fact {
        case .opened(let opening):
            port = opening.server.port
            isHost =
                patterns.hosts.isEmpty || opening.server.address.literal.withBytes { matches($0, patterns) }
                || matches(event.bytes(opening.serverName), patterns) || isAsked(event.bytes(opening.viaTarget), patterns)
            return ofConversation(patterns)
        case .tls(let facts):
            if matches(event.bytes(facts.serverName), patterns) { isHost = true }
            return ofConversation(patterns)
        case .request(let head):
            let isWanted = (isHost || hasHost(head, event, patterns)) && hasPath(event.bytes(head.target), patterns)
            change(stream) { $0.ask(head.exchange, isWanted: isWanted) }
            return of(isWanted)
        case .response(let head): return of(change(stream) { $0.answer(head) } ?? (isHost && patterns.paths.isEmpty))
        case .body:
            return of((event.from == .client ? client(stream) : server(stream)) ?? (isHost && patterns.paths.isEmpty))
        // What the connection agrees on belongs to no path.
        case .control where stream == 0: return patterns.paths.isEmpty ? ofConversation(patterns) : .no
        case .upgrade(let upgrade) where upgrade.isToHTTP2(event):
            if stream == 0 { (turns[1], hasStreams) = (turn, true) }
            return of(client(1) ?? (isHost && patterns.paths.isEmpty))
        case .upgrade, .frame, .message, .ping, .pong, .close, .control, .data:
            // After an upgrade all that comes belongs to the exchange that asked for it.
            return of(client(stream) ?? (isHost && patterns.paths.isEmpty))
        case .finding, .gap: return (client(stream) ?? server(stream)).map { of($0) } ?? ofConversation(patterns)
        case .closed: return isWanted(patterns) ? .yes : .no
        }
    }

    private mutating func of(_ isWanted: Bool) -> Certainty {
        if isWanted { hasExchange = true }
        return isWanted ? .yes : .no
    }

    private func ofConversation(_ patterns: ServerPatterns) -> Certainty {
        isWanted(patterns) ? .yes : .unknown
    }

    private func hasHost(_ head: RequestHead, _ event: borrowing ConversationEvent, _ patterns: ServerPatterns) -> Bool {
        if matches(event.host(of: head), patterns) { return true }
        // CONNECT, and what a client asks a proxy for.
        let target = RequestTarget(event.bytes(head.target), isConnect: event.bytes(head.method).isWord("connect"))
        return matches(event.bytes(head.target).extracting(target.authority), patterns)
    }

    /// Whether what a proxy was asked for is wanted: a host, or the URL of its upstream.
    private func isAsked(_ target: RawSpan, _ patterns: ServerPatterns) -> Bool {
        let authority = RequestTarget(target, isConnect: false).authority
        return matches(authority.isEmpty ? target : target.extracting(authority), patterns)
    }

    /// Whether a host, with or without a port, is wanted.
    private func matches(_ name: RawSpan, _ patterns: ServerPatterns) -> Bool {
        guard !name.isEmpty, name.byteCount <= Self.longestName else { return false }
        var bare = name.byteCount
        while bare > 0, 0x30...0x39 ~= name[bare - 1] { bare -= 1 }
        let hasPort = bare > 1 && bare < name.byteCount && name[bare - 1] == UInt8(ascii: ":") && name[bare - 2] != UInt8(ascii: ":")
        let host = hasPort ? name.extracting(0..<bare - 1) : name
        var full = host.copy
        full += ":\(port)".utf8
        for pattern in patterns.hosts where pattern.matches(host) || pattern.matches(name) || pattern.matches(full.rawBytes) {
            return true
        }
        return false
    }

    private func hasPath(_ target: RawSpan, _ patterns: ServerPatterns) -> Bool {
        if patterns.paths.isEmpty { return true }
        let parts = RequestTarget(target, isConnect: false)
        let path = target.extracting(parts.path)
        let whole = target.extracting(parts.path.lowerBound..<target.byteCount)
        for pattern in patterns.paths where pattern.matches(path) || pattern.matches(whole) { return true }
        return false
    }
}

/// The parts of a request's target (RFC 9112, section 3.2): where its authority and its path lie.
private struct RequestTarget {
    var authority = 0..<0
    /// Without the query.
    var path = 0..<0

    init(_ target: RawSpan, isConnect: Bool) {
        let count = target.byteCount
        if isConnect {
            authority = 0..<count
            return
        }
        var start = 0
        while start < count, target[start] != UInt8(ascii: "/"), target[start] != UInt8(ascii: ":"), target[start] != UInt8(ascii: "?") {
            start += 1
        }
        // `http://host/path`
        if start > 0, start + 2 < count, target[start] == UInt8(ascii: ":"), target[start + 1] == UInt8(ascii: "/"),
            target[start + 2] == UInt8(ascii: "/")
        {
            let first = start + 3
            var end = first
            while end < count, target[end] != UInt8(ascii: "/"), target[end] != UInt8(ascii: "?") { end += 1 }
            authority = first..<end
            start = end
        } else {
            start = 0
        }
        var end = start
        while end < count, target[end] != UInt8(ascii: "?"), target[end] != UInt8(ascii: "#") { end += 1 }
        path = start..<end
    }
}
