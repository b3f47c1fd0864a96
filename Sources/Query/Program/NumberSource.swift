import Dissection
import Reports

/// Fields that are one number of the event itself, so that it can be read without a call for each value.
enum NumberSource: Sendable {
    case messageLength, messageWireLength, messageFragments, messageOpcode, frameLength, frameOpcode
    case bodyLength, bodyWireLength, dataLength, status, closeCode
    /// Of a ping, a pong or a Close frame.
    case contentLength
    case conversation, offset
    /// The place among the sides.
    case from
    case constant(UInt64)

    /// Nil for a field that is none of them.
    init?(_ source: FieldSource) {
        switch source {
        case .message(.length): self = .messageLength
        case .message(.wireLength): self = .messageWireLength
        case .message(.fragments): self = .messageFragments
        case .message(.opcode): self = .messageOpcode
        case .frame(.length): self = .frameLength
        case .frame(.opcode): self = .frameOpcode
        case .body(.length): self = .bodyLength
        case .body(.wireLength): self = .bodyWireLength
        case .data(.length): self = .dataLength
        case .response(.status): self = .status
        case .close(.code): self = .closeCode
        case .ping(.length), .pongPayload(.length), .close(.length): self = .contentLength
        case .common(.conversation): self = .conversation
        case .common(.offset): self = .offset
        case .constant(let value): self = .constant(value)
        case _: return nil
        }
    }

    /// The number that an event has; nil where it has none. That the event is of a kind that may have it was asked before.
    @inline(__always)
    func number(of event: borrowing ConversationEvent) -> UInt64? {
        switch self {
        case .constant(let value): return value
        case .conversation: return event.conversation == 0 ? nil : event.conversation
        case .offset: return event.offset
        case .from: return event.from.map { UInt64($0.rawValue) }
        case .contentLength: return UInt64(event.content.byteCount)
        case .messageLength, .messageWireLength, .messageFragments, .messageOpcode:
            guard case .message(let message) = event.fact else { return nil }
            switch self {
            case .messageLength: return message.length
            case .messageWireLength: return message.wireLength
            case .messageFragments: return message.frame == nil ? UInt64(message.fragments) : nil
            case _: return message.frame == nil ? UInt64(message.opcode) : nil
            }
        case .frameLength, .frameOpcode:
            guard case .frame(let frame) = event.fact else { return nil }
            if case .frameLength = self { return frame.length }
            return UInt64(frame.opcode)
        case .bodyLength, .bodyWireLength:
            guard case .body(let body) = event.fact else { return nil }
            if case .bodyLength = self { return body.length }
            return body.wireLength
        case .dataLength:
            guard case .data(let run) = event.fact else { return nil }
            return run.length
        case .status:
            guard case .response(let head) = event.fact else { return nil }
            return UInt64(head.status)
        case .closeCode:
            guard case .close(let close) = event.fact else { return nil }
            return close.code.map { UInt64($0) }
        }
    }
}

extension Comparison.Relation {
    @inline(__always)
    func holds(_ left: UInt64, _ right: UInt64) -> Bool {
        switch self {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        }
    }
}

extension [ConstantRange] {
    /// The members of a set, where all of them are whole numbers of 64 bits; nil otherwise.
    var wholes: [ClosedRange<UInt64>]? {
        var wholes: [ClosedRange<UInt64>] = []
        for member in self {
            guard case .quantity(.whole(let low)) = member.least, case .quantity(.whole(let high)) = member.most,
                let least = UInt64(exactly: low), let most = UInt64(exactly: high), least <= most
            else { return nil }
            wholes.append(least...most)
        }
        return wholes
    }
}
