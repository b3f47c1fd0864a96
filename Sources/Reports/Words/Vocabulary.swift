import Dissection

// The words that the log has for the values of the vocabulary. They are part of the format: docs/log-format.md.

extension Side {
    package var word: StaticString {
        switch self {
        case .client: "client"
        case .server: "server"
        }
    }
}

extension Opening.Transport: FieldWord {
    package var word: StaticString {
        switch self {
        case .tcp: "tcp"
        case .unix: "unix"
        }
    }
}

extension Opening.Start: FieldWord {
    package var word: StaticString {
        switch self {
        case .handshake: "handshake"
        case .midstream: "midstream"
        case .accepted: "accepted"
        }
    }
}

extension Opening.Roles: FieldWord {
    package var word: StaticString {
        switch self {
        case .handshake: "handshake"
        case .content: "content"
        case .ports: "ports"
        case .guess: "guess"
        }
    }
}

extension TLSFacts.Secrets: FieldWord {
    package var word: StaticString {
        switch self {
        case .keylog: "keylog"
        case .terminated: "terminated"
        case .missing: "missing"
        }
    }
}

extension Gap.Cause: FieldWord {
    package var word: StaticString {
        switch self {
        case .missing: "missing"
        case .truncated: "truncated"
        case .limit: "limit"
        case .resync: "resync"
        case .undecodable: "undecodable"
        }
    }
}

extension Severity {
    package var word: StaticString {
        switch self {
        case .note: "note"
        case .warning: "warning"
        case .violation: "violation"
        }
    }
}

extension Closing.Closer: FieldWord {
    package var word: StaticString {
        switch self {
        case .client: "client"
        case .server: "server"
        case .proxy: "proxy"
        case .unknown: "unknown"
        }
    }
}

extension Closing.Manner: FieldWord {
    package var word: StaticString {
        switch self {
        case .closeFrame: "close-frame"
        case .fin: "fin"
        case .reset: "reset"
        case .timeout: "timeout"
        case .endOfCapture: "end-of-capture"
        case .evicted: "evicted"
        case .connectFailed: "connect-failed"
        case .tlsFailed: "tls-failed"
        case .shutdown: "shutdown"
        case .limit: "limit"
        case .refused: "refused"
        }
    }
}

extension Closing.End: FieldWord {
    package var word: StaticString {
        switch self {
        case .open: "open"
        case .fin: "fin"
        case .reset: "reset"
        }
    }
}

extension ControlFrame.Kind: FieldWord {
    package var word: StaticString {
        switch self {
        case .settings: "settings"
        case .settingsAccepted: "settings-accepted"
        case .reset: "reset"
        case .goAway: "goaway"
        case .ping: "ping"
        case .pong: "pong"
        case .priorityUpdate: "priority-update"
        case .priority: "priority"
        }
    }
}

extension BodyPart.Element {
    package var word: StaticString {
        switch self {
        case .event: "event"
        case .line: "line"
        case .message: "message"
        case .comment: "comment"
        case .field: "field"
        }
    }
}
