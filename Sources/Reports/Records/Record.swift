import Dissection

extension OutputBuffer {
    /// Appends one event as a JSON object: first what every record has, then what its kind has.
    ///
    /// The fact is looked into once, because each look copies it.
    mutating func appendRecord(_ event: borrowing ConversationEvent, _ content: RecordContent, _ time: inout RecordTime) {
        // One growth at most for everything of fixed size.
        reserve(1_024)
        switch event.fact {
        case .message(let message):
            append("{\"kind\":\"message\"")
            appendCommon(event, &time)
            appendKeys(of: message, content)
        case .opened(let opening):
            append("{\"kind\":\"opened\"")
            appendCommon(event, &time)
            appendKeys(of: opening, content)
        case .tls(let facts):
            append("{\"kind\":\"tls\"")
            appendCommon(event, &time)
            appendKeys(of: facts, content)
        case .request(let head):
            append("{\"kind\":\"request\"")
            appendCommon(event, &time)
            appendKeys(of: head, content)
        case .response(let head):
            append("{\"kind\":\"response\"")
            appendCommon(event, &time)
            appendKeys(of: head, content)
        case .body(let part):
            append("{\"kind\":\"body\"")
            appendCommon(event, &time)
            appendKeys(of: part, content)
        case .upgrade(let upgrade):
            append("{\"kind\":\"upgrade\"")
            appendCommon(event, &time)
            appendKeys(of: upgrade, content)
        case .frame(let frame):
            append("{\"kind\":\"frame\"")
            appendCommon(event, &time)
            appendKeys(of: frame)
        case .ping:
            append("{\"kind\":\"ping\"")
            appendCommon(event, &time)
            appendPayload(content.whole, of: content, length: UInt64(content.bytes.count), lengthIsKnown: false)
        case .pong(let pong):
            append("{\"kind\":\"pong\"")
            appendCommon(event, &time)
            appendKeys(of: pong, content)
        case .close(let close):
            append("{\"kind\":\"close\"")
            appendCommon(event, &time)
            appendKeys(of: close, content)
        case .data(let run):
            append("{\"kind\":\"data\"")
            appendCommon(event, &time)
            appendKeys(of: run, content)
        case .gap(let gap):
            append("{\"kind\":\"gap\"")
            appendCommon(event, &time)
            appendKeys(of: gap)
        case .finding(let finding):
            append("{\"kind\":\"finding\"")
            appendCommon(event, &time)
            appendKeys(of: finding, content)
        case .closed(let closing):
            append("{\"kind\":\"closed\"")
            appendCommon(event, &time)
            appendKeys(of: closing)
        }
        append(0x7d)
    }

    /// Appends what every record has behind its kind.
    private mutating func appendCommon(_ event: borrowing ConversationEvent, _ time: inout RecordTime) {
        if event.conversation != 0 { append(",\"conversation\":", decimal: event.conversation) }
        if let moment = event.place.time { time.append(moment, to: &self) }
        if let from = event.from { append(from == .client ? ",\"from\":\"client\"" : ",\"from\":\"server\"") }
        if let packets = event.place.packets {
            append(",\"packets\":[", decimal: packets.lowest)
            append(0x2c)
            append(decimal: packets.highest)
            append(0x5d)
        }
        if let offset = event.offset { append(",\"offset\":", decimal: offset) }
        if event.channel.depth > 0 { append(",\"channel\":", decimal: UInt64(event.channel.depth)) }
        if event.channel.stream > 0 { append(",\"stream\":", decimal: UInt64(event.channel.stream)) }
    }
}
