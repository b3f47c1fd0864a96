import Dissection
import Reports

/// What most records have.
enum CommonField: String, CaseIterable, Sendable {
    case kind, conversation, time, from, packets, offset, channel, stream, redacted

    func visit(_ event: borrowing ConversationEvent, _ take: ValueVisitor) -> Bool {
        switch self {
        case .kind:
            let number = Int(event.kind.carrierNumber)
            return take(.word(number, FieldCarrier.words[number].bytes))
        case .conversation: return event.conversation == 0 ? false : take(.number(event.conversation))
        case .time:
            guard let time = event.place.time else { return false }
            return take(.time(time.nanoseconds))
        case .from:
            guard let from = event.from else { return false }
            return hand(from.word, from.rawValue, take)
        case .packets:
            guard let packets = event.place.packets else { return false }
            return take(.range(packets.lowest, packets.highest))
        case .offset: return handNumber(event.offset, take)
        case .channel: return event.channel.depth == 0 ? false : take(.number(UInt64(event.channel.depth)))
        case .redacted: return event.redaction.places == 0 ? false : take(.number(UInt64(event.redaction.places)))
        case .stream: return event.channel.stream == 0 ? false : take(.number(UInt64(event.channel.stream)))
        }
    }
}

extension FieldCarrier {
    /// The names of the kinds of records, each in its place.
    static let words: [StaticString] = [
        "capture", "end", "opened", "tls", "data", "gap", "finding", "closed", "request", "response", "body", "upgrade", "frame", "message",
        "ping", "pong", "close", "control",
    ]
}
