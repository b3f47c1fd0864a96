import Dissection
import Reports

/// What `ping` has, and `pong` and `close` as well: a short payload.
enum PingField: String, CaseIterable, Sendable {
    case text, base64, length, truncated
    case payload = ""

    func visit(_ event: borrowing ConversationEvent, _ take: ValueVisitor) -> Bool {
        let length = UInt64(event.content.byteCount)
        switch self {
        case .text: return handText(event.content, length: length, take)
        case .base64: return handBytes(event.content, length: length, take)
        case .length: return take(.number(length))
        // Of these all is kept.
        case .truncated: return false
        case .payload: return take(.bytes(event.content))
        }
    }
}

/// What `pong` has beside them.
enum PongField: String, CaseIterable, Sendable {
    case roundTrip, unsolicited

    func visit(_ pong: Pong, _ take: ValueVisitor) -> Bool {
        switch self {
        case .roundTrip: handSeconds(pong.roundTrip, take)
        case .unsolicited: handFlag(pong.unsolicited, take)
        }
    }
}

/// What `close` has.
enum CloseField: String, CaseIterable, Sendable {
    case code, name, text, base64, length, truncated
    case reason = ""

    func visit(_ event: borrowing ConversationEvent, _ close: CloseFrame, _ take: ValueVisitor) -> Bool {
        switch self {
        case .code: return handNumber(close.code.map { UInt64($0) }, take)
        case .name:
            guard let name = close.code.flatMap(CloseCodeNames.name) else { return false }
            return take(.text(name.bytes))
        case .reason: return event.content.isEmpty ? false : take(.text(event.content))
        case .text: return event.content.isEmpty ? false : PingField.text.visit(event, take)
        case .base64: return event.content.isEmpty ? false : PingField.base64.visit(event, take)
        case .length: return take(.number(UInt64(event.content.byteCount)))
        case .truncated: return false
        }
    }
}
