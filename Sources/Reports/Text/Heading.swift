import Dissection

extension TextLine {
    /// The line above a block: number, who speaks to whom, under which name, what it is, since when.
    mutating func appendHeading(_ conversation: TextConversation, _ clock: inout TextClock) {
        isWhole = true
        ink(.strong)
        append(rightIn: 2) { $0.append(decimal: conversation.number) }
        if conversation.isContinued { append(" (continued)") }
        space(2)
        appendPeers(conversation)
        if !conversation.host.isEmpty, !conversation.hostIsServerName {
            space(3)
            appendName(conversation.host)
        }
        space(3)
        appendConversation(conversation)
        ink(.faint)
        appendOpening(conversation, &clock)
    }

    /// When a conversation opened, and how it came into sight where that was no handshake.
    mutating func appendOpening(_ conversation: TextConversation, _ clock: inout TextClock) {
        if let time = conversation.openedAt {
            space(3)
            append { buffer in
                buffer.append(clock.calendar(at: time.parts.seconds), between: 0x20)
                buffer.append(0x2e)
                buffer.appendDigits(UInt64(bitPattern: time.parts.nanoseconds) / 1_000_000, width: 3)
                buffer.append(0x20)
                clock.appendZone(at: time.parts.seconds, to: &buffer)
            }
        }
        if let opening = conversation.opening {
            if opening.start == .midstream {
                space(3)
                append("seen from the middle on")
            }
            if opening.roles == .guess || opening.roles == .ports {
                space(3)
                append("roles guessed")
            }
        }
    }

    /// Who speaks to whom: `10.0.0.5:51422 > example.org:443 (93.184.216.34, via http)`.
    mutating func appendPeers(_ conversation: TextConversation) {
        guard let opening = conversation.opening else { return append("? > ?") }
        if opening.isUnixSocket(opening.client) {
            appendUnixSocket(conversation.clientName)
        } else if opening.client.address.family == .none {
            // An archive does not say who asked.
            append("?")
        } else {
            append { $0.append(opening.client) }
        }
        append(" > ")
        // Zeros stand for an address that nobody knows, behind another proxy.
        let hasAddress = opening.server.address.family != .none && opening.server.address != IPAddress(ipv4: 0)
        if opening.isUnixSocket(opening.server) {
            appendUnixSocket(conversation.serverName)
            return appendVia(conversation, known: nil)
        }
        guard !conversation.serverName.isEmpty else {
            if hasAddress { append { $0.append(opening.server) } } else { append("?") }
            return appendVia(conversation, known: nil)
        }
        appendName(conversation.serverName)
        append(":")
        append { $0.append(decimal: UInt64(opening.server.port)) }
        appendVia(conversation, known: hasAddress ? opening.server.address : nil)
    }

    private mutating func appendUnixSocket(_ path: [UInt8]) {
        append("unix")
        guard !path.isEmpty else { return }
        append(":")
        appendName(path)
    }

    /// Appends what peers or users call something: on a terminal no more of it than leaves the heading about a line long, since
    /// a header may hold any name.
    private mutating func appendName(_ name: [UInt8]) {
        var shown = isNarrow ? min(60, name.count) : name.count
        // Not between the bytes of a character.
        while shown > 0, shown < name.count, name[shown] & 0xC0 == 0x80 { shown -= 1 }
        append(safe: name.rawBytes.prefix(shown))
        if shown < name.count { appendEllipsis() }
    }

    /// Appends in parentheses what is known beside the name, if anything: the address, the way, the process.
    private mutating func appendVia(_ conversation: TextConversation, known address: IPAddress?) {
        let process = conversation.opening?.processIdentifier
        let hasProcess = process != nil || !conversation.processName.isEmpty
        guard address != nil || !conversation.viaMode.isEmpty || hasProcess else { return }
        append(" (")
        if let address {
            append { $0.append(address) }
            if !conversation.viaMode.isEmpty || hasProcess { append(", ") }
        }
        if !conversation.viaMode.isEmpty {
            append("via ")
            appendName(conversation.viaMode)
            if hasProcess { append(", ") }
        }
        if hasProcess {
            append("process")
            if !conversation.processName.isEmpty {
                append(" ")
                appendName(conversation.processName)
            }
            if let process {
                append(" ")
                append { $0.append(decimal: UInt64(process)) }
            }
        }
        append(")")
    }

    mutating func appendConversation(_ conversation: TextConversation) {
        switch conversation.talk {
        case .tcp: append("TCP")
        case .tls: append("TLS")
        case .http: append("HTTP")
        case .webSocket: append("WebSocket")
        case .other: break
        }
        if !conversation.subject.isEmpty {
            if conversation.talk != .other { append(" ") }
            appendName(conversation.subject)
        }
        if conversation.talk == .http, conversation.requests > 1 {
            append(" and ")
            append(conversation.requests - 1, "more request")
        }
    }
}

extension Opening {
    /// Whether an endpoint of this conversation is a Unix socket; such a one has an address of zeros.
    fileprivate func isUnixSocket(_ endpoint: Endpoint) -> Bool {
        transport == .unix && (endpoint.address.family == .none || endpoint.address == IPAddress(ipv4: 0))
    }
}

extension TextConversation {
    /// Whether the host that the client named is the name that was dialled, so that telling it once will do.
    fileprivate var hostIsServerName: Bool {
        guard !serverName.isEmpty, host.starts(with: serverName) else { return false }
        return host.count == serverName.count || host[serverName.count] == 0x3a
    }
}
