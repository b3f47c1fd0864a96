import Dissection

extension TextLine {
    /// The line above a block: number, who speaks to whom, under which name, what it is, since when.
    mutating func appendHeading(_ conversation: TextConversation) {
        isWhole = true
        ink(.strong)
        append(rightIn: 2) { $0.append(decimal: conversation.number) }
        if conversation.isContinued { append(" (continued)") }
        space(2)
        appendPeers(conversation.opening)
        if !conversation.host.isEmpty {
            space(3)
            conversation.host.withUnsafeBytes { append(safe: $0) }
        }
        space(3)
        appendTalk(conversation)
        ink(.faint)
        if let time = conversation.openedAt {
            space(3)
            append { buffer in
                buffer.append(Calendar(seconds: time.parts.seconds), between: 0x20)
                buffer.append(0x2e)
                buffer.appendDigits(UInt64(bitPattern: time.parts.nanoseconds) / 1_000_000, width: 3)
                buffer.append(" UTC")
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

    mutating func appendPeers(_ opening: Opening?) {
        guard let opening else { return append("? > ?") }
        append { $0.append(opening.client) }
        append(" > ")
        append { $0.append(opening.server) }
    }

    private mutating func appendTalk(_ conversation: TextConversation) {
        switch conversation.talk {
        case .tcp: append("TCP")
        case .tls: append("TLS")
        case .http: append("HTTP")
        case .webSocket: append("WebSocket")
        case .other: break
        }
        if !conversation.subject.isEmpty {
            if conversation.talk != .other { append(" ") }
            let shown = isNarrow ? 60 : Int.max
            conversation.subject.withUnsafeBytes { append(safe: UnsafeRawBufferPointer(rebasing: $0.prefix(shown))) }
            if conversation.subject.count > shown { appendEllipsis() }
        }
        if conversation.talk == .http, conversation.requests > 1 {
            append(" and ")
            append(conversation.requests - 1, "more request")
        }
    }
}
