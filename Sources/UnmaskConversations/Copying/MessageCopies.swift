import Dissection
import Reports

// Facts of messages and of the end, as values.

extension ConversationEvent.Message {
    init(_ message: Dissection.Message, _ content: RawSpan, _ decoded: DecodedPayload?) {
        kind = Kind(message)
        payload = content.copy
        length = Int(clamping: message.length)
        wireLength = Int(clamping: message.wireLength)
        fragments = Int(message.fragments)
        isCompressed = message.compressed
        isUnfinished = message.isUnfinished
        self.decoded = decoded
    }
}

extension ConversationEvent.Message.Kind {
    init(_ message: Dissection.Message) {
        if let framing = message.frame?.framing {
            if case .protocol(let name) = framing {
                self = .framed("\(name.word)")
            } else {
                self = .framed("\(FramingKind(framing).word)")
            }
            return
        }
        switch message.opcode {
        case 1: self = .text
        case 2: self = .binary
        case let opcode: self = .reserved(opcode: opcode)
        }
    }
}

extension ConversationEvent.Control {
    init(_ control: ControlFrame, _ content: RawSpan) {
        kind =
            switch control.kind {
            case .settings: .settings
            case .settingsAccepted: .settingsAccepted
            case .reset: .reset
            case .goAway: .goAway
            case .ping: .ping
            case .pong: .pong
            case .priorityUpdate: .priorityUpdate
            case .priority: .priority
            }
        errorCode = control.code.map { Int($0) }
        lastStream = control.lastStream.map { Int($0) }
        roundTrip = Duration(control.roundTrip)
        settings = content.headers(control.settings)
        text = content.text(control.text)
    }
}

extension ConversationEvent.Closed {
    init(_ closing: Closing) {
        by =
            switch closing.by {
            case .client: .client
            case .server: .server
            case .proxy: .proxy
            case .unknown: .unknown
            }
        how =
            switch closing.how {
            case .closeFrame: .closeFrame
            case .fin: .fin
            case .reset: .reset
            case .timeout: .timeout
            case .endOfCapture: .endOfCapture
            case .evicted: .evicted
            case .connectFailed: .connectFailed
            case .tlsFailed: .tlsFailed
            case .shutdown: .shutdown
            case .limit: .limit
            case .refused: .refused
            }
        code = closing.code.map { Int($0) }
        answered = Duration(closing.answered)
        silence = Duration(closing.silence)
        duration = Duration(closing.duration)
        client = Sent(closing.client, closing.clientEnd)
        server = Sent(closing.server, closing.serverEnd)
    }
}

extension ConversationEvent.Closed.Sent {
    init(_ totals: SideTotals, _ end: Closing.End) {
        bytes = Int(clamping: totals.bytes)
        messages = Int(clamping: totals.messages)
        frames = Int(clamping: totals.frames)
        missing = Int(clamping: totals.missing)
        self.end =
            switch end {
            case .open: .open
            case .fin: .fin
            case .reset: .reset
            }
    }
}
