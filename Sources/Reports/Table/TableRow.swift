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
        /// The time up to its point, which most rows share with the one before: `2026-11-20T21:48:00.`, and twelve bytes of nothing.
        private var second = SIMD32<UInt8>()
        private static let length = 20

        /// Appends the time of a row.
        @inline(__always)
        mutating func append(_ time: Timestamp, to row: inout OutputStretch) {
            let (seconds, nanoseconds) = time.parts
            if seconds != self.seconds { compose(seconds) }
            row.append(first: Self.length, of: second)
            row.appendDigits(UInt64(clamping: nanoseconds), width: 9)
            row.append(0x5a)
        }

        @inline(never)
        private mutating func compose(_ seconds: Int64) {
            var scratch = OutputBuffer(capacity: 64)
            scratch.append(CivilTime(seconds: seconds), between: 0x54)
            scratch.append(0x2e)
            let bytes = scratch.bytes
            for index in 0..<min(bytes.byteCount, second.scalarCount) { second[index] = bytes[index] }
            self.seconds = seconds
        }
    }

    /// What an event has for a row.
    private struct Parts: ~Escapable {
        let kind: StaticString
        /// Its type: a word of ours, a number, or bytes of the event.
        var word: StaticString = ""
        var number: UInt64?
        var method = ByteRange()
        /// Bytes that came.
        let size: UInt64
        /// Bytes that the content would have if nothing of it were cut.
        let length: UInt64
        let content: RawSpan

        @_lifetime(copy content)
        init(_ kind: StaticString, size: UInt64, length: UInt64? = nil, _ content: RawSpan) {
            self.kind = kind
            self.size = size
            self.length = length ?? UInt64(content.byteCount)
            self.content = content
        }
    }

    /// Room for what stands before the content of all but requests: three numbers, the time, three words.
    private static let headRoom = 224

    /// Appends the row of an event.
    ///
    /// - Parameters:
    ///   - tail: The last two cells, each with a comma before it: whom its conversation is with, and what for.
    ///   - memory: What rows are made with.
    /// - Returns: false where it has none.
    static func append(
        _ event: borrowing ConversationEvent, _ decoded: DecodedPayload?, tail: [UInt8], _ settings: TableSettings,
        to row: inout OutputBuffer, with memory: inout Memory
    ) -> Bool {
        guard let parts = parts(of: event) else { return false }
        append(event, parts, to: &row, with: &memory)
        if !parts.method.isEmpty {
            row.append(cell: event.bytes(parts.method), guardsFormulas: settings.guardsFormulas)
            row.append(0x2c)
            row.append(decimal: parts.size)
            row.append(0x2c)
        }
        append(parts.content, of: parts.length, settings, to: &row)
        row.append(0x2c)
        if let decoded {
            if decoded.entries.isEmpty {
                // The same cell in a piece: names of formats have nothing that needs quotes.
                row.append("\"{\"\"as\"\":\"\"")
                row.append(decoded.format)
                row.append("\"\"}\"")
            } else {
                memory.cell.truncate(to: 0)
                memory.cell.append(tree: decoded)
                row.append(cell: memory.cell.bytes, guardsFormulas: settings.guardsFormulas)
            }
        }
        row.append(0x2c)
        if event.redaction.places > 0 { row.append(decimal: UInt64(event.redaction.places)) }
        row.append(0x2c)
        if let packet = event.place.packets?.highest { row.append(decimal: packet) }
        row.append(tail.rawBytes)
        row.append("\r\n")
        return true
    }

    /// Appends what stands before the content; of a request, what stands before its method.
    private static func append(
        _ event: borrowing ConversationEvent, _ parts: borrowing Parts, to row: inout OutputBuffer, with memory: inout Memory
    ) {
        var head = row.stretch(atLeast: headRoom)
        head.append(decimal: event.conversation)
        head.append(0x2c)
        if let time = event.place.time { memory.append(time, to: &head) }
        switch event.from {
        case .client: head.append(",client,")
        case .server: head.append(",server,")
        case nil: head.append(",,")
        }
        head.append(parts.kind)
        head.append(0x2c)
        if parts.method.isEmpty {
            head.append(parts.word)
            if let number = parts.number { head.append(decimal: number) }
            head.append(0x2c)
            head.append(decimal: parts.size)
            head.append(0x2c)
        }
        let written = head.count
        row.advance(by: written)
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

    @_lifetime(copy event)
    private static func parts(of event: borrowing ConversationEvent) -> Parts? {
        let content = event.content
        let whole = UInt64(clamping: Int(content.byteCount) - Int(event.redaction.growth))
        switch event.fact {
        case .message(let message):
            var parts = Parts("message", size: message.length, length: message.length.grown(by: event.redaction), content)
            guard message.frame == nil else { return parts }
            switch message.opcode {
            case 1: parts.word = "text"
            case 2: parts.word = "binary"
            case let opcode: parts.number = UInt64(opcode)
            }
            return parts
        case .ping: return Parts("ping", size: whole, content)
        case .pong: return Parts("pong", size: whole, content)
        case .close(let close):
            var parts = Parts("close", size: whole, content)
            parts.number = close.code.map { UInt64($0) }
            return parts
        case .request(let head):
            var parts = Parts("request", size: whole, event.bytes(head.target))
            parts.method = head.method
            return parts
        case .response(let head):
            var parts = Parts("response", size: whole, event.bytes(head.reason))
            parts.number = UInt64(head.status)
            return parts
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
