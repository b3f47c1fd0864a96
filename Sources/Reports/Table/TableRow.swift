import Dissection

/// A row of a table of messages.
enum TableRow {
    /// The columns, in order.
    static let columns = [
        "conversation", "time", "from", "kind", "type", "size", "text", "base64", "truncated", "decoded", "redacted", "packet", "server",
        "path",
    ]

    /// The first line.
    static var heading: String { columns.joined(separator: ",") + "\r\n" }

    /// What rows are made with.
    struct Memory: ~Copyable {
        /// What a cell is made of.
        var cell = OutputBuffer(capacity: 256)
        private var seconds = Int64.min
        private var second = OutputBuffer(capacity: 64)

        /// The time up to its point, which most rows share with the one before.
        @_lifetime(&self)
        mutating func text(of seconds: Int64) -> RawSpan {
            if seconds != self.seconds {
                second.truncate(to: 0)
                second.append(CivilTime(seconds: seconds), between: 0x54)
                second.append(0x2e)
                self.seconds = seconds
            }
            return second.bytes
        }
    }

    /// What an event has for a row.
    private struct Parts: ~Escapable {
        let kind: StaticString
        var type: [UInt8] = []
        /// Bytes that came.
        let size: UInt64
        /// Bytes that the content would have if nothing of it were cut.
        let length: UInt64
        let content: RawSpan

        @_lifetime(copy content)
        init(_ kind: StaticString, type: [UInt8] = [], size: UInt64, length: UInt64? = nil, _ content: RawSpan) {
            self.kind = kind
            self.type = type
            self.size = size
            self.length = length ?? UInt64(content.byteCount)
            self.content = content
        }
    }

    /// Appends the row of an event.
    ///
    /// - Parameters:
    ///   - server: The cell of whom its conversation is with.
    ///   - path: The cell of what for.
    ///   - memory: What rows are made with.
    /// - Returns: false where it has none.
    static func append(
        _ event: borrowing ConversationEvent, _ decoded: DecodedPayload?, server: [UInt8], path: [UInt8], _ settings: TableSettings,
        to row: inout OutputBuffer, with memory: inout Memory
    ) -> Bool {
        guard let parts = parts(of: event) else { return false }
        row.append(decimal: event.conversation)
        row.append(0x2c)
        if let (seconds, nanoseconds) = event.place.time?.parts {
            row.append(memory.text(of: seconds))
            row.appendDigits(UInt64(clamping: nanoseconds), width: 9)
            row.append(0x5a)
        }
        row.append(event.from.map { $0 == .client ? ",client," : ",server," } ?? ",,")
        row.append(parts.kind)
        row.append(0x2c)
        row.append(cell: parts.type.rawBytes, guardsFormulas: settings.guardsFormulas)
        row.append(0x2c)
        row.append(decimal: parts.size)
        row.append(0x2c)
        append(parts.content, of: parts.length, settings, to: &row)
        row.append(0x2c)
        if let decoded {
            memory.cell.truncate(to: 0)
            memory.cell.append(tree: decoded)
            row.append(cell: memory.cell.bytes, guardsFormulas: settings.guardsFormulas)
        }
        row.append(0x2c)
        if event.redaction.places > 0 { row.append(decimal: UInt64(event.redaction.places)) }
        row.append(0x2c)
        if let packet = event.place.packets?.highest { row.append(decimal: packet) }
        row.append(0x2c)
        row.append(server.rawBytes)
        row.append(0x2c)
        row.append(path.rawBytes)
        row.append("\r\n")
        return true
    }

    /// Appends the columns `text`, `base64` and `truncated`. Control characters but for tabs and line ends are no text here, because programs that
    /// read CSV stumble over them.
    private static func append(_ content: RawSpan, of size: UInt64, _ settings: TableSettings, to row: inout OutputBuffer) {
        var shown = content.prefix(settings.payload.limit)
        let isCut = UInt64(shown.byteCount) < size
        // A character that was cut in two is left out of a text.
        if isCut, !shown.isUTF8 {
            for dropped in 1...3 where shown.byteCount > dropped && shown.prefix(shown.byteCount - dropped).isUTF8 {
                shown = shown.prefix(shown.byteCount - dropped)
                break
            }
        }
        if row.append(quotedCell: shown, guardsFormulas: settings.guardsFormulas) {
            row.append(0x2c)
        } else if shown.isTextOfCells {
            row.append(cell: shown, guardsFormulas: settings.guardsFormulas)
            row.append(0x2c)
        } else {
            row.append(0x2c)
            row.append(base64: content.prefix(settings.payload.limit))
        }
        row.append(isCut ? ",true" : ",")
    }

    private static let text = Array("text".utf8)
    private static let binary = Array("binary".utf8)

    @_lifetime(copy event)
    private static func parts(of event: borrowing ConversationEvent) -> Parts? {
        let content = event.content
        let whole = UInt64(clamping: Int(content.byteCount) - Int(event.redaction.growth))
        switch event.fact {
        case .message(let message):
            var type = message.opcode == 1 ? text : message.opcode == 2 ? binary : Array("\(message.opcode)".utf8)
            if message.frame != nil { type = [] }
            let length = message.length.grown(by: event.redaction)
            return Parts("message", type: type, size: message.length, length: length, content)
        case .ping: return Parts("ping", size: whole, content)
        case .pong: return Parts("pong", size: whole, content)
        case .close(let close): return Parts("close", type: close.code.map { Array("\($0)".utf8) } ?? [], size: whole, content)
        case .request(let head):
            return Parts("request", type: event.bytes(head.method).copy, size: whole, event.bytes(head.target))
        case .response(let head):
            return Parts("response", type: Array("\(head.status)".utf8), size: whole, event.bytes(head.reason))
        case .body(let part):
            return Parts("body", size: part.length, length: part.length.grown(by: event.redaction), event.bytes(part.payload))
        // What a sealed record has says nothing, and nothing of it is left out.
        case .data(let run) where run.framing != nil: return Parts("data", size: run.length, content)
        case .data(let run): return Parts("data", size: run.length, length: run.length.grown(by: event.redaction), content)
        case .opened, .tls, .upgrade, .frame, .control, .gap, .finding, .closed: return nil
        }
    }
}

extension RawSpan {
    /// Whether it is text that every reader of CSV takes.
    fileprivate var isTextOfCells: Bool {
        for index in 0..<byteCount {
            let byte = self[index]
            if byte < 0x20, byte != 0x09, byte != 0x0a, byte != 0x0d { return false }
        }
        return isUTF8
    }
}
