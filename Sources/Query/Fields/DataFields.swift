import Dissection
import Reports

/// What `data` has.
enum DataField: String, CaseIterable, Sendable {
    case length, headerBlock, afterClose, framing, text, base64, truncated
    case format = "decoded.as"
    case contentType = "decoded.type"
    case handshake = "decoded.handshake"
    /// The bytes, of whatever kind they are.
    case payload = ""

    func visit(_ event: borrowing ConversationEvent, _ run: DataRun, _ take: ValueVisitor) -> Bool {
        switch self {
        case .length: return take(.number(run.length))
        case .headerBlock: return handFlag(run.isHeaderBlock, take)
        case .afterClose: return handFlag(run.isAfterClose, take)
        case .framing: return run.framing == nil ? false : hand("tls", 0, take)
        case .format:
            switch run.framing {
            case nil: return false
            case .ssl2Record: return take(.text(("ssl2" as StaticString).bytes))
            case .tlsRecord: return take(.text(("tls" as StaticString).bytes))
            }
        case .contentType:
            guard case .tlsRecord(let type) = run.framing else { return false }
            return take(.number(UInt64(type)))
        case .handshake:
            guard let name = run.handshakeMessage.flatMap(TLSNames.messageAfterHandshake) else { return false }
            return take(.text(name.bytes))
        // A sealed record has no content to show.
        case .text: return run.framing == nil ? handText(event.content, length: run.length, take) : false
        case .base64: return run.framing == nil ? handBytes(event.content, length: run.length, take) : false
        case .truncated: return handFlag(run.framing == nil && UInt64(event.content.byteCount) < run.length, take)
        case .payload: return run.framing == nil ? take(.bytes(event.content)) : false
        }
    }
}
