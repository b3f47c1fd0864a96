import Dissection
import Reports

/// Fields that are the content of an event, or the text that it is: they are searched where they lie, and whether they are text is asked only where
/// something was found.
struct ContentSource: Sendable {
    enum Part: Sendable {
        case content, message, webSocket, webSocketText, webSocketBinary, body, data
    }

    let part: Part
    /// It has a value only where the bytes are text.
    let isText: Bool

    /// Nil for a field that is none of them.
    init?(_ source: FieldSource) {
        switch source {
        case .content, .ping(.payload), .pongPayload(.payload): (part, isText) = (.content, false)
        case .ping(.text), .pongPayload(.text): (part, isText) = (.content, true)
        case .message(.payload): (part, isText) = (.message, false)
        case .message(.text): (part, isText) = (.message, true)
        case .message(.webSocketPayload): (part, isText) = (.webSocket, false)
        case .message(.textPayload): (part, isText) = (.webSocketText, false)
        case .message(.binaryPayload): (part, isText) = (.webSocketBinary, false)
        case .body(.payload): (part, isText) = (.body, false)
        case .body(.text): (part, isText) = (.body, true)
        case .data(.payload): (part, isText) = (.data, false)
        case .data(.text): (part, isText) = (.data, true)
        case _: return nil
        }
    }

    /// The bytes of an event; nil where it has none of that kind.
    @_lifetime(copy event)
    func bytes(of event: borrowing ConversationEvent) -> RawSpan? {
        switch part {
        case .content, .message: return event.content
        case .webSocket, .webSocketText, .webSocketBinary:
            guard case .message(let message) = event.fact, message.frame == nil else { return nil }
            switch part {
            case .webSocketText: return message.opcode == 1 ? event.content : nil
            case .webSocketBinary: return message.opcode == 2 ? event.content : nil
            case _: return event.content
            }
        case .body:
            guard case .body(let body) = event.fact else { return nil }
            return event.part(body.payload)
        case .data:
            guard case .data(let run) = event.fact, run.framing == nil else { return nil }
            return event.content
        }
    }

    /// How many of the bytes are the value: all of them, or those that are text; nil where they are no text.
    func count(of bytes: RawSpan, _ event: borrowing ConversationEvent) -> Int? {
        guard isText else { return bytes.byteCount }
        let length: UInt64? =
            switch event.fact {
            case .message(let message): message.length
            case .body(let body): body.length
            case .data(let run): run.length
            case _: nil
            }
        return bytes.textCount(isCut: UInt64(bytes.byteCount) < length ?? 0)
    }
}
