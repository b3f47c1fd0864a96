import Dissection

/// What is known of a conversation that speaks MQTT.
struct MQTTConversation: PayloadState {
    /// The protocol level of the CONNECT: 4 is 3.1.1; 0 where it was not seen.
    var level: UInt8 = 0
    /// The beginning of a packet that goes on in the next message, at most `mostBytes`; the client's first.
    var pending: [[UInt8]] = [[], []]
    /// Bytes of a packet that are still to come, of one that is longer.
    var skipped = [0, 0]
    /// Topics that stand for numbers (version 5, section 3.3.2.3.4), at most 64 on a side.
    var aliases: [[UInt16: [UInt8]]] = [[:], [:]]

    /// What SUBSCRIBE and UNSUBSCRIBE packets that wait for their answer ask for.
    var subscriptions: [Subscription] = []

    /// A SUBSCRIBE or UNSUBSCRIBE without its answer.
    struct Subscription: Sendable {
        let side: Int
        let id: UInt16
        /// In their order, at most `mostTopicBytes` of them.
        let topics: [[UInt8]]
        let heldBytes: Int

        static let most = 16
        static let mostTopicBytes = 4_096
    }

    static let mostBytes = 65_536
    static let mostAliases = 64
    static let longestTopic = 256

    init() {}

    var heldBytes: Int {
        pending.reduce(160) { $0 + $1.capacity } + aliases.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.capacity + 64 } }
            + subscriptions.reduce(0) { $0 + $1.heldBytes }
    }

    /// Notes topics that were asked for; the oldest that have no answer are forgotten.
    mutating func note(_ topics: [[UInt8]], of id: UInt16, from side: Int) {
        var bytes = 0
        let kept = topics.prefix {
            bytes += $0.count + 64
            return bytes <= Subscription.mostTopicBytes
        }
        subscriptions.removeAll { $0.side == side && $0.id == id }
        if subscriptions.count == Subscription.most { subscriptions.removeFirst() }
        subscriptions.append(Subscription(side: side, id: id, topics: Array(kept), heldBytes: min(bytes, Subscription.mostTopicBytes) + 64))
    }

    /// The topics that the other side asked for with this number; those that are known.
    mutating func answered(_ id: UInt16, by side: Int) -> [[UInt8]] {
        guard let index = subscriptions.firstIndex(where: { $0.side != side && $0.id == id }) else { return [] }
        return subscriptions.remove(at: index).topics
    }

    mutating func lose(bytesOf side: Side) {
        pending[side == .client ? 0 : 1] = []
        skipped[side == .client ? 0 : 1] = 0
        subscriptions = []
    }
}

/// MQTT 3.1.1 and 5 (OASIS): the control packets of a WebSocket message with the subprotocol `mqtt`, or one of raw TCP.
///
/// A packet may end in the next WebSocket message (section 6): it is told with its last byte.
enum MQTT: FramedFormat {
    typealias Grammar = MQTTGrammar
    static var keys: [StaticString] {
        [
            "type", "protocol", "version", "keepAlive", "cleanStart", "sessionPresent", "topic", "qos", "retain", "dup", "packetId",
            "clientId", "username", "hasPassword", "will", "topics", "reason", "reasonName", "reasons", "refused", "properties",
            "payload", "latency", "packets",
        ]
    }
    static var beatsAreAnswered: Bool { true }
    static var beatDelay: BeatDelay { .ownBytes }
    static var hasGoodbye: Bool { true }

    /// That the keep-alive ran out is the one reason that complains of silence (MQTT 5, section 3.14.2.1).
    static func isGoodbye(_ decoded: DecodedPayload, from side: Side, _ content: RawSpan) -> Bool {
        decoded.says("type", "DISCONNECT") && decoded.number(of: "reason") != 141
    }

    static func note(_ decoded: DecodedPayload, in timeouts: inout HeartbeatTimeouts) {
        timeouts.format = FormatName(name, Self.self)
        func note(_ seconds: UInt64) { timeouts.keepAlive = HeartbeatTimeouts.nanoseconds(seconds, 1_000_000_000) }
        if let seconds = decoded.number(of: "keepAlive") { note(seconds) }
        if case .object(let properties)? = decoded.value(of: "properties"),
            case .number(let seconds)? = properties.first(where: { $0.name == Array("serverKeepAlive".utf8) })?.value
        {
            note(seconds)
        }
        if case .word("CONNACK")? = decoded.value(of: "type") { timeouts.isRefused = decoded.number(of: "reason") ?? 0 > 0 }
    }

