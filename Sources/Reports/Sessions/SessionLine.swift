import Dissection

/// Makes rows of a session file into the lines of the log again that they were made of.
package struct SessionLine: ~Copyable {
    private var buffer = OutputBuffer(capacity: 16_384)
    private var timeText = RecordTime()

    package init() {}

    /// The line that was made last; valid until the next one.
    package var bytes: RawSpan {
        @_lifetime(borrow self)
        get { buffer.bytes }
    }

    /// Bytes of memory that it takes.
    package var heldBytes: Int { buffer.count }

    /// Makes a record of any kind but `message`.
    ///
    /// - Parameters:
    ///   - json: the record without its payload.
    ///   - split: where the payload goes; nil where there is none.
    /// - Returns: Whether the row can be one.
    package mutating func compose(json: RawSpan, split: Int?, payload: RawSpan, isTruncated: Bool) -> Bool {
        buffer.truncate(to: 0)
        guard let split else {
            buffer.append(json)
            return true
        }
        guard split >= 0, split <= json.byteCount else { return false }
        buffer.append(json.extracting(0..<split))
        buffer.appendShown(payload, isCut: isTruncated)
        buffer.append(json.extracting(split..<json.byteCount))
        return true
    }

    /// Makes a message.
    ///
    /// - Parameters:
    ///   - framing: what a message has beside its columns that was cut out of raw bytes or not finished (`SessionRow.json`).
    ///   - payload: nil where none is kept.
    /// - Returns: Whether the row can be one.
    package mutating func compose(
        _ row: borrowing SessionRow, _ message: SessionRow.OfMessage, framing: RawSpan, hasPayload: Bool, payload: RawSpan
    ) -> Bool {
        buffer.truncate(to: 0)
        let policy = hasPayload ? PayloadPolicy.full(limit: payload.byteCount) : .none
        var isComposed = false
        let isOne = Self.lend(row, message, framing: framing, payload: payload) { event in
            buffer.appendRecord(event, RecordContent(bytes: event.content, policy: policy, redaction: event.redaction), &timeText)
            isComposed = true
        }
        return isOne && isComposed
    }

    /// Lends the event that a message was made of.
    ///
    /// - Returns: Whether the row can be one.
    package static func lend(
        _ row: borrowing SessionRow, _ message: SessionRow.OfMessage, framing: RawSpan, payload: RawSpan,
        _ body: (borrowing ConversationEvent) -> Void
    ) -> Bool {
        var fact = Message(
            opcode: message.opcode, length: message.length, wireLength: message.wireLength, fragments: message.fragments,
            compressed: message.isCompressed)
        if !framing.isEmpty {
            var reader = JSONReader(framing, mostLevels: 2)
            guard let object = try? reader.whole(), let record = try? LoggedRecord(object), let mark = try? record.unfinished() else {
                return false
            }
            if object["by"] != nil {
                guard let frame = try? record.frame(object) else { return false }
                fact = Message(cut: frame, length: message.length, wireLength: message.wireLength)
            }
            (fact.isUnfinished, fact.announced) = mark
        }
        // What was replaced in a payload changed its length; how much, its own length tells.
        let growth = Int64(payload.byteCount) - Int64(clamping: message.length) + (row.isTruncated ? 1 : 0)
        let redaction = row.redacted > 0 ? Redaction(places: row.redacted, growth: Int32(clamping: growth)) : Redaction()
        let event = ConversationEvent(
            conversation: row.conversation, from: row.from, place: row.place, offset: row.offset, channel: row.channel,
            fact: .message(fact), content: payload, redaction: redaction)
        body(event)
        return true
    }
}
