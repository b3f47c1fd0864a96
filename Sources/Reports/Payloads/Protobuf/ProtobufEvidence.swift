import Dissection

/// How much speaks for bytes being a message: they can be walked to their last byte, the field numbers are small and mostly ascend, the
/// contents are text or messages. One point is about one bit against bytes that are random.
///
/// It refuses what encoders do not write, although decoders take it: groups, numbers in more bytes than they need, large field numbers.
struct ProtobufEvidence: ~Escapable {
    private let bytes: RawSpan

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    /// Fields in fields are looked at down to this level.
    private static let deepest = 3
    /// Bytes of a text that are looked at.
    private static let lookedAt = 64

    /// The points and the number of fields; nil where the bytes are surely not a message that an encoder wrote.
    ///
    /// Linear: each byte is looked at once a level.
    func judge(_ range: Range<Int>, level: Int = 0) -> (points: Int, fields: Int)? {
        var reader = ProtobufReader(bytes, in: range)
        var (points, fields) = (0, 0)
        var previous: UInt32 = 0
        while let field = reader.next() {
            // The first field has one byte of tag, which MessagePack, CBOR and most magic numbers do not begin with.
            guard field.number <= (fields == 0 ? 15 : 255), field.wire != .group, field.wire != .groupEnd else { return nil }
            let tagSize = field.number < 16 ? 1 : 2
            let next = bytes[field.start] & 0x80 == 0 ? 1 : 2
            guard tagSize == next, isMinimal(field) else { return nil }
            fields += 1
            switch Int(field.number) - Int(previous) {
            // Lists of messages and of texts repeat their number; lists of numbers are packed.
            case 0: points += field.wire == .len ? 3 : 0
            case 1...4: points += 3
            case 5...: points += 1
            case _: points -= 2
            }
            previous = field.number
            if field.wire == .len { points += self.points(of: field.content, level: level) }
        }
        return reader.problem == nil && fields > 0 ? (points, fields) : nil
    }

    /// Whether a number has as many bytes as it needs.
    private func isMinimal(_ field: ProtobufField) -> Bool {
        switch field.wire {
        case .varint: field.content.count == 1 || bytes[field.content.upperBound - 1] != 0
        case .len:
            bytes[field.content.lowerBound - 1] != 0 || field.content.isEmpty
        case .i64, .i32, .group, .groupEnd: true
        }
    }

    private func points(of content: Range<Int>, level: Int) -> Int {
        guard !content.isEmpty else { return 0 }
        let looked = bytes.extracting(content).prefix(Self.lookedAt)
        var end = looked.byteCount
        // What was cut in the middle of a character.
        while looked.byteCount == Self.lookedAt, end > Self.lookedAt - 4, looked[end - 1] >= 0x80 { end -= 1 }
        if looked.prefix(end).textKind == .plain { return min(12, content.count) }
        guard level < Self.deepest, let inner = judge(content, level: level + 1) else { return 0 }
        return max(0, inner.points) + 2
    }
}
