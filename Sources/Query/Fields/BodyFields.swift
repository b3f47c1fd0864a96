import Dissection
import Reports

/// What `body` has.
enum BodyField: String, CaseIterable, Sendable {
    case length, wireLength, encoding, part, final, element, trailers, unfinished, announced, text, base64, truncated, latin1
    /// The decoded bytes.
    case payload = ""

    func visit(_ event: borrowing ConversationEvent, _ body: BodyPart, _ take: ValueVisitor) -> Bool {
        switch self {
        case .length: return take(.number(body.length))
        case .wireLength: return take(.number(body.wireLength))
        case .encoding: return handUnlessEmpty(event.part(body.encoding), take)
        case .part: return take(.number(UInt64(body.part)))
        case .final: return take(.flag(body.final))
        case .element:
            guard let element = body.element else { return false }
            return hand(element.word, element.rawValue, take)
        case .unfinished: return handFlag(body.isUnfinished, take)
        case .announced: return body.announced.map { take(.number($0)) } ?? false
        case .trailers: return body.trailers.isEmpty ? false : HeaderLines.visit(event.content, body.trailers, take)
        case .text: return handText(event.part(body.payload), length: body.length, take)
        case .base64: return handBytes(event.part(body.payload), length: body.length, take)
        case .truncated: return handFlag(UInt64(event.part(body.payload).byteCount) < body.length, take)
        case .latin1:
            return handFlag(!event.part(body.encoding).isUTF8 || HeaderLines.isLatin1(event.content, body.trailers), take)
        case .payload: return take(.bytes(event.part(body.payload)))
        }
    }
}
