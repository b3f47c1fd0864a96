import Dissection

/// Reads a message whose type is not known: numbers, wire types, and the likely reading of each content, as `protoc --decode_raw` does and
/// somewhat further. What is likely is a guess; the numbers and the wire types are not.
///
/// The cost is linear: fields that were tried as messages in vain count like those that are told, and the bytes that are looked at for text
/// are counted too.
struct ProtobufGuess: ~Escapable {
    typealias Member = DecodedPayload.Value.Member

    private let bytes: RawSpan
    private(set) var values: Int
    /// Bytes that may still be looked at to see whether they are text or packed numbers.
    private var effort: Int

    /// - Parameters:
    ///   - count: how many of the bytes are read; all of them unless said otherwise.
    ///   - values: how many values were told before.
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, of count: Int? = nil, after values: Int = 0) {
        self.bytes = bytes
        self.values = values
        effort = (count ?? bytes.byteCount) * 8 + 4_096
    }

    /// The fields of a message, and where and why reading ended.
    struct Message {
        var fields: [Member] = []
        var end: Int
        var problem: PayloadProblem?
    }

    /// - Parameters:
    ///   - range: where the message lies.
    ///   - level: how deep in others.
    ///   - group: the number of the group that it is; nil where it is not one.
    mutating func message(in range: Range<Int>, level: Int = 0, group: UInt32? = nil) -> Message {
        var reader = ProtobufReader(bytes, in: range)
        var message = Message(end: range.upperBound)
        while let field = reader.next() {
            values += 1
            guard values <= PayloadBounds.values else {
                message.problem = PayloadProblem(reason: PayloadBounds.tooMany, position: field.start)
                return message
            }
            if field.wire == .groupEnd {
                if field.number == group {
                    message.end = reader.position
                } else {
                    message.problem = PayloadProblem(reason: "a group ends that was not begun", position: field.start)
                }
                return message
            }
            var value: DecodedPayload.Value
            if field.wire == .group {
                guard level < PayloadBounds.levels else {
                    message.problem = PayloadProblem(reason: PayloadBounds.tooDeep, position: field.start)
                    return message
                }
                let inner = self.message(in: reader.position..<range.upperBound, level: level + 1, group: field.number)
                reader.go(to: inner.end)
                value = .items(inner.fields)
                message.problem = inner.problem
            } else {
                value = self.value(of: field, level: level)
            }
            message.fields.append(
                Member(
                    [],
                    .object([
                        Member("number", .number(UInt64(field.number)), at: field.tag),
                        Member("wire", .word(field.wire.name), at: field.tag),
                        Member("value", value, at: field.wire == .group ? field.content.lowerBound..<reader.position : field.content),
                    ]), at: field.start..<reader.position))
            if message.problem != nil { return message }
        }
        message.problem = reader.problem
        if message.problem == nil, group != nil {
            message.problem = PayloadProblem(reason: "a group does not end", position: range.upperBound)
        }
        return message
    }

    /// What a field that is not a group likely holds.
    mutating func value(of field: ProtobufField, level: Int) -> DecodedPayload.Value {
        switch field.wire {
        // Negative numbers take ten bytes, and nothing else is that large.
        case .varint: field.bits >> 63 == 1 ? .signed(Int64(bitPattern: field.bits)) : .number(field.bits)
        case .i64:
            Double(bitPattern: field.bits).isLikely(from: 1e-9, to: 1e15) ? .real(Double(bitPattern: field.bits)) : .number(field.bits)
        case .i32:
            Double(Float(bitPattern: UInt32(truncatingIfNeeded: field.bits))).isLikely(from: 1e-6, to: 1e9)
                ? .real(widening: Float(bitPattern: UInt32(truncatingIfNeeded: field.bits))) : .number(field.bits)
        case .len: content(field.content, level: level)
        case .group, .groupEnd: .nothing
        }
    }

    /// A message, text, packed numbers or bytes.
    private mutating func content(_ range: Range<Int>, level: Int) -> DecodedPayload.Value {
        let content = bytes.extracting(range)
        guard !range.isEmpty else { return .text([]) }
        guard effort >= range.count else { return .binary(UInt64(range.count)) }
        effort -= range.count
        let text = content.textKind
        // A line feed is also the tag of a text in field 1, which is how many messages begin.
        if text == .plain, content[0] >= 0x20 { return .text(content.copy) }
        if level < PayloadBounds.levels {
            let inner = message(in: range, level: level + 1)
            if inner.problem == nil { return .items(inner.fields) }
        }
        if text != .none { return .text(content.copy) }
        return packed(range) ?? .binary(UInt64(range.count))
    }

    /// Numbers one after the other; nil where they are hardly numbers: text with other bytes in it, or numbers that differ much in size.
    private func packed(_ range: Range<Int>) -> DecodedPayload.Value? {
        let content = bytes.extracting(range)
        let varints = PackedNumbers.varints(bytes, range)
        if let varints, varints.isAlike { return content.isMostlyPrinted ? nil : .items(varints.members) }
        if let reals = PackedNumbers.reals(content, from: range.lowerBound) { return .items(reals) }
        return content.isMostlyPrinted ? nil : (varints?.members).map { .items($0) }
    }
}

/// Whether bytes are text.
enum TextKind {
    /// UTF-8 without control characters other than tabs and line ends.
    case plain
    /// UTF-8 with few.
    case controlled
    case none
}

extension RawSpan {
    var textKind: TextKind {
        var (position, controls) = (0, 0)
        while position < byteCount {
            let sequence = UTF8Sequence(self, at: position)
            guard sequence.kind == .whole else { return .none }
            switch sequence.scalar {
            case 0: return .none
            case 0x09, 0x0a, 0x0d: break
            case ..<0x20, 0x7f..<0xa0: controls += 1
            case _: break  // A character that is shown.
            }
            position += sequence.length
        }
        return controls == 0 ? .plain : controls * 8 <= byteCount ? .controlled : .none
    }
}
