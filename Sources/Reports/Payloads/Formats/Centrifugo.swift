import Dissection

/// The client protocol of Centrifugo in JSON (centrifugal.dev/docs/transports/client_protocol): commands and their replies, matched by `id`; pushes
/// of channels; a ping is `{}`, and so is its pong. A message may have several, one a line.
///
/// ```
/// {"id":1,"connect":{"token":"…"}}            {"id":1,"connect":{"client":"…","ping":25,"pong":true}}
/// {"id":2,"subscribe":{"channel":"news"}}     {"id":2,"error":{"code":103,"message":"permission denied"}}
///                                             {"push":{"channel":"news","pub":{"data":{"a":1}}}}
/// ```
enum Centrifugo: PayloadFormat {
    static var name: StaticString { "centrifugo" }
    static var keys: [StaticString] { ["type", "id", "channel", "method", "code", "reason", "data", "latency", "count", "messages"] }

    static let occasions: PayloadOccasions = [.text]

    static func mayBegin(with byte: UInt8) -> Bool { byte == UInt8(ascii: "{") }

    static var marks: PayloadMarks { .connection }

    /// Commands, which are members of a command and of its reply.
    private static let commands: [StaticString] = [
        "connect", "subscribe", "unsubscribe", "publish", "presence", "presence_stats", "history", "send", "rpc", "refresh",
        "sub_refresh",
    ]
    /// What a push has.
    private static let pushes: [StaticString] = [
        "pub", "join", "leave", "unsubscribe", "message", "subscribe", "connect", "disconnect", "refresh",
    ]
    /// So many of one message are read; the others are counted.
    private static let mostMessages = 256
    /// So many are in the line for people.
    private static let mostSaid = 8

