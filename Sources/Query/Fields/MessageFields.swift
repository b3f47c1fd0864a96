import Dissection
import Reports

/// What `message` has.
enum MessageField: String, CaseIterable, Sendable {
    case opcode, length, wireLength, fragments, compressed, unfinished, announced, text, base64, truncated
    case framingBy = "framing.by"
    case framingLength = "framing.length"
    case framingCountsItself = "framing.self"
    case framingOffset = "framing.offset"
    case framingHeader = "framing.header"
    case framingDelimiter = "framing.delimiter"
    case framingSize = "framing.size"
    case framingType = "framing.type"
    case framingProtocol = "framing.protocol"
    case framingHeaderBytes = "framing.headerBytes"
    case framingGuessed = "framing.guessed"
    case framingFit = "framing.fit"
    /// The payload, unmasked and inflated.
    case payload = ""
    /// The same, of WebSocket messages that call themselves text, and of those that do not.
    case textPayload, binaryPayload
    /// The same, of WebSocket messages alone.
    case webSocketPayload

    func visit(_ event: borrowing ConversationEvent, _ message: Message, _ take: ValueVisitor) -> Bool {
        switch self {
        case .payload: return take(.bytes(event.content))
        case .length: return take(.number(message.length))
        case .wireLength: return take(.number(message.wireLength))
        case .text: return handText(event.content, length: message.length, take)
        case .base64: return handBytes(event.content, length: message.length, take)
        case .truncated: return handFlag(UInt64(event.content.byteCount) < message.length, take)
        case .unfinished: return handFlag(message.isUnfinished, take)
        case .announced: return message.announced.map { take(.number($0)) } ?? false
        case .opcode: return message.frame == nil ? take(.number(UInt64(message.opcode))) : false
        case .fragments: return message.frame == nil ? take(.number(UInt64(message.fragments))) : false
        case .compressed: return message.frame == nil ? take(.flag(message.compressed)) : false
        case .webSocketPayload: return message.frame == nil ? take(.bytes(event.content)) : false
        case .textPayload: return message.frame == nil && message.opcode == 1 ? take(.text(event.content)) : false
        case .binaryPayload: return message.frame == nil && message.opcode == 2 ? take(.bytes(event.content)) : false
        case _:
            guard let frame = message.frame else { return false }
            return visit(frame, take)
        }
    }

    /// How it was cut out of raw bytes.
    private func visit(_ frame: MessageFrame, _ take: ValueVisitor) -> Bool {
        switch (self, frame.framing) {
        case (.framingBy, _):
            let kind = FramingKind(frame.framing)
            return hand(kind.word, UInt8(FramingKind.allCases.firstIndex(of: kind) ?? 0), take)
        case (.framingGuessed, _): return handFlag(frame.guess != nil, take)
        case (.framingFit, _):
            guard let guess = frame.guess else { return false }
            return take(.real(Double(guess.billionths) / 1e9))
        case (.framingLength, .length(let prefix)): return hand(prefix.width.word, prefix.width.rawValue, take)
        case (.framingLength, .tlv(_, let width)): return hand(width.word, width.rawValue, take)
        case (.framingCountsItself, .length(let prefix)): return handFlag(prefix.countsItself, take)
        case (.framingOffset, .length(let prefix)): return prefix.offset > 0 ? take(.number(UInt64(prefix.offset))) : false
        case (.framingHeader, .length(let prefix)): return prefix.hasMore ? take(.number(UInt64(prefix.header))) : false
        case (.framingHeaderBytes, .length), (.framingHeaderBytes, .tlv):
            let bytes = frame.header.array
            return bytes.isEmpty ? false : take(.bytes(bytes.rawBytes))
        case (.framingDelimiter, .delimiter(let delimiter, _)):
            let bytes = delimiter.array
            return take(.bytes(bytes.rawBytes))
        case (.framingSize, .fixed(let size)): return take(.number(UInt64(size)))
        case (.framingType, .tlv(let type, _)): return take(.number(frame.type(type)))
        case (.framingProtocol, .protocol(let name)):
            let place = FramedProtocol.known.firstIndex(of: name) ?? FramedProtocol.known.count
            return hand(name.word, UInt8(truncatingIfNeeded: place), take)
        case _: return false
        }
    }
}
