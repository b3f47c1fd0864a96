import Dissection

/// Makes events into rows of a session file.
struct SessionComposer: ~Copyable {
    private let policy: PayloadPolicy
    private var record = OutputBuffer(capacity: 4_096)
    private var timeText = RecordTime()
    /// What is known of the conversations that are open.
    private var open = OpenRows()

    init(_ policy: PayloadPolicy) { self.policy = policy }

    /// Bytes of memory that it takes.
    var heldBytes: Int { open.heldBytes }

    // MARK: - The run

    mutating func addCapture(_ source: CaptureSource, isAppended: Bool, to batch: inout SessionBatch) {
        record.truncate(to: 0)
        record.appendCapture(source, isAppended: isAppended)
        var row = SessionRow(kind: "capture", conversation: 0, place: Place(), from: nil, offset: nil, channel: ByteChannel())
        row.json = batch.keep(record.bytes)
        batch.append(row)
    }

    mutating func addEnd(_ totals: Totals, to batch: inout SessionBatch) {
        record.truncate(to: 0)
        record.appendEnd(totals)
        var row = SessionRow(kind: "end", conversation: 0, place: Place(), from: nil, offset: nil, channel: ByteChannel())
        row.json = batch.keep(record.bytes)
        batch.append(row)
    }

    // MARK: - Conversations

    @inline(__always)
    mutating func add(_ event: borrowing ConversationEvent, to batch: inout SessionBatch) {
        var row = SessionRow(
            kind: "message", conversation: event.conversation, place: event.place, from: event.from, offset: event.offset,
            channel: event.channel)
        row.redacted = event.redaction.places
        guard case .message(let message) = event.fact else { return addRecord(event, &row, to: &batch) }
        row.message = .init(
            opcode: message.opcode, length: message.length, wireLength: message.wireLength, fragments: message.fragments,
            isCompressed: message.compressed, isFramed: message.frame != nil)
        if message.frame != nil || message.isUnfinished {
            record.truncate(to: 0)
            record.appendMarks(of: message)
            row.json = batch.keep(record.bytes)
        }
        if message.frame != nil { row.fact = framedFact(event) }
        keep(event.content, length: message.length.grown(by: event.redaction), of: &row, in: &batch)
        batch.append(row)
    }

    /// Adds a record of any other kind, as the log has it but for the payload.
    private mutating func addRecord(_ event: borrowing ConversationEvent, _ row: inout SessionRow, to batch: inout SessionBatch) {
        record.truncate(to: 0)
        record.appendRecord(
            event, RecordContent(bytes: event.content, policy: policy, redaction: event.redaction), &timeText)
        row.kind = event.fact.kindWord
        if let shown = record.payloadRange {
            let start = batch.keep(record.bytes.extracting(0..<shown.lowerBound)).lowerBound
            row.json = start..<batch.keep(record.bytes.extracting(shown.upperBound..<record.count)).upperBound
            row.split = shown.lowerBound
        } else {
            row.json = batch.keep(record.bytes)
        }
        switch event.fact {
        case .body(let part): keep(event.bytes(part.payload), length: part.length.grown(by: event.redaction), of: &row, in: &batch)
        case .data(let run):
            if run.framing == nil { keep(event.content, length: run.length.grown(by: event.redaction), of: &row, in: &batch) }
        case .ping, .pong, .close: keep(event.content, length: UInt64(event.content.byteCount), of: &row, in: &batch)
        case .request, .response: row.words = batch.keep(event.content)
        case .opened, .tls, .upgrade, .frame, .message, .control, .gap, .finding, .closed: break
        }
        row.fact = fact(event)
        batch.append(row)
    }

    /// Takes the payload into a row, as much of it as is kept.
    @inline(__always)
    private func keep(_ payload: RawSpan, length: UInt64, of row: inout SessionRow, in batch: inout SessionBatch) {
        let shown = payload.prefix(policy.limit)
        row.isTruncated = UInt64(shown.byteCount) < length
        if policy == .none { return }
        row.payload = batch.keep(shown)
        row.form = shown.isStorableText(isCut: row.isTruncated) ? .text : .bytes
        if row.form == .text { row.words = row.payload }
    }

    // MARK: - Facts

