import Dissection

/// Channels of Phoenix (hexdocs.pm/phoenix, "Writing a Channels Client"): `[join_ref, ref, topic, event, payload]` of version 2, and the object
/// with the same members of version 1. Replies are matched by topic and `ref`.
enum Phoenix: PayloadFormat {
    static var name: StaticString { "phoenix" }
    static var keys: [StaticString] { ["topic", "event", "ref", "joinRef", "payload", "status", "latency"] }
    static var beatsAreAnswered: Bool { true }

    /// The `timeout` of a socket (hexdocs.pm/phoenix/Phoenix.Endpoint.html, "Websocket configuration"). Clients send a heartbeat every 30 s.
    static func note(_ decoded: DecodedPayload, in timeouts: inout HeartbeatTimeouts) {
        timeouts.format = FormatName(name, Self.self)
        timeouts.usualIdle = 60_000_000_000
    }

    static let occasions: PayloadOccasions = [.text, .agreedText]

    static func mayBegin(with byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }

    static var marks: PayloadMarks { [.phoenix, .parameters] }

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard context.carrier == .message, context.isText, bytes.byteCount > 8 else { return .no }
        if bytes[0] == UInt8(ascii: "[") {
            guard context.targetHas("vsn=2") || hasEvent(bytes) else { return .no }
            guard parts(bytes) != nil else { return isTooDeep(bytes) ? .likely : .no }
            return context.targetHas("vsn=2") ? .certain : .likely
        }
        guard bytes[0] == UInt8(ascii: "{"), context.targetHas("vsn=1") || hasEvent(bytes) else { return .no }
        guard parts(bytes) != nil else { return isTooDeep(bytes) ? .likely : .no }
        return context.targetHas("vsn=1") ? .certain : .likely
    }

    /// The events that Phoenix has of its own.
    private static func hasEvent(_ bytes: RawSpan) -> Bool {
        let head = bytes.prefix(512)
        // Mostly none of them is there, which one look says.
        return head.contains("\"ph") && (head.contains("\"phx_") || head.contains("\"phoenix\""))
    }

    /// Whether it is JSON that nests deeper than it is read: what it would say is not known, why it is not read is.
    private static func isTooDeep(_ bytes: RawSpan) -> Bool {
        JSONParts.problem(bytes, isArray: bytes[0] == UInt8(ascii: "[")).bytes.isEqual(PayloadBounds.tooDeep.bytes)
    }

    /// Where the parts lie: join reference, reference, topic, event, payload.
    private static func parts(_ bytes: RawSpan) -> [Range<Int>?]? {
        if bytes[0] == UInt8(ascii: "[") {
            guard let elements = JSONParts(bytes, isArray: true), elements.isAll(of: bytes), elements.parts.count == 5 else { return nil }
            let values = elements.parts.map(\.value)
            func isString(_ index: Int) -> Bool { bytes[values[index].lowerBound] == UInt8(ascii: "\"") }
            func isNull(_ index: Int) -> Bool { bytes.extracting(values[index]).isWord("null") }
            guard isString(0) || isNull(0), isString(1) || isNull(1), isString(2), isString(3) else { return nil }
            return values
        }
        guard let members = JSONParts(bytes), members.isAll(of: bytes), members.parts.count == 4 || members.parts.count == 5,
            members.string("topic", in: bytes) != nil, members.string("event", in: bytes) != nil,
            let payload = members.value("payload", in: bytes), let reference = members.value("ref", in: bytes)
        else { return nil }
        return [
            members.value("join_ref", in: bytes), reference, members.value("topic", in: bytes), members.value("event", in: bytes), payload,
        ]
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        guard bytes.byteCount > 0, let parts = parts(bytes), let topic = parts[2], let event = parts[3], let payload = parts[4] else {
            let isArray = bytes.byteCount > 0 && bytes[0] == UInt8(ascii: "[")
            guard JSONParts(bytes, isArray: isArray) != nil else { return decoded.stop(JSONParts.problem(bytes, isArray: isArray), at: 0) }
            return decoded.stop("it is not [join_ref, ref, topic, event, payload]", at: 0)
        }
        let eventName = bytes.extracting(event.lowerBound + 1..<event.upperBound - 1)
        let topicName = bytes.extracting(topic.lowerBound + 1..<topic.upperBound - 1)
        decoded.add("topic", json: topic, of: bytes)
        decoded.add("event", json: event, of: bytes)
        for (key, range) in [("joinRef", parts[0]), ("ref", parts[1])] as [(StaticString, Range<Int>?)] {
            if let range, !bytes.extracting(range).isWord("null") { decoded.add(key, json: range, of: bytes) }
        }
        let isReply = eventName.isWord("phx_reply")
        decoded.say(eventName)
        decoded.say(" ", topicName)
        if isReply, let members = JSONParts(bytes, from: payload.lowerBound), let status = members.value("status", in: bytes) {
            decoded.add("status", json: status, of: bytes)
            decoded.say(" ", members.string("status", in: bytes) ?? [])
            if let response = members.value("response", in: bytes) {
                decoded.add("payload", json: response, of: bytes)
                decoded.say("  ", bytes.extracting(response))
            }
        } else {
            decoded.add("payload", json: payload, of: bytes)
            decoded.say("  ", bytes.extracting(payload))
        }
        let topicKey = Array("phx".utf8) + bytes.extracting(topic).jsonKey.prefix(80) + [0]
        // With the channel gone, nothing of it has a reply any more.
        if context.from == .server, eventName.isWord("phx_close") || eventName.isWord("phx_error") {
            memory.calls.excuse(topicKey, from: .client)
        }
        guard let reference = parts[1], !bytes.extracting(reference).isWord("null") else { return }
        let key = topicKey + bytes.extracting(reference).jsonKey
        if isReply {
            decoded.addAnswer(to: key, in: context, memory: &memory)
        } else if context.from == .client {
            // An app need not reply to the events of its own.
            let isOwed = eventName.isWord("phx_join") || eventName.isWord("phx_leave")
            let label = eventName.copy + [0x20] + topicName.copy
            memory.calls.note(key, name: eventName.copy, owed: isOwed ? label : [], in: context)
        }
    }
}
