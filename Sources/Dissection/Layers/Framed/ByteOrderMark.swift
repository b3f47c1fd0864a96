/// The mark of UTF-8 before a text on raw TCP: EF BB BF.
///
/// .NET's `StreamWriter` writes it with `Encoding.UTF8`, once, before its first characters. What reads with a `StreamReader` leaves it out; any
/// other program has three bytes more in front of its first command, line or JSON value, and does not know it.
enum ByteOrderMark {
    private static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Both sides have ended: notes the mark of a side, where the other one has none of its own.
    static func emit<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard context.channel.depth == 0 else { return }
        let (ours, theirs) = (isText(of: .client, context), isText(of: .server, context))
        guard ours != theirs else { return }
        let side: Side = ours ? .client : .server
        context.emit(
            .framingByteOrderMark, a: side == .client ? 1 : 2, at: Arrival(side: side, offset: 0, place: arrival.place), sink: &sink)
    }

    /// Whether a side begins with a mark and characters after it.
    private static func isText(of side: Side, _ context: borrowing ConversationContext) -> Bool {
        let first = context.firstBytes.bytes(of: side, sent: context[side].bytes)
        guard context.isWhole(side), first.count > bytes.count, first.starts(with: bytes) else { return false }
        return first.dropFirst(bytes.count).allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) && $0 != 0x0B }
    }
}

extension FindingRow {
    package static let framingByteOrderMark = FindingRow(
        id: "framing.byte-order-mark", severity: .note, reference: "",
        detail: """
            the text of the {a|client|server} begins with a byte order mark (EF BB BF), which the other side may take for a part of the first message
            """,
        explanation: """
            .NET's `StreamWriter` writes the mark with `Encoding.UTF8` (learn.microsoft.com/dotnet/api/system.text.encoding.utf8), and most other \
            programs do not expect it on a connection: the first command is unknown, and JSON is refused with "invalid character" or "unexpected \
            token" (microsoft/vs-streamjsonrpc issue 695; RFC 8259, section 8.1, forbids it there). `new UTF8Encoding(false)` writes none. Not \
            reported where both sides begin with one.
            """)
}
