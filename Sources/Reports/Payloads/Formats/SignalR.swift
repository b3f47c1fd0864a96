import Dissection

/// SignalR's hub protocol in JSON (dotnet/aspnetcore, HubProtocol.md): messages that end with 0x1e, several in one payload; the handshake
/// before them.
enum SignalR: PayloadFormat {
    static var name: StaticString { "signalr" }

    static let types: [UInt64: StaticString] = [
        1: "invocation", 2: "stream item", 3: "completion", 4: "stream invocation", 5: "cancel invocation", 6: "ping", 7: "close", 8: "ack",
        9: "sequence",
    ]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard bytes.byteCount > 2, bytes[0] == UInt8(ascii: "{"), bytes[bytes.byteCount - 1] == 0x1e else { return .no }
        let head = bytes.prefix(256)
        return head.contains("\"type\":") || head.contains("\"protocol\":") || head.begins("{}\u{1e}") ? .likely : .no
    }

    private static let mostMessages = 256

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var messages: [DecodedPayload.Value] = []
        var start = 0
        while start < bytes.byteCount {
            guard let members = JSONParts(bytes, from: start), members.end < bytes.byteCount, bytes[members.end] == 0x1e else {
                return decoded.stop("a message is not whole JSON with 0x1e after it", at: start)
            }
            guard messages.count < mostMessages else { return decoded.stop("it has more than 256 messages", at: start) }
            messages.append(.object(message(members, bytes, in: context, memory: &memory, into: &decoded, isFirst: start == 0)))
            start = members.end + 1
        }
        guard messages.count == 1, case .object(let only) = messages[0] else {
            decoded.add("messages", .list(messages))
            return
        }
        decoded.add(only)
    }

    private static func message(
        _ members: JSONParts, _ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload,
        isFirst: Bool
    ) -> [DecodedPayload.Value.Member] {
        var told: [DecodedPayload.Value.Member] = []
        func add(_ key: String, _ value: DecodedPayload.Value) { told.append(.init(Array(key.utf8), value)) }
        if !isFirst { decoded.say("; ") }
        guard let number = members.raw("type", in: bytes).flatMap({ UInt64(String(decoding: $0, as: UTF8.self)) }) else {
            add("type", .word("handshake"))
            decoded.say("handshake")
            for key in ["protocol", "version", "error"] as [StaticString] {
                if let raw = members.raw(key, in: bytes) { add(key.description, .json(raw)) }
            }
            return told
        }
        let type = types[number]
        add("type", type.map { .word($0.description) } ?? .number(number))
        decoded.say(type ?? "message of an unknown type")
        for key in ["target", "invocationId", "arguments", "item", "result", "error"] as [StaticString] {
            guard let raw = members.raw(key, in: bytes) else { continue }
            add(key.description, .json(raw))
            decoded.say(" ")
            decoded.say(raw)
        }
        guard let id = members.string("invocationId", in: bytes) else { return told }
        if number == 1 || number == 4 {
            memory.calls.note(id, name: members.string("target", in: bytes) ?? [], in: context)
        } else if number == 3, let (latency, _) = memory.calls.answer(id, in: context) {
            add("latency", .duration(latency))
            decoded.say(" after ")
            decoded.say(span: latency)
        }
        return told
    }
}
