import Dissection

/// One format in the table: all that the reports know of it.
package struct PayloadRow: Sendable {
    package let name: StaticString
    let likelihood: @Sendable (_ bytes: RawSpan, _ context: PayloadContext) -> PayloadLikelihood
    let decode: @Sendable (_ bytes: RawSpan, _ context: PayloadContext, _ decoded: inout DecodedPayload) -> Void

    package init<Format: PayloadFormat>(_ format: Format.Type) {
        name = Format.name
        likelihood = { Format.likelihood(of: $0, in: $1) }
        decode = { Format.decode($0, in: $1, into: &$2) }
    }
}

/// The formats of payloads that a log knows.
package struct PayloadTable: Sendable {
    /// Those that we have: none so far, so that payloads stand in records as text or base64 alone.
    package static let standard = PayloadTable([])

    package let rows: [PayloadRow]

    package init(_ rows: [PayloadRow]) { self.rows = rows }

    /// What a payload says, in the format that is the surest of it, the first of several; nil where none knows it.
    package func decode(_ bytes: RawSpan, in context: PayloadContext) -> DecodedPayload? {
        var best: Int?
        var likelihood = PayloadLikelihood.no
        for index in rows.indices {
            let sure = rows[index].likelihood(bytes, context)
            if sure > likelihood { (best, likelihood) = (index, sure) }
        }
        guard let best else { return nil }
        var decoded = DecodedPayload(format: rows[best].name)
        rows[best].decode(bytes, context, &decoded)
        return decoded
    }
}

extension OutputBuffer {
    /// Puts what the payload of a message says into its record, which is the last thing in the buffer.
    mutating func appendDecoded(_ event: borrowing ConversationEvent, by table: PayloadTable) {
        guard case .message(let message) = event.fact, let from = event.from, event.content.byteCount > 0 else { return }
        let context = PayloadContext(
            from: from, opcode: message.opcode, isCut: UInt64(event.content.byteCount) < message.length)
        guard let decoded = table.decode(event.content, in: context) else { return }
        truncate(to: count - 1)
        append(decoded)
        append(0x7d)
    }
}
