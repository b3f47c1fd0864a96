import Dissection

/// Protocol Buffers (protobuf.dev, "Encoding"): with the message type that a rule or the content type names, and by field numbers without.
///
/// Without a rule only what is nearly certain is taken for it: messages that encoders write, to their last byte.
enum Protobuf: PayloadFormat {
    static var name: StaticString { "protobuf" }
    static var keys: [StaticString] { ["fields", "type"] }
    static var typesAreOfApp: Bool { true }
    static var argument: StaticString? { "message type" }

    /// Points of `ProtobufEvidence` that are enough: for binary WebSocket messages, for what framing cut out of raw TCP, and where the
    /// conversation spoke it before.
    private static let (enough, enoughWhenFramed, enoughWhenSpoken) = (14, 10, 3)

    static let occasions: PayloadOccasions = [.binary, .agreedBinary, .framed, .body]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        switch context.carrier {
        case .body:
            let isTyped =
                context.isOfType("application/x-protobuf") || context.isOfType("application/protobuf")
                || context.isOfType("application/vnd.google.protobuf") || context.isOfType("application/x-google-protobuf")
                || context.isOfSuffix("+protobuf") || context.isOfSuffix("+x-protobuf")
            return isTyped ? .typed : .no
        case .message where context.isEncoded(as: name): return .named
        case .message where context.opcode == 2, .framed where context.framing.isEmpty:
            guard !context.isCut, bytes.byteCount >= 2, bytes[0] < 0x80, bytes[0] & 7 != 7, bytes.prefix(4_096).textKind != .plain else {
                return .no
            }
            guard let (points, fields) = ProtobufEvidence(bytes).judge(0..<bytes.byteCount) else { return .no }
            let bar = context.spoke(name) ? enoughWhenSpoken : context.carrier == .framed ? enoughWhenFramed : enough
            return points >= bar && (fields > 1 || context.spoke(name)) ? .likely : .no
        case .message, .framed, .data, .head: return .no
        }
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        let (members, problem) = read(bytes, 0..<bytes.byteCount, as: type(in: context), context.schema, context.bindings)
        decoded.add(members)
        say(members, into: &decoded)
        if let problem { decoded.stop(problem.reason, at: problem.position) }
    }

    /// A message whose fields all have their defaults takes no byte: where a rule names its type, it is one.
    static func readsEmpty(in context: PayloadContext, memory: PayloadMemory) -> Bool {
        !context.argument.isEmpty && type(in: context) != nil
    }

    /// The message type that a rule names, or the content type where the user gave it.
    private static func type(in context: PayloadContext) -> Int? {
        guard let schema = context.schema else { return nil }
        if !context.argument.isEmpty { return schema.message(named: String(decoding: context.argument, as: UTF8.self)) }
        guard context.carrier == .body else { return nil }
        let named =
            Multipart.parameter("messagetype", of: context.contentType.rawBytes)
            ?? Multipart.parameter("proto", of: context.contentType.rawBytes)
        return named.flatMap { schema.message(named: String(decoding: $0, as: UTF8.self)) }
    }

    /// The keys `type`, where there is one, and `fields`.
    static func read(
        _ bytes: RawSpan, _ range: Range<Int>, as type: Int?, _ schema: ProtobufSchema?, _ bindings: [FieldBinding]
    ) -> (members: [DecodedPayload.Value.Member], problem: PayloadProblem?) {
        guard let type, let schema else {
            var guess = ProtobufGuess(bytes, of: range.count)
            let message = guess.message(in: range)
            return ([.init("fields", .items(message.fields), at: range)], message.problem)
        }
        var reader = ProtobufTyped(bytes, schema, bindings)
        let fields = reader.message(type, in: range)
        let name = Array(schema.messages[type].name.utf8)
        return ([.init(noted: "type", .text(name)), .init("fields", .object(fields), at: range)], reader.problem)
    }

    /// Fields by name as they are, and by number shorter than in records.
    static func say(_ members: [DecodedPayload.Value.Member], into decoded: inout DecodedPayload) {
        for member in members {
            if case .text(let name) = member.value {
                decoded.say(name)
                decoded.say(" ")
            } else {
                decoded.say(value: brief(member.value, level: 0))
            }
        }
    }

    /// `[{"number": 1, "wire": "len", "value": …}]` as `{1: …}`; no more of it than a line shows.
    private static func brief(_ value: DecodedPayload.Value, level: Int) -> DecodedPayload.Value {
        guard case .items(let items) = value, level < 8, !items.isEmpty || level == 0 else { return value }
        var members: [DecodedPayload.Value.Member] = []
        for item in items.prefix(64) {
            // Packed numbers are a list of other things.
            guard case .object(let parts) = item.value, parts.count == 3, case .number(let number) = parts[0].value else { return value }
            members.append(.init(Array(String(number).utf8), brief(parts[2].value, level: level + 1), in: item.range))
        }
        return .object(members)
    }
}
