import Dissection

extension OutputBuffer {
    /// Appends one event as a JSON object: first what every record has, then what its kind has.
    ///
    /// The fact is looked into once, because each look copies it.
    mutating func appendRecord(_ event: borrowing ConversationEvent, _ content: RecordContent, _ time: inout RecordTime) {
        switch event.fact {
        case .message(let message):
            if let frame = message.frame {
                appendStart("{\"kind\":\"message\"", event, &time)
                appendKeys(of: message, frame, content)
                break
            }
            // Most records are messages: what comes before their payload is put together in one go.
            var text = stretch(atLeast: OutputBuffer.commonRoom + OutputBuffer.messageRoom)
            text.append("{\"kind\":\"message\"")
            text.appendCommon(event, &time)
            text.appendKeys(of: message)
            let written = text.count
            advance(by: written)
            appendPayload(content.bytes, content.policy, length: content.shown(message.length))
        case .opened(let opening):
            appendStart("{\"kind\":\"opened\"", event, &time)
            appendKeys(of: opening, content)
        case .tls(let facts):
            appendStart("{\"kind\":\"tls\"", event, &time)
            appendKeys(of: facts, content)
        case .request(let head):
            appendStart("{\"kind\":\"request\"", event, &time)
            appendKeys(of: head, content)
        case .response(let head):
            appendStart("{\"kind\":\"response\"", event, &time)
            appendKeys(of: head, content, asked: event.asked)
        case .body(let part):
            appendStart("{\"kind\":\"body\"", event, &time)
            appendKeys(of: part, content)
        case .upgrade(let upgrade):
            appendStart("{\"kind\":\"upgrade\"", event, &time)
            appendKeys(of: upgrade, content)
        case .frame(let frame):
            appendStart("{\"kind\":\"frame\"", event, &time)
            appendKeys(of: frame)
        case .ping:
            appendStart("{\"kind\":\"ping\"", event, &time)
            appendPayload(content.bytes, content.policy, length: UInt64(content.bytes.byteCount), lengthIsKnown: false)
        case .pong(let pong):
            appendStart("{\"kind\":\"pong\"", event, &time)
            appendKeys(of: pong, content)
        case .close(let close):
            appendStart("{\"kind\":\"close\"", event, &time)
            appendKeys(of: close, content)
        case .control(let frame):
            appendStart("{\"kind\":\"control\"", event, &time)
            appendKeys(of: frame, content)
        case .data(let run):
            appendStart("{\"kind\":\"data\"", event, &time)
            appendKeys(of: run, content)
        case .gap(let gap):
            appendStart("{\"kind\":\"gap\"", event, &time)
            appendKeys(of: gap, content)
        case .finding(let finding):
            appendStart("{\"kind\":\"finding\"", event, &time)
            appendKeys(of: finding, content)
        case .closed(let closing):
            appendStart("{\"kind\":\"closed\"", event, &time)
            appendKeys(of: closing, content)
        }
        if event.redaction.places > 0 { append(.redacted, decimal: UInt64(event.redaction.places)) }
        append(0x7d)
    }

    /// Room for what every record has: five numbers, the time, and their keys.
    private static let commonRoom = 320
    /// Room for what a message has beside its payload.
    private static let messageRoom = 192

    /// Appends what every record has, kind first.
    @inline(never)
    private mutating func appendStart(_ start: StaticString, _ event: borrowing ConversationEvent, _ time: inout RecordTime) {
        var text = stretch(atLeast: OutputBuffer.commonRoom)
        text.append(start)
        text.appendCommon(event, &time)
        let written = text.count
        advance(by: written)
    }
}

extension OutputStretch {
    /// Appends what every record has after its kind.
    @inline(__always)
    fileprivate mutating func appendCommon(_ event: borrowing ConversationEvent, _ time: inout RecordTime) {
        if event.conversation != 0 { append(.conversation, decimal: event.conversation) }
        if let moment = event.place.time { time.append(moment, to: &self) }
        if let from = event.from {
            append(.from)
            append(from == .client ? "\"client\"" : "\"server\"")
        }
        if let packets = event.place.packets {
            append(.packets)
            append(0x5b)
            append(decimal: packets.lowest)
            append(0x2c)
            append(decimal: packets.highest)
            append(0x5d)
        }
        if let offset = event.offset { append(.offset, decimal: offset) }
        if event.channel.depth > 0 { append(.channel, decimal: UInt64(event.channel.depth)) }
        if event.channel.stream > 0 { append(.stream, decimal: UInt64(event.channel.stream)) }
    }

    /// What a message has beside its payload.
    @inline(__always)
    fileprivate mutating func appendKeys(of message: Message) {
        append(.messageOpcode)
        switch message.opcode {
        case 1: append("\"text\"")
        case 2: append("\"binary\"")
        default: append(decimal: UInt64(message.opcode))
        }
        append(.messageLength, decimal: message.length)
        append(.messageWireLength, decimal: message.wireLength)
        append(.fragments, decimal: UInt64(message.fragments))
        append(.compressed, message.compressed)
        if message.isUnfinished { appendUnfinished(message.announced) }
    }
}