    static let occasions: PayloadOccasions = [.framed, .agreedBinary]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        if context.isFramed(by: name) { return .agreed }
        guard context.carrier == .message, !context.isText else { return .no }
        return context.speaks("mqtt") || context.speaks("mqttv3.1") || context.speaks("mqttv5") ? .agreed : .no
    }

    private static let mostPackets = 256

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        let side = context.from == .client ? 0 : 1
        var state = memory.take(MQTTConversation.self)
        defer { memory[MQTTConversation.self] = state }
        var start = min(state.skipped[side], bytes.byteCount)
        if start > 0 {
            state.skipped[side] -= start
            decoded.add("continues", .number(UInt64(start)), at: 0..<start)
            decoded.say("\(start) bytes more of a packet".utf8)
            if start == bytes.byteCount { return }
            decoded.say("; ")
        }
        var joined = state.pending[side]
        state.pending[side] = []
        guard joined.isEmpty else {
            // What is wrong in it is counted from where this message begins.
            let before = joined.count
            joined.append(copying: bytes)
            let end = packets(of: joined.rawBytes, from: 0, before: before, in: context, &state, &memory, &decoded)
            decoded.forgetRanges(before: before)
            guard let end else { return }
            if end > 0 { joined.removeFirst(end) }
            state.pending[side] = joined
            return
        }
        start = packets(of: bytes, from: start, before: 0, in: context, &state, &memory, &decoded) ?? bytes.byteCount
        if start < bytes.byteCount { state.pending[side] = bytes.extracting(start..<bytes.byteCount).copy }
    }

    /// Tells the packets of the bytes.
    ///
    /// - Returns: where a packet begins that goes on in the next message; nil where none does that is kept.
    private static func packets(
        of bytes: RawSpan, from first: Int, before: Int, in context: PayloadContext, _ state: inout MQTTConversation,
        _ memory: inout PayloadMemory, _ decoded: inout DecodedPayload
    ) -> Int? {
        var told: [(packet: DecodedPayload, range: Range<Int>)] = []
        var start = first
        var begun: Int?
        var problem: (reason: StaticString, at: Int)?
        while start < bytes.byteCount {
            guard told.count < mostPackets else {
                problem = ("it has more than 256 packets", start)
                break
            }
            var reader = MQTTReader(bytes, at: start + 1)
            let length = reader.variableInteger()
            guard let length, length <= bytes.byteCount - reader.position else {
                let isLength = length != nil || bytes.byteCount - start >= 5
                if length == nil, isLength {
                    problem = ("the length of a packet is too long", start)
                } else if context.isCut || context.carrier != .message {
                    problem = ("a packet is longer than the message", start)
                } else {
                    begun = start
                }
                break
            }
            reader.end = reader.position + length
            var packet = DecodedPayload(format: name)
            MQTTPacket.read(&reader, first: bytes[start], in: context, &state, &memory, &packet)
            told.append((packet, start..<reader.end))
            problem = reader.problem
            if problem != nil { break }
            start = reader.end
        }
        if let begun, let problem = begin(bytes, at: begun, in: context, &state, &told) {
            add(told, to: &decoded)
            decoded.stop(problem, at: max(0, begun - before))
            return nil
        }
        add(told, to: &decoded)
        if let problem { decoded.stop(problem.reason, at: max(0, problem.at - before)) }
        guard let begun, state.skipped[context.from == .client ? 0 : 1] == 0 else { return nil }
        return begun
    }

    /// Tells of a packet that goes on in the next message; what is longer than we keep is passed over there.
    ///
    /// - Returns: why it is none.
    private static func begin(
        _ bytes: RawSpan, at start: Int, in context: PayloadContext, _ state: inout MQTTConversation,
        _ told: inout [(packet: DecodedPayload, range: Range<Int>)]
    ) -> StaticString? {
        let type = Int(bytes[start] >> 4)
        guard type > 0 else { return "the type of a packet is 0, which is reserved" }
        var part = DecodedPayload(format: name)
        part.add("begins", .word(MQTTGrammar.types[type].description), at: start..<start + 1)
        part.say("beginning of ")
        part.say(MQTTGrammar.types[type])
        var reader = MQTTReader(bytes, at: start + 1)
        if let length = reader.variableInteger() {
            let missing = reader.position + length - bytes.byteCount
            part.note("awaits", .number(UInt64(missing)))
            if reader.position + length - start > MQTTConversation.mostBytes {
                state.skipped[context.from == .client ? 0 : 1] = missing
                let first = reader.position
                if type == 3, let topic = reader.text() {
                    part.add("topic", .text(topic), at: reader.read(from: first))
                    part.say(" ", topic)
                }
            }
            part.say(", \(missing) bytes to come".utf8)
        }
        told.append((part, start..<bytes.byteCount))
        return nil
    }

    private static func add(_ told: [(packet: DecodedPayload, range: Range<Int>)], to decoded: inout DecodedPayload) {
        for (index, one) in told.enumerated() {
            if index > 0 { decoded.say("; ") }
            decoded.say(one.packet.summary)
        }
        if told.count == 1 { return decoded.add(told[0].packet.entries.map { .init($0.key, $0.value, in: $0.range) }) }
        let packets: [DecodedPayload.Value.Member] = told.map { .init([], $0.packet.asMembers, at: $0.range) }
        if !packets.isEmpty { decoded.add("packets", .items(packets), at: packets.place) }
    }
}
