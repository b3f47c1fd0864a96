import Dissection

/// One control packet of MQTT (3.1.1 and 5, chapter 3), from behind its length to its end.
enum MQTTPacket {
    /// Topics of a SUBSCRIBE that are told; the others are counted by the length of the packet.
    private static let mostTopics = 256
    /// Topics that stand in the line for people.
    private static let mostSaid = 8

    static func read(
        _ reader: inout MQTTReader, first: UInt8, in context: PayloadContext, _ state: inout MQTTConversation,
        _ memory: inout PayloadMemory,
        _ told: inout DecodedPayload
    ) {
        let type = Int(first >> 4)
        let start = max(0, reader.position - 2)
        guard type > 0 else { return reader.fail("the type of a packet is 0, which is reserved", at: start) }
        told.add("type", .word(MQTTGrammar.types[type].description), at: reader.firstByte)
        told.say(MQTTGrammar.types[type])
        guard MQTTGrammar.flagsFit(first) else {
            return reader.fail("the flags of a packet are not those of its type", at: start)
        }
        switch type {
        case 1: connect(&reader, in: context, &state, &memory, &told)
        case 2:
            guard let flags = reader.byte() else { break }
            told.add("sessionPresent", .flag(flags & 1 != 0), at: reader.last(1))
            if state.level == 0 { state.level = reader.end - reader.position > 1 ? 5 : 4 }
            reason(&reader, type: type, state, &told)
            told.addAnswer(to: Array("connect".utf8), in: context, memory: &memory)
            properties(&reader, state, &told)
        case 3: publish(&reader, first: first, in: context, &state, &memory, &told)
        case 4, 5, 6, 7: acknowledge(&reader, type: type, in: context, &state, &memory, &told)
        case 8, 10: subscribe(&reader, type: type, in: context, &state, &memory, &told)
        case 9, 11: grant(&reader, type: type, in: context, &state, &memory, &told)
        case 12: memory.calls.note(Array("ping".utf8), in: context)
        case 13: told.addAnswer(to: Array("ping".utf8), in: context, memory: &memory)
        case 14, 15:
            if reader.isAtEnd { break }
            guard state.level == 5 || state.level == 0 else { break }
            reason(
                &reader, type: type,
                state.level == 0
                    ? {
                        var five = state; five.level = 5; return five
                    }() : state, &told)
            if !reader.isAtEnd { properties(&reader, state, &told) }
        case _: break
        }
        if !reader.isAtEnd { reader.fail("a packet has bytes after its last field") }
    }

    private static func key(_ id: UInt16) -> [UInt8] {
        [UInt8(ascii: "p"), UInt8(truncatingIfNeeded: id >> 8), UInt8(truncatingIfNeeded: id)]
    }

    /// What a packet is called that has no answer at the end.
    private static func label(_ type: StaticString, _ topic: [UInt8], _ id: UInt16) -> [UInt8] {
        type.bytes.copy + (topic.isEmpty ? [] : [0x20]) + topic + " (id \(id))".utf8
    }

    /// The number that a packet and its answer share.
    private static func number(_ reader: inout MQTTReader, _ told: inout DecodedPayload) -> UInt16? {
        guard let id = reader.uint16() else { return nil }
        told.add("packetId", .number(UInt64(id)), at: reader.last(2))
        guard id > 0 else {
            reader.fail("the identifier of a packet is 0")
            return nil
        }
        return id
    }

    private static func properties(_ reader: inout MQTTReader, _ state: MQTTConversation, _ told: inout DecodedPayload) {
        guard state.level == 5 else { return }
        var alias: UInt16?
        let start = reader.position
        guard let properties = MQTTProperties.read(&reader, alias: &alias), !properties.isEmpty else { return }
        told.add("properties", .object(properties), at: reader.read(from: start))
    }

