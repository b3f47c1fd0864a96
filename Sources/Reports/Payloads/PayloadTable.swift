import Dissection

/// One format in the table: all that the reports know of it.
package struct PayloadRow: Sendable {
    package var name: StaticString { format.name }
    let format: any PayloadFormat.Type
    let occasions: PayloadOccasions
    /// A bit for each byte that a text message without a subprotocol may begin with.
    let beginnings: InlineArray<4, UInt64>

    package init<Format: PayloadFormat>(_ format: Format.Type) {
        self.format = format
        occasions = Format.occasions
        func bits(_ bytes: ClosedRange<UInt8>) -> UInt64 {
            bytes.reduce(0) { Format.mayBegin(with: $1) ? $0 | 1 << UInt64($1 & 63) : $0 }
        }
        beginnings = [bits(0...63), bits(64...127), bits(128...191), bits(192...255)]
    }

    /// Whether a payload that comes there and begins so may be of this format.
    func isInQuestion(_ occasion: PayloadOccasions, first: UInt8) -> Bool {
        occasions.contains(occasion) && (occasion != .text || beginnings[Int(first >> 6)] >> UInt64(first & 63) & 1 == 1)
    }
}

/// The formats of payloads. It is shared by all that read payloads, and named in the context of each.
package final class PayloadTable: Sendable {
    /// None: payloads stand in records as text or base64 alone.
    package static let none = PayloadTable([])

    /// Those that we have. Of several that are equally sure the first counts.
    package static let standard = PayloadTable([
        PayloadRow(SocketIO.self), PayloadRow(SockJS.self), PayloadRow(GraphQLOverWebSocket.self), PayloadRow(ActionCable.self),
        PayloadRow(WAMP.self), PayloadRow(STOMP.self), PayloadRow(MQTT.self), PayloadRow(XMPP.self), PayloadRow(Redis.self),
        PayloadRow(AMQP.self), PayloadRow(NATS.self), PayloadRow(IRC.self), PayloadRow(Phoenix.self), PayloadRow(SignalR.self),
        PayloadRow(SignalRPack.self), PayloadRow(JSONRPC.self), PayloadRow(ServerSentEvents.self), PayloadRow(JSONLines.self),
        PayloadRow(PlainJSON.self), PayloadRow(MessagePack.self), PayloadRow(CBOR.self), PayloadRow(BSON.self),
        PayloadRow(Form.self), PayloadRow(Multipart.self), PayloadRow(GRPC.self), PayloadRow(Picture.self), PayloadRow(XML.self),
        PayloadRow(Protobuf.self), PayloadRow(Compressed.self), PayloadRow(OCPP.self), PayloadRow(Pusher.self),
        PayloadRow(Centrifugo.self),
    ])

    /// A rule of the user, and the row of its format; no row where it switches decoding off.
    typealias RuledRow = (rule: PayloadRule, row: Int?)

    package let rows: [PayloadRow]
    private let inQuestion: RowsInQuestion
    /// The marks of which a text message has none that is an object of JSON and no more (`PayloadMarks`); nil where the table cannot say that.
    let marksBesideJSON: PayloadMarks?
    /// What the user said. The first that fits counts.
    let rules: [RuledRow]
    /// What the bytes in fields are, as the user said.
    private let bindings: [FieldBinding]
    /// The message types that the user gave.
    private let schema: ProtobufSchema?

    package convenience init(_ rows: [PayloadRow]) { self.init(rows, rules: [], bindings: [], schema: nil) }

    private init(_ rows: [PayloadRow], rules: [RuledRow], bindings: [FieldBinding], schema: ProtobufSchema?) {
        self.rows = rows
        inQuestion = RowsInQuestion(rows)
        marksBesideJSON = rules.isEmpty ? Self.marksBesideJSON(rows) : nil
        self.rules = rules
        self.bindings = bindings
        self.schema = schema
    }

    /// What is known of each format; of two rows for one format the first counts.
    package var formats: [any FormatTraits.Type] {
        var names: Set<String> = []
        return rows.flatMap { [$0.format] + $0.format.layers }.filter { names.insert("\($0.name)").inserted }
    }

    /// Whether some rules are about what messages of brokers carry.
    var hasTopicRules: Bool { rules.contains { $0.rule.namesTopic } }

    /// Whether the user said anything about payloads.
    var isOfUser: Bool { hasRules || !bindings.isEmpty || schema != nil }

    /// Whether the user said what some payloads are.
    var hasRules: Bool { !rules.isEmpty }

    /// Adds what the user said about payloads (`--payload-as`) and the message types that the user gave (`--proto`).
    ///
    /// - Throws: `PayloadRuleError` for a rule that cannot be read, whose format there is not, or whose message type there is not.
    package func with(rules texts: [String], schema: ProtobufSchema? = nil) throws(PayloadRuleError) -> PayloadTable {
        var (rules, bindings) = (rules, bindings)
        for text in texts {
            let rule = try PayloadRule(text)
            let row = try row(of: rule, schema)
            guard let field = rule.field, let schema else {
                rules.append((rule, row))
                continue
            }
            do {
                bindings.append(try schema.binding(field: field, where: rule.condition, to: rule.argument))
            } catch {
                throw PayloadRuleError(text, error.reason)
            }
        }
        return PayloadTable(rows, rules: rules, bindings: bindings, schema: schema)
    }

    private func row(of rule: PayloadRule, _ schema: ProtobufSchema?) throws(PayloadRuleError) -> Int? {
        guard let format = rule.format else {
            guard rule.argument.isEmpty else { throw PayloadRuleError(rule.text, "none takes nothing after a colon") }
            return nil
        }
        // Two rows may read one format; Engine.IO is what carries Socket.IO.
        var names: [String] = []
        for row in rows where !names.contains(row.name.description) { names.append(row.name.description) }
        let wanted = format == "engine.io" ? "socket.io" : format
        guard let index = rows.firstIndex(where: { $0.name.description == wanted }) else {
            let nearest = NearestName.of(format, among: names + ["none"]).map { "; did you mean \($0)?" } ?? ""
            throw PayloadRuleError(
                rule.text, "\"\(format)\" is not one of the formats \((names + ["none"]).joined(separator: ", "))\(nearest)")
        }
        guard !rule.argument.isEmpty else { return index }
        guard let argument = rows[index].format.argument else {
            throw PayloadRuleError(rule.text, "\(format) takes nothing after a colon")
        }
        guard let schema else { throw PayloadRuleError(rule.text, "a \(argument) needs --proto with the file that has it") }
        guard schema.message(named: rule.argument) == nil else { return index }
        let proposal = ProtobufSchema.proposal(for: rule.argument, among: schema.messageNames)
        throw PayloadRuleError(rule.text, "--proto has no \(argument) \(rule.argument)\(proposal)")
    }

    /// What a payload says: in the format that a rule names for it, or else in the one that is the surest of it, the first of several;
    /// nil where none knows it.
    ///
    /// Where that one cannot read it to its end, and another that knows the bytes themselves can, that one is believed, and the
    /// key `failed` says what was tried before.
    package func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory) -> DecodedPayload? {
        var context = context
        return decode(bytes, with: &context, memory: &memory)
    }

    /// The same, with a context that has what the table knows afterwards: a copy of one is dear beside what most payloads say.
    func decode(_ bytes: RawSpan, with context: inout PayloadContext, memory: inout PayloadMemory) -> DecodedPayload? {
        if context.formats !== self { (context.schema, context.bindings, context.formats) = (schema, bindings, self) }
        context.spoken = memory.spoken
        guard let decoded = choose(bytes, in: &context, memory: &memory) else { return tooLong(bytes, in: context) }
        if !decoded.hasStopped { memory.spoken = decoded.format }
        guard decoded.hasStopped, decoded.isSure, context.isCut, context.cutIsLength else { return decoded }
        return tooLong(bytes, as: decoded.format)
    }

    /// What is said of a payload that no format has recognised in what is kept of it, where the conversation spoke one; JSON is shown as it is.
    private func tooLong(_ bytes: RawSpan, in context: PayloadContext) -> DecodedPayload? {
        guard context.isCut, context.cutIsLength, context.carrier == .message || context.carrier == .framed, let spoken = context.spoken,
            !context.spoke(PlainJSON.name), !rules.contains(where: { $0.row == nil && $0.rule.fits(context) })
        else { return nil }
        return tooLong(bytes, as: spoken)
    }

    private func tooLong(_ bytes: RawSpan, as format: StaticString) -> DecodedPayload {
        var decoded = DecodedPayload(format: format)
        decoded.traits = rows.first { $0.name.bytes.isEqual(format.bytes) }?.format
        decoded.isSure = true
        decoded.stop("it is longer than what is kept of a payload (--payload-limit)", at: bytes.byteCount)
        return decoded
    }

    private func choose(_ bytes: RawSpan, in context: inout PayloadContext, memory: inout PayloadMemory) -> DecodedPayload? {
        var first: DecodedPayload?
        var tried: Int?
        // The trailers of a body without a byte say something by themselves.
        let isEmpty = bytes.isEmpty && context.trailers.isEmpty
        // What a rule names is the content of messages.
        if context.carrier != .head, let (rule, row) = rules.first(where: { $0.rule.fits(context) }) {
            guard let row else { return nil }
            context.argument = Array(rule.argument.utf8)
            // What it cannot read the user wants to know.
            context.isForLine = false
            if isEmpty, !rows[row].format.readsEmpty(in: context, memory: memory) { return nil }
            var decoded = read(bytes, by: row, in: context, memory: &memory)
            guard decoded.hasStopped else { return decoded }
            decoded.isSure = true
            context.argument = []
            (first, tried) = (decoded, row)
        }
        if isEmpty {
            let index = rows.firstIndex { $0.format.readsEmpty(in: context, memory: memory) }
            return index.map { read(bytes, by: $0, in: context, memory: &memory) }
        }
        var left = inQuestion[context.occasion, first: bytes.isEmpty ? 0 : bytes[0]]
        if let tried { left.remove(tried) }
        // What the user named is believed as far as it goes.
        var isBelieved = first != nil
        while first == nil {
            var best: (index: Int, likelihood: PayloadLikelihood) = (0, .no)
            for index in left {
                let likelihood = rows[index].format.likelihood(of: bytes, in: context)
                if likelihood > best.likelihood { best = (index, likelihood) }
            }
            let (index, likelihood) = best
            guard likelihood > .no else { return nil }
            isBelieved = likelihood > .possible
            left.remove(index)
            var decoded = read(bytes, by: index, in: context, memory: &memory)
            guard decoded.hasStopped else { return decoded }
            // An app names its subprotocol as it likes: what cannot be read may be meant otherwise, and is not called wrong.
            if likelihood == .named { continue }
            // A few bytes at the beginning, as of pictures, are soon alike.
            decoded.isSure = likelihood >= (rows[index].format.readsHead ? .typed : .certain) || context.spoke(decoded.format)
            first = decoded
        }
        guard let first else { return nil }
        let order = left.map { (index: $0, likelihood: rows[$0].format.likelihood(of: bytes, in: context)) }
        // The surest first; of equals the first.
        for likelihood in [PayloadLikelihood.agreed, .typed, .certain, .named, .likely] {
            for (index, sure) in order where sure == likelihood {
                var second = read(bytes, by: index, in: context, memory: &memory)
                if second.hasStopped { continue }
                second.note(failed: first)
                return second
            }
        }
        // What was only possible is not claimed when it turns out to be something else.
        return isBelieved ? first : nil
    }

    func read(_ bytes: RawSpan, by index: Int, in context: PayloadContext, memory: inout PayloadMemory) -> DecodedPayload {
        var decoded = DecodedPayload(format: rows[index].name)
        rows[index].format.decode(bytes, in: context, memory: &memory, into: &decoded)
        if decoded.traits == nil { decoded.traits = rows[index].format }
        return decoded
    }
}
