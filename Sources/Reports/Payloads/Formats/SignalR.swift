import Dissection

/// SignalR's hub protocol in JSON (dotnet/aspnetcore, HubProtocol.md): messages that end with 0x1e, several in one payload; the handshake
/// before them.
enum SignalR: PayloadFormat {
    static var name: StaticString { "signalr" }
    static var keys: [StaticString] {
        [
            "type", "protocol", "version", "target", "invocationId", "arguments", "item", "result", "error", "latency", "messages",
        ]
    }
    static var beatDelay: BeatDelay { .ownBytes }

    static let types: [UInt64: StaticString] = [
        1: "invocation", 2: "stream item", 3: "completion", 4: "stream invocation", 5: "cancel invocation", 6: "ping", 7: "close", 8: "ack",
        9: "sequence",
    ]

    static func mayBegin(with byte: UInt8) -> Bool { byte == UInt8(ascii: "{") }

    static var marks: PayloadMarks { .handshake }

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard bytes.byteCount > 2, bytes[0] == UInt8(ascii: "{") else { return .no }
        guard bytes[bytes.byteCount - 1] == 0x1e else { return isUnterminated(bytes, in: context) ? .certain : .no }
        // Other apps end their JSON so too. The members say whose it is, wherever they stand: the client of browsers writes `type` last.
        guard let members = JSONParts(bytes) else { return context.spoke("signalr") ? .likely : .no }
        guard members.end < bytes.byteCount, bytes[members.end] == 0x1e else { return .no }
        return type(of: members, bytes) != nil || isHandshake(members, bytes, from: context.from) ? .likely : .no
    }

    /// The number of its type, where the hub protocol has one such.
    private static func type(of members: JSONParts, _ bytes: RawSpan) -> UInt64? {
        guard let range = members.value("type", in: bytes), let number = bytes.extracting(range).decimal, types[number] != nil else {
            return nil
        }
        return number
    }

    /// Whether it is what a client begins with, or what a server answers: an object without members, or with `error` alone.
    private static func isHandshake(_ members: JSONParts, _ bytes: RawSpan, from side: Side) -> Bool {
        guard members.value("type", in: bytes) == nil else { return false }
        if members.string("protocol", in: bytes) != nil, let version = members.value("version", in: bytes) {
            return bytes.extracting(version).decimal != nil
        }
        guard side == .server else { return false }
        return members.parts.isEmpty || members.parts.count == 1 && members.string("error", in: bytes) != nil
    }

    /// Whether it is just what a client begins with, but for the 0x1e (dotnet/aspnetcore, HubProtocol.md, "Text-based encodings").
    private static func isUnterminated(_ bytes: RawSpan, in context: PayloadContext) -> Bool {
        guard context.carrier == .message, context.from == .client, !context.isCut, bytes.byteCount < 64,
            bytes.begins("{\"protocol\":"), let members = JSONParts(bytes), members.end == bytes.byteCount, members.parts.count == 2,
            let name = members.string("protocol", in: bytes)
        else { return false }
        return (name.elementsEqual("json".utf8) || name.elementsEqual("messagepack".utf8)) && isHandshake(members, bytes, from: .client)
    }

    private static let mostMessages = 256

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var messages: [(said: DecodedPayload, range: Range<Int>)] = []
        var start = 0
        while start < bytes.byteCount {
            guard let members = JSONParts(bytes, from: start) else {
                tell(messages, into: &decoded)
                return decoded.stop(JSONParts.problem(bytes, from: start), at: start)
            }
            guard members.end < bytes.byteCount, bytes[members.end] == 0x1e else {
                if messages.isEmpty, let begun = message(members, bytes, in: context, memory: &memory), begun.says("type", "handshake") {
                    tell([(begun, start..<members.end)], into: &decoded)
                    return decoded.stop("the handshake does not end with 0x1e, so the server waits for the rest of it", at: members.end)
                }
                tell(messages, into: &decoded)
                return decoded.stop("a message does not end with 0x1e", at: members.end)
            }
            guard messages.count < mostMessages else {
                tell(messages, into: &decoded)
                return decoded.stop("it has more than 256 messages", at: start)
            }
            guard let message = message(members, bytes, in: context, memory: &memory) else {
                tell(messages, into: &decoded)
                return decoded.stop("a message has no type of the hub protocol", at: start)
            }
            messages.append((message, start..<members.end))
            start = members.end + 1
        }
        tell(messages, into: &decoded)
    }

    /// Tells what came as one payload, in either encoding.
    static func tell(_ messages: [(said: DecodedPayload, range: Range<Int>)], into decoded: inout DecodedPayload) {
        if messages.count == 1 {
            decoded = messages[0].said
            return
        }
        let members: [DecodedPayload.Value.Member] = messages.map { .init([], $0.said.asMembers, at: $0.range) }
        if !messages.isEmpty { decoded.add("messages", .items(members), at: members.place) }
        for (index, message) in messages.enumerated() {
            if index > 0 { decoded.say("; ") }
            decoded.say(message.said.summary)
        }
    }

    /// What a message says; nil where it is none of the hub protocol.
    private static func message(
        _ members: JSONParts, _ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory
    ) -> DecodedPayload? {
        var one = DecodedPayload(format: name)
        guard let number = type(of: members, bytes) else {
            guard isHandshake(members, bytes, from: context.from) else { return nil }
            one.note("type", .word("handshake"))
            one.say("handshake")
            for key in ["protocol", "version", "error"] as [StaticString] {
                guard let raw = members.raw(key, in: bytes), let at = members.value(key, in: bytes) else { continue }
                one.add(key, .json(raw), at: at)
                one.say(" ", raw)
            }
            return one
        }
        let type = types[number] ?? "message"
        if let at = members.value("type", in: bytes) { one.add("type", .word(type.description), at: at) }
        one.say(type)
        for key in ["target", "invocationId", "arguments", "item", "result", "error"] as [StaticString] {
            guard let raw = members.raw(key, in: bytes), let at = members.value(key, in: bytes) else { continue }
            one.add(key, .json(raw), at: at)
            one.say(" ", raw)
        }
        guard let id = members.string("invocationId", in: bytes), let key = members.key("invocationId", in: bytes) else { return one }
        if number == 1 || number == 4 {
            let target = members.string("target", in: bytes) ?? []
            // A stream may go on until the end.
            let label = number == 1 ? target + " (id ".utf8 + id + [0x29] : []
            memory.calls.note(key, name: target, owed: label, in: context)
        } else if number == 3 {
            one.addAnswer(to: key, in: context, memory: &memory)
        }
        return one
    }
}