    private static func reason(_ reader: inout MQTTReader, type: Int, _ state: MQTTConversation, _ told: inout DecodedPayload) {
        guard let code = reader.byte() else { return }
        told.add("reason", .number(UInt64(code)), at: reader.last(1))
        let name = MQTTReasons.name(code, type: type, level: state.level)
        if let name { told.add("reasonName", .word(name.description), at: reader.last(1)) }
        if type == 2 { told.say(code == 0 ? " accepted" : " refused: ") } else if code > 0 { told.say(", ") }
        guard code > 0 else { return }
        if let name { told.say(name) } else { told.say("reason \(code)".utf8) }
    }

    private static func connect(
        _ reader: inout MQTTReader, in context: PayloadContext, _ state: inout MQTTConversation, _ memory: inout PayloadMemory,
        _ told: inout DecodedPayload
    ) {
        let start = reader.position
        guard let name = reader.text(), let level = reader.byte(), let flags = reader.byte(), let keepAlive = reader.uint16() else {
            return
        }
        guard name == Array("MQTT".utf8) || name == Array("MQIsdp".utf8) else { return reader.fail("its protocol is not MQTT", at: start) }
        state = MQTTConversation()
        state.level = level
        // The name, a byte of the level, one of flags, two of seconds.
        let fixed = reader.position
        told.add("protocol", .text(name), at: start..<fixed - 4)
        let version = level == 5 ? "5" : level == 4 ? "3.1.1" : level == 3 ? "3.1" : "\(level)"
        told.add("version", .word(version), at: fixed - 4..<fixed - 3)
        told.add("keepAlive", .number(UInt64(keepAlive)), at: fixed - 2..<fixed)
        told.add("cleanStart", .flag(flags & 2 != 0), at: fixed - 3..<fixed - 2)
        guard flags & 1 == 0, flags >> 3 & 3 != 3 else { return reader.fail("the flags of a CONNECT are not valid", at: start) }
        properties(&reader, state, &told)
        let idStart = reader.position
        guard let id = reader.text() else { return }
        told.add("clientId", .text(id), at: reader.read(from: idStart))
        told.say(" ", id)
        if flags & 4 != 0 {
            var will: [DecodedPayload.Value.Member] = []
            var alias: UInt16?
            let willStart = reader.position
            let properties = level == 5 ? MQTTProperties.read(&reader, alias: &alias) : []
            let topicStart = reader.position
            guard let properties, let topic = reader.text(), let payload = reader.binary() else { return }
            will.append(.init("topic", .text(topic), at: topicStart..<payload.lowerBound - 2))
            will.append(.init("qos", .number(UInt64(flags >> 3 & 3)), at: fixed - 3..<fixed - 2))
            will.append(.init("retain", .flag(flags & 32 != 0), at: fixed - 3..<fixed - 2))
            will.append(.init("payload", reader.extracting(payload).asContent, at: payload))
            if !properties.isEmpty { will.append(.init("properties", .object(properties), at: willStart..<topicStart)) }
            // The flags that belong to it stand before all else.
            told.add("will", .object(will), at: fixed - 3..<reader.position)
        }
        let userStart = reader.position
        if flags & 128 != 0, let user = reader.text() {
            told.add("username", .text(user), at: reader.read(from: userStart))
            told.say(", user ", user)
        }
        // What the password is stays in the payload alone.
        if flags & 64 != 0, reader.binary() != nil { told.add("hasPassword", .flag(true), at: fixed - 3..<fixed - 2) }
        told.say(", keep alive \(keepAlive) s".utf8)
        memory.calls.note(Array("connect".utf8), owed: Array("CONNECT".utf8), in: context)
    }