    private mutating func fact(_ event: borrowing ConversationEvent) -> SessionFact? {
        let number = event.conversation
        if case .finding(let finding) = event.fact {
            open.take(event)
            var detail = OutputBuffer(capacity: 128)
            var sentence = FindingSentence(finding)
            while let piece = sentence.next() { detail.append(piece, text: event.content) }
            return .finding(
                id: finding.row.idText, severity: finding.row.severity, reference: finding.row.referenceText,
                detail: detail.bytes.copy)
        }
        guard number != 0 else { return nil }
        switch event.fact {
        case .opened(let opening):
            open.begin(number)
            open.take(event)
            return .opened(
                client: end(opening.client, event.bytes(opening.clientName)), server: end(opening.server, event.bytes(opening.serverName)),
                transport: opening.transport.word)
        case .tls, .upgrade:
            open.take(event)
            return open[number].map { .named(host: $0.host, spoken: $0.spoken, path: $0.path) }
        case .request(let head):
            open.take(event)
            let host = event.host(of: head).prefix(ListRow.longestText).copy
            let row = open[number]
            return .request(
                exchange: head.exchange, method: event.bytes(head.method).copy, target: event.bytes(head.target).copy, host: host,
                name: row.flatMap { $0.requests == 1 ? ($0.host, $0.spoken, $0.path) : nil })
        case .response(let head):
            open.take(event)
            return head.asked.map { .response(exchange: $0.exchange, status: head.status, latency: head.latency) }
        case .closed(let closing):
            let row = open.remove(number)
            return .closed(
                closing, spoken: row?.spoken ?? [], worst: row?.worst?.severity, findings: row?.findings ?? 0)
        case .body, .frame, .message, .ping, .pong, .close, .control, .data, .gap, .finding: return nil
        }
    }

    /// What the first message says of a protocol that frames itself.
    private mutating func framedFact(_ event: borrowing ConversationEvent) -> SessionFact? {
        guard let before = open.spoken(in: event.conversation), before == Array("TCP".utf8) else { return nil }
        open.take(event)
        guard let row = open[event.conversation], row.spoken != before else { return nil }
        return .named(host: row.host, spoken: row.spoken, path: row.path)
    }

    private func end(_ endpoint: Endpoint, _ name: RawSpan) -> SessionFact.End {
        var text = OutputBuffer(capacity: 64)
        text.append(endpoint.address)
        return .init(address: text.bytes.copy, port: endpoint.port, name: name.copy)
    }
}

extension OutputBuffer {
    /// Appends the object that a message has beside its columns: how it was cut out of raw bytes, and that it was not finished.
    fileprivate mutating func appendMarks(of message: Message) {
        if let frame = message.frame {
            appendFraming(frame)
            guard message.isUnfinished else { return }
            truncate(to: count - 1)
            appendUnfinished(message.announced)
        } else {
            append("{\"unfinished\":true")
            if let announced = message.announced { append(.announced, decimal: announced) }
        }
        append(0x7d)
    }

    /// Appends a piece of a finding's sentence.
    fileprivate mutating func append(_ piece: borrowing SentencePiece, text: RawSpan) {
        switch piece {
        case .literal(let words): append(words)
        case .number(let value): append(decimal: value)
        case .hex(let value):
            append("0x")
            append(hex: value)
        case .reservedBits(let value): append(reservedBits: value)
        case .text: append(text)
        }
    }
}

extension RawSpan {
    /// Whether a database can hold it as text: valid UTF-8 without a zero byte, at which many readers of text stop.
    fileprivate func isStorableText(isCut: Bool) -> Bool {
        var validator = UTF8Validator()
        guard validator.check(self) == nil, isCut || validator.isComplete else { return false }
        return position(of: 0 as UInt8) == nil
    }
}

extension Fact {
    /// The word for its kind, as in `kind` of the log.
    fileprivate var kindWord: StaticString {
        switch self {
        case .opened: "opened"
        case .tls: "tls"
        case .request: "request"
        case .response: "response"
        case .body: "body"
        case .upgrade: "upgrade"
        case .frame: "frame"
        case .message: "message"
        case .ping: "ping"
        case .pong: "pong"
        case .close: "close"
        case .control: "control"
        case .data: "data"
        case .gap: "gap"
        case .finding: "finding"
        case .closed: "closed"
        }
    }
}
