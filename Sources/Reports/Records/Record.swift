import Dissection

extension OutputBuffer {
    /// Appends one event as a JSON object: first what every record has, then what its kind has.
    mutating func appendRecord(_ event: borrowing ConversationEvent, _ content: RecordContent, _ time: inout RecordTime) {
        // One growth at most for everything of fixed size.
        reserve(1_024)
        append(event.fact.recordStart)
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
        switch event.fact {
        case .opened(let opening): appendKeys(of: opening)
        case .tls(let facts): appendKeys(of: facts, content)
        case .request(let head): appendKeys(of: head, content)
        case .response(let head): appendKeys(of: head, content)
        case .body(let part): appendKeys(of: part, content)
        case .upgrade(let upgrade): appendKeys(of: upgrade, content)
        case .frame(let frame): appendKeys(of: frame)
        case .message(let message): appendKeys(of: message, content)
        case .ping: appendPayload(content.whole, of: content, length: UInt64(content.bytes.count), lengthIsKnown: false)
        case .pong(let pong): appendKeys(of: pong, content)
        case .close(let close): appendKeys(of: close, content)
        case .data(let run): appendKeys(of: run, content)
        case .gap(let gap): appendKeys(of: gap)
        case .finding(let finding): appendKeys(of: finding, content)
        case .closed(let closing): appendKeys(of: closing)
        }
        append(0x7d)
    }
}

extension Fact {
    /// How the record of such an event begins.
    @inline(__always)
    fileprivate var recordStart: StaticString {
        switch self {
        case .opened: "{\"kind\":\"opened\""
        case .tls: "{\"kind\":\"tls\""
        case .request: "{\"kind\":\"request\""
        case .response: "{\"kind\":\"response\""
        case .body: "{\"kind\":\"body\""
        case .upgrade: "{\"kind\":\"upgrade\""
        case .frame: "{\"kind\":\"frame\""
        case .message: "{\"kind\":\"message\""
        case .ping: "{\"kind\":\"ping\""
        case .pong: "{\"kind\":\"pong\""
        case .close: "{\"kind\":\"close\""
        case .data: "{\"kind\":\"data\""
        case .gap: "{\"kind\":\"gap\""
        case .finding: "{\"kind\":\"finding\""
        case .closed: "{\"kind\":\"closed\""
        }
    }
}