    private static func publish(
        _ reader: inout MQTTReader, first: UInt8, in context: PayloadContext, _ state: inout MQTTConversation,
        _ memory: inout PayloadMemory,
        _ told: inout DecodedPayload
    ) {
        let quality = first >> 1 & 3
        let side = context.from == .client ? 0 : 1
        guard quality < 3 else { return reader.fail("a PUBLISH has QoS 3", at: max(0, reader.position - 2)) }
        let topicStart = reader.position
        guard var topic = reader.text() else { return }
        let isAliased = topic.isEmpty
        var id: UInt16?
        var properties: [DecodedPayload.Value.Member] = []
        let topicEnd = reader.position
        /// Where what is known of an alias stands for it, the topic is not in the packet.
        func addTopic() {
            if isAliased, !topic.isEmpty { return told.note("topic", .text(topic)) }
            told.add("topic", .text(topic), at: topicStart..<topicEnd)
        }
        var rest = DecodedPayload(format: MQTT.name)
        if quality > 0 {
            id = number(&reader, &rest)
            if id == nil { return addTopic() }
        }
        if state.level == 5 {
            var alias: UInt16?
            guard let found = MQTTProperties.read(&reader, alias: &alias) else { return addTopic() }
            properties = found
            if let alias {
                if isAliased {
                    topic = state.aliases[side][alias] ?? []
                } else if topic.count <= MQTTConversation.longestTopic,
                    state.aliases[side][alias] != nil || state.aliases[side].count < MQTTConversation.mostAliases
                {
                    state.aliases[side][alias] = topic
                }
            }
        }
        addTopic()
        told.add("qos", .number(UInt64(quality)), at: reader.firstByte)
        told.add("retain", .flag(first & 1 != 0), at: reader.firstByte)
        if first & 8 != 0 { told.add("dup", .flag(true), at: reader.firstByte) }
        let idEnd = topicEnd + (id == nil ? 0 : 2)
        if let id { told.add("packetId", .number(UInt64(id)), at: topicEnd..<idEnd) }
        if !properties.isEmpty { told.add("properties", .object(properties), at: reader.read(from: idEnd)) }
        guard !topic.isEmpty || state.level == 5 else { return reader.fail("a PUBLISH has an empty topic", at: topicEnd) }
        told.say(" ", topic)
        if let id { told.say(", QoS \(quality), id \(id)".utf8) }
        if first & 8 != 0 { told.say(", sent again") }
        // Sent once more it is the same message: the wait began with the first.
        if let id, first & 8 == 0 { memory.calls.note(key(id), name: topic, owed: label("PUBLISH", topic, id), in: context) }
        let range = reader.rest()
        var inner = InnerPayload(topic: topic)
        let type = properties.first { $0.name.elementsEqual("contentType".utf8) }?.value
        if case .text(let type)? = type { inner.contentType = type }
        told.add(inner, reader.extracting(range), at: range, in: context)
    }

    /// PUBACK, PUBREC, PUBREL and PUBCOMP. The wait of QoS 2 ends with PUBCOMP, or with a PUBREC that refuses; what comes before says how
    /// long it has taken so far.
    private static func acknowledge(
        _ reader: inout MQTTReader, type: Int, in context: PayloadContext, _ state: inout MQTTConversation, _ memory: inout PayloadMemory,
        _ told: inout DecodedPayload
    ) {
        guard let id = number(&reader, &told) else { return }
        told.say(", id \(id)".utf8)
        if state.level == 0, !reader.isAtEnd { state.level = 5 }
        var isRefused = false
        if state.level == 5, !reader.isAtEnd {
            isRefused = reader.extracting(reader.position..<reader.position + 1)[0] >= 0x80
            reason(&reader, type: type, state, &told)
            if !reader.isAtEnd { properties(&reader, state, &told) }
        }
        let isLast = type == 4 || type == 7 || type == 5 && isRefused
        let publisher = type == 6 ? context.from : context.from.peer
        let flow = isLast ? memory.calls.answer(key(id), in: context) : memory.calls.known(key(id), from: publisher, in: context)
        guard let (latency, topic) = flow else { return }
        // After a PUBREC it is the publisher's turn, after its PUBREL again the other side's.
        if type == 5, !isLast { memory.calls.goOn(key(id), from: publisher, owed: [], in: context) }
        if type == 6 { memory.calls.goOn(key(id), from: publisher, owed: label("PUBREL", topic, id), in: context) }
        if !topic.isEmpty { told.note("topic", .text(topic)) }
        told.addAnswer(after: latency, of: topic)
    }

