import Dissection

/// SignalR's hub protocol in MessagePack (dotnet/aspnetcore, HubProtocol.md): messages with a varint of their length before them, each an array
/// that begins with its type.
enum SignalRPack: PayloadFormat {
    static var name: StaticString { "signalr" }
    static var keys: [StaticString] {
        [
            "type", "protocol", "version", "target", "invocationId", "arguments", "item", "result", "error", "latency", "messages",
        ]
    }
    static var beatDelay: BeatDelay { .ownBytes }

    private static let mostMessages = 256

    static let occasions: PayloadOccasions = [.binary, .agreedBinary]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard context.carrier == .message, !context.isText, bytes.byteCount >= 3, !context.isCut else { return .no }
        // Every message has to look like one, and the lengths have to fit to the last byte.
        var start = 0
        var count = 0
        while start < bytes.byteCount {
            guard count < mostMessages, let range = next(bytes, from: start), looksRight(bytes.extracting(range)) else { return .no }
            start = range.upperBound
            count += 1
        }
        return .likely
    }

    /// Where the message lies whose length stands at `start`: seven bits a byte, lowest first, at most five bytes.
    private static func next(_ bytes: RawSpan, from start: Int) -> Range<Int>? {
        guard let (length, first) = bytes.varint(at: start, most: 5), length >= 2, length <= UInt64(bytes.byteCount - first) else {
            return nil
        }
        return first..<first + Int(length)
    }

    /// Whether it is an array of as many elements as its type has, with headers where they have to be.
    private static func looksRight(_ bytes: RawSpan) -> Bool {
        guard bytes[0] & 0xf0 == 0x90 else { return false }
        let hasHeaders = bytes.byteCount > 2 && (bytes[2] & 0xf0 == 0x80 || bytes[2] == 0xde)
        switch (bytes[1], bytes[0] & 0x0f) {
        case (1, 5...6), (4, 5...6), (2, 4), (3, 4...5), (5, 3): return hasHeaders
        case (6, 1): return bytes.byteCount == 2
        case (7, 2...3): return bytes.byteCount > 2 && (bytes[2] == 0xc0 || bytes[2] & 0xe0 == 0xa0 || bytes[2] == 0xd9 || bytes[2] == 0xda)
        case _: return false
        }
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var messages: [(said: DecodedPayload, range: Range<Int>)] = []
        var start = 0
        while start < bytes.byteCount {
            guard messages.count < mostMessages, let range = next(bytes, from: start) else {
                SignalR.tell(messages, into: &decoded)
                return decoded.stop("the length of a message is not valid, or is more than came", at: start)
            }
            var reader = MessagePackReader(bytes.extracting(0..<range.upperBound), at: range.lowerBound)
            guard case .items(let parts)? = reader.value(), reader.problem == nil, reader.isAtEnd else {
                SignalR.tell(messages, into: &decoded)
                return decoded.stop(reader.problem?.reason ?? "a message is not a whole array of MessagePack", at: reader.position)
            }
            messages.append((told(parts, in: context, memory: &memory), start..<range.upperBound))
            start = range.upperBound
        }
        SignalR.tell(messages, into: &decoded)
    }

    private static func told(
        _ parts: [DecodedPayload.Value.Member], in context: PayloadContext, memory: inout PayloadMemory
    ) -> DecodedPayload {
        var one = DecodedPayload(format: name)
        guard let first = parts.first, case .number(let type) = first.value else {
            one.note("type", .nothing)
            return one
        }
        let word = SignalR.types[type]
        one.add([.init(Array("type".utf8), word.map { .word($0.description) } ?? .number(type), in: first.range)])
        one.say(word ?? "message of an unknown type")
        func part(_ index: Int) -> DecodedPayload.Value.Member? {
            index < parts.count && parts[index].value != .nothing ? parts[index] : nil
        }
        var id: [UInt8]?
        var target: [UInt8] = []
        if (1...5).contains(type), case .text(let text)? = part(2)?.value { id = text }
        func add(_ key: StaticString, _ part: DecodedPayload.Value.Member) {
            one.add([.init(key.bytes.copy, part.value, in: part.range)])
            one.say(" ")
            one.say(value: part.value)
        }
        switch type {
        case 1, 4:
            if let part = part(3), case .text(let text) = part.value {
                target = text
                add("target", part)
            }
            if let id = part(2), case .text = id.value { add("invocationId", id) }
            if let arguments = part(4) { add("arguments", arguments) }
            if let id {
                let label = type == 1 ? target + " (id ".utf8 + id + [0x29] : []
                memory.calls.note(Array("signalr".utf8) + id, name: target, owed: label, in: context)
            }
        case 2:
            if let id = part(2), case .text = id.value { add("invocationId", id) }
            if let item = part(3) { add("item", item) }
        case 3:
            if let id = part(2), case .text = id.value { add("invocationId", id) }
            if part(3)?.value == .number(1), let error = part(4) {
                add("error", error)
            } else if let result = part(4) {
                add("result", result)
            }
            if let id { one.addAnswer(to: Array("signalr".utf8) + id, in: context, memory: &memory) }
        case 5: if let id = part(2), case .text = id.value { add("invocationId", id) }
        case 7: if let error = part(1) { add("error", error) }
        case _: break
        }
        return one
    }
}