    /// Its messages look like those of apps; the endpoint of its clients does not.
    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard context.occasion == .text, context.pathBegins("/connection/websocket"), let members = JSONParts(bytes) else { return .no }
        if members.parts.isEmpty { return .certain }
        if members.value("push", in: bytes) != nil || command(members, bytes) != nil { return .certain }
        // A reply of its first protocol has a result, and an error no more than its number.
        let isReply = members.value("id", in: bytes) != nil && ["result", "error"].contains { members.value($0, in: bytes) != nil }
        return isReply ? .certain : .no
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        guard let first = JSONParts(bytes) else { return decoded.stop(JSONParts.problem(bytes), at: 0) }
        if first.isAll(of: bytes) { return read(first, bytes, in: context, memory: &memory, into: &decoded) }
        var messages: [(message: DecodedPayload, range: Range<Int>)] = []
        var (start, count) = (0, 0)
        repeat {
            guard let members = JSONParts(bytes, from: start) else { return decoded.stop(JSONParts.problem(bytes, from: start), at: start) }
            count += 1
            if messages.count < mostMessages {
                var one = DecodedPayload(format: name)
                read(members, bytes, in: context, memory: &memory, into: &one)
                if one.hasStopped { return decoded.stop("a message has no command, reply or push", at: start) }
                messages.append((one, start..<members.end))
            }
            var cursor = JSONCursor(bytes, at: members.end)
            cursor.skipBlanks()
            start = cursor.position
        } while start < bytes.byteCount
        decoded.note("type", .word("batch"))
        decoded.note("count", .number(UInt64(count)))
        decoded.add("messages", .items(messages.map { .init([], $0.message.asMembers, at: $0.range) }), at: 0..<bytes.byteCount)
        for (index, one) in messages.prefix(mostSaid).enumerated() {
            if index > 0 { decoded.say("; ") }
            decoded.say(one.message.summary)
        }
        if count > mostSaid { decoded.say("; …") }
    }

    private static func command(_ members: JSONParts, _ bytes: RawSpan) -> StaticString? {
        commands.first { members.value($0, in: bytes).map { bytes[$0.lowerBound] == UInt8(ascii: "{") } ?? false }
    }

    /// Reads one command, reply or push.
    private static func read(
        _ members: JSONParts, _ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload
    ) {
        if members.parts.isEmpty {
            decoded.note("type", .word(context.from == .server ? "ping" : "pong"))
            return decoded.say(context.from == .server ? "ping" : "pong")
        }
        if let push = members.value("push", in: bytes) {
            return read(push: push, bytes, in: context, memory: &memory, into: &decoded)
        }
        let word = command(members, bytes)
        let error = members.value("error", in: bytes)
        guard word != nil || members.value("id", in: bytes) != nil else {
            return decoded.stop("it has no command, reply or push", at: 0)
        }
        let isReply = context.from == .server
        decoded.note("type", .word(error != nil ? "error" : isReply ? "reply" : word?.description ?? "command"))
        if let id = members.value("id", in: bytes) { decoded.add("id", json: id, of: bytes) }
        if error != nil { decoded.say("error") } else if isReply { decoded.say("reply") } else if let word { decoded.say(word) }
        let content = word.flatMap { members.value($0, in: bytes) } ?? members.value("result", in: bytes)
        let inner = content.flatMap { JSONParts(bytes, from: $0.lowerBound) }
        // The channel is that of the command, which a reply does not name.
        if !isReply, let inner { name(inner, bytes, into: &decoded) }
        let key = members.key("id", in: bytes).map { Array("centrifugo".utf8) + $0 }
        if let key, !isReply, let word {
            var label = Array(word.description.utf8)
            if let subject = inner.flatMap({ $0.string("channel", in: bytes) ?? $0.string("method", in: bytes) }) {
                label += [0x20] + subject.prefix(120)
            }
            memory.calls.note(key, name: label, owed: label, in: context)
        }
        if let error, let parts = JSONParts(bytes, from: error.lowerBound) { say(error: parts, bytes, into: &decoded) }
        if let content {
            decoded.add("data", json: content, of: bytes)
            if bytes.extracting(content).byteCount > 2 { decoded.say("  ", bytes.extracting(content)) }
        }
        if let key, isReply { decoded.addAnswer(to: key, in: context, memory: &memory) }
    }

    /// What a server sends by itself.
    private static func read(
        push: Range<Int>, _ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload
    ) {
        guard let members = JSONParts(bytes, from: push.lowerBound) else {
            return decoded.stop("its push is not an object", at: push.lowerBound)
        }
        let word = pushes.first { members.value($0, in: bytes) != nil }
        decoded.note("type", .word(word.map { "push \($0)" } ?? "push"))
        decoded.say("push")
        if let word { decoded.say(" ", word.bytes.copy) }
        name(members, bytes, into: &decoded)
        guard let word, let content = members.value(word, in: bytes) else {
            decoded.add("data", json: push, of: bytes)
            return decoded.say("  ", bytes.extracting(push))
        }
        let inner = JSONParts(bytes, from: content.lowerBound)
        if let inner, word.description == "disconnect" { say(error: inner, bytes, into: &decoded) }
        let shown = inner?.value("data", in: bytes) ?? content
        decoded.add("data", json: shown, of: bytes)
        decoded.say("  ", bytes.extracting(shown))
    }

    /// Adds the channel that a command or push is about, or the method of an `rpc`.
    private static func name(_ members: JSONParts, _ bytes: RawSpan, into decoded: inout DecodedPayload) {
        for key in ["channel", "method"] as [StaticString] {
            guard let name = members.string(key, in: bytes), let at = members.value(key, in: bytes) else { continue }
            decoded.add(key, json: at, of: bytes)
            decoded.say(" ", name)
        }
    }

    /// Adds the code and the words of an error, or of a disconnect.
    private static func say(error members: JSONParts, _ bytes: RawSpan, into decoded: inout DecodedPayload) {
        if let code = members.value("code", in: bytes) {
            decoded.add("code", json: code, of: bytes)
            decoded.say(" ", bytes.extracting(code))
        }
        let key: StaticString = members.value("message", in: bytes) == nil ? "reason" : "message"
        guard let words = members.string(key, in: bytes), let at = members.value(key, in: bytes) else { return }
        decoded.add("reason", json: at, of: bytes)
        decoded.say(" ", words)
    }
}