    /// SUBACK and UNSUBACK: what became of each topic, in the order in which they were asked for.
    private static func grant(
        _ reader: inout MQTTReader, type: Int, in context: PayloadContext, _ state: inout MQTTConversation, _ memory: inout PayloadMemory,
        _ told: inout DecodedPayload
    ) {
        guard let id = number(&reader, &told) else { return }
        properties(&reader, state, &told)
        let topics = state.answered(id, by: context.from == .client ? 0 : 1)
        var codes: [DecodedPayload.Value.Member] = []
        var refused: [DecodedPayload.Value.Member] = []
        var count = 0
        while type == 9 || state.level == 5, !reader.isAtEnd, let code = reader.byte() {
            defer { count += 1 }
            if codes.count < mostTopics { codes.append(.init([], .number(UInt64(code)), at: reader.last(1))) }
            guard code >= 0x80, refused.count < mostTopics else { continue }
            let name = MQTTReasons.name(code, type: 9, level: state.level) ?? "unknown reason"
            var members: [DecodedPayload.Value.Member] = []
            if count < topics.count { members.append(.init(noted: "topic", .text(topics[count]))) }
            members += [
                .init("reason", .number(UInt64(code)), at: reader.last(1)),
                .init("reasonName", .word(name.description), at: reader.last(1)),
            ]
            refused.append(.init([], .object(members), at: reader.last(1)))
            guard refused.count <= mostSaid else { continue }
            told.say(", refused")
            if count < topics.count {
                told.say(" ", topics[count])
            }
            told.say(": ")
            told.say(name)
        }
        if refused.count > mostSaid { told.say(", and \(refused.count - mostSaid) more".utf8) }
        if !codes.isEmpty { told.add("reasons", .items(codes), at: codes.place) }
        if !refused.isEmpty { told.add("refused", .items(refused), at: refused.place) }
        told.addAnswer(to: key(id), in: context, memory: &memory)
    }

    private static func subscribe(
        _ reader: inout MQTTReader, type: Int, in context: PayloadContext, _ state: inout MQTTConversation, _ memory: inout PayloadMemory,
        _ told: inout DecodedPayload
    ) {
        guard let id = number(&reader, &told) else { return }
        properties(&reader, state, &told)
        var topics: [DecodedPayload.Value.Member] = []
        var names: [[UInt8]] = []
        var count = 0
        let start = reader.position
        while !reader.isAtEnd {
            let first = reader.position
            guard let topic = reader.text() else { break }
            var members: [DecodedPayload.Value.Member] = [.init("topic", .text(topic), at: reader.read(from: first))]
            if type == 8 {
                let place = reader.position
                guard let options = reader.byte() else { break }
                members.append(.init("qos", .number(UInt64(options & 3)), at: reader.last(1)))
                guard options & 3 < 3 else {
                    reader.fail("a subscription wants QoS 3", at: place)
                    break
                }
            }
            count += 1
            guard topics.count < mostTopics else { continue }
            topics.append(.init([], .object(members), at: reader.read(from: first)))
            names.append(topic)
            guard count <= mostSaid else { continue }
            told.say(count == 1 ? " " : ", ", topic)
        }
        if count > mostSaid { told.say(", and \(count - mostSaid) more".utf8) }
        told.add("topics", .items(topics), at: topics.isEmpty ? reader.read(from: start) : topics.place)
        guard let first = names.first else { return reader.fail("it has no topic", at: start) }
        let asked = count == 1 ? first : first + " and \(count - 1) more".utf8
        memory.calls.note(key(id), name: asked, owed: label(MQTTGrammar.types[type], asked, id), in: context)
        state.note(names, of: id, from: context.from == .client ? 0 : 1)
    }
}
