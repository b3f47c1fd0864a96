import Dissection

/// What a message of a broker carries, and what is said of it: the payload inside of the payload.
struct InnerPayload {
    /// The topic of MQTT, the subject of NATS, the destination of STOMP, the routing key of AMQP.
    var topic: [UInt8]
    /// The media type that the message names; empty where it names none.
    var contentType: [UInt8] = []

    /// At most so many bytes of a topic or a media type are looked at.
    static let longestName = 1_024
}

extension DecodedPayload {
    /// Adds what a message carries, as `payload`: in the format that a rule with `topic=` names, or that its media type names; JSON and text
    /// as they are; protobuf where bytes are hardly anything else; otherwise how many bytes.
    mutating func add(
        _ inner: InnerPayload, _ bytes: RawSpan, at range: Range<Int>, in context: PayloadContext
    ) {
        let value = bytes.asContent
        let isText = if case .binary = value { false } else { true }
        guard let told = context.formats?.decode(inner, bytes, isText: isText, in: context) else {
            add("payload", value, at: range)
            say("  ")
            if case .binary(let count) = value { say("\(count) bytes".utf8) } else { say(bytes) }
            return
        }
        add("payload", told.asValue.moved(by: range.lowerBound), at: range)
        say("  ")
        say(told.format)
        say(" ")
        if told.summary.isEmpty { say(bytes) } else { say(told.summary) }
    }
}

extension PayloadTable {
    /// What a payload inside of another says; nil where no rule and no media type names a format that can read it.
    ///
    /// - Parameter isText: JSON and text are told as they are, unless a rule says otherwise.
    func decode(_ inner: InnerPayload, _ bytes: RawSpan, isText: Bool, in outer: PayloadContext) -> DecodedPayload? {
        guard hasTopicRules || !isText || !inner.contentType.isEmpty else { return nil }
        var context = outer
        context.topic = Array(inner.topic.prefix(InnerPayload.longestName))
        context.contentType = Array(inner.contentType.prefix(InnerPayload.longestName))
        context.carrier = .body
        context.framing = []
        context.subprotocol = []
        context.target = []
        context.exchange = 0
        context.spoken = nil
        context.argument = []
        // It keeps nothing from message to message.
        var memory = PayloadMemory()
        if let (rule, row) = rules.first(where: { $0.rule.namesTopic && $0.rule.fits(context) }) {
            guard let row else { return nil }
            context.argument = Array(rule.argument.utf8)
            if bytes.isEmpty, !rows[row].format.readsEmpty(in: context, memory: memory) { return nil }
            return read(bytes, by: row, in: context, memory: &memory)
        }
        guard !bytes.isEmpty else { return nil }
        if !inner.contentType.isEmpty {
            for index in rows.indices where rows[index].format.likelihood(of: bytes, in: context) == .typed {
                if rows[index].name.bytes.isWord("json") { return nil }
                let decoded = read(bytes, by: index, in: context, memory: &memory)
                if !decoded.hasStopped { return decoded }
            }
        }
        guard !isText else { return nil }
        // As a binary message of a WebSocket would be.
        context.carrier = .message
        context.opcode = 2
        guard Protobuf.likelihood(of: bytes, in: context) == .likely,
            let index = rows.firstIndex(where: { $0.name.bytes.isEqual(Protobuf.name.bytes) })
        else { return nil }
        let decoded = read(bytes, by: index, in: context, memory: &memory)
        return decoded.hasStopped ? nil : decoded
    }
}
