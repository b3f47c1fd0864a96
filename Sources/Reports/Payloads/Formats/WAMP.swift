import Dissection

/// The Web Application Messaging Protocol, version 2 (wamp-proto.org), in JSON: subprotocols `wamp.2.json` and `wamp.2.json.batched`.
enum WAMP: PayloadFormat {
    static var name: StaticString { "wamp" }

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard context.carrier == .message, context.isText else { return .no }
        return context.speaks("wamp.2.json") || context.speaks("wamp.2.json.batched") ? .agreed : .no
    }

    /// The name of a message, and the keys of what follows its number (section 6.5).
    private static func row(_ code: UInt64) -> (type: StaticString, keys: [StaticString])? {
        switch code {
        case 1: ("HELLO", ["realm", "details"])
        case 2: ("WELCOME", ["session", "details"])
        case 3: ("ABORT", ["details", "reason"])
        case 4: ("CHALLENGE", ["method", "details"])
        case 5: ("AUTHENTICATE", ["signature", "details"])
        case 6: ("GOODBYE", ["details", "reason"])
        case 8: ("ERROR", ["of", "request", "details", "reason", "args", "kwargs"])
        case 16: ("PUBLISH", ["request", "details", "topic", "args", "kwargs"])
        case 17: ("PUBLISHED", ["request", "publication"])
        case 32: ("SUBSCRIBE", ["request", "details", "topic"])
        case 33: ("SUBSCRIBED", ["request", "subscription"])
        case 34: ("UNSUBSCRIBE", ["request", "subscription"])
        case 35: ("UNSUBSCRIBED", ["request"])
        case 36: ("EVENT", ["subscription", "publication", "details", "args", "kwargs"])
        case 48: ("CALL", ["request", "details", "procedure", "args", "kwargs"])
        case 49: ("CANCEL", ["request", "details"])
        case 50: ("RESULT", ["request", "details", "args", "kwargs"])
        case 64: ("REGISTER", ["request", "details", "procedure"])
        case 65: ("REGISTERED", ["request", "registration"])
        case 66: ("UNREGISTER", ["request", "registration"])
        case 67: ("UNREGISTERED", ["request"])
        case 68: ("INVOCATION", ["request", "registration", "details", "args", "kwargs"])
        case 69: ("INTERRUPT", ["request", "details"])
        case 70: ("YIELD", ["request", "details", "args", "kwargs"])
        case _: nil
        }
    }

    private static let asking: Set<UInt64> = [16, 32, 34, 48, 64, 66, 68]
    private static let answering: Set<UInt64> = [8, 17, 33, 35, 50, 65, 67, 70]
    private static let mostMessages = 256

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var messages: [DecodedPayload] = []
        var start = 0
        repeat {
            guard messages.count < mostMessages else {
                decoded.add("messages", .list(messages.map(\.asMembers)))
                return decoded.stop("it has more than 256 messages", at: start)
            }
            var one = DecodedPayload(format: name)
            let end = message(bytes, from: start, in: context, memory: &memory, into: &one)
            messages.append(one)
            if one.hasStopped { break }
            start = end
        } while start < bytes.byteCount
        if messages.count == 1 {
            decoded = messages[0]
            return
        }
        decoded.add("messages", .list(messages.map(\.asMembers)))
        for (index, one) in messages.enumerated() {
            if index > 0 { decoded.say("; ") }
            decoded.say(one.summary)
        }
        if let last = messages.last { decoded.stop(like: last) }
    }

    /// Reads a message. Returns where the next one begins, after the byte 0x1e of the batched subprotocol.
    private static func message(
        _ bytes: RawSpan, from start: Int, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload
    ) -> Int {
        guard let parts = JSONParts(bytes, from: start, isArray: true) else {
            decoded.stop("its JSON is not a whole array", at: start)
            return start
        }
        let isBatched = parts.end < bytes.byteCount && bytes[parts.end] == 0x1e
        guard isBatched || parts.isAll(of: bytes) else {
            decoded.stop("something follows its JSON", at: parts.end)
            return start
        }
        let end = isBatched ? parts.end + 1 : bytes.byteCount
        guard let first = parts.parts.first?.value, let code = bytes.extracting(first).decimal, let (type, keys) = row(code) else {
            decoded.stop("its first element is not the number of a message", at: start)
            return start
        }
        decoded.add("type", .word(type.description), at: first)
        decoded.say(type)
        var values: [(key: StaticString, range: Range<Int>)] = []
        func value(_ key: StaticString) -> Range<Int>? { values.first { $0.key.bytes.isEqual(key.bytes) }?.range }
        for (key, part) in zip(keys, parts.parts.dropFirst()) {
            values.append((key, part.value))
            // An answer to a challenge is a secret, or nearly one.
            if code == 5, key.bytes.isWord("signature") { continue }
            decoded.add(key, json: part.value, of: bytes)
        }
        for key in ["realm", "procedure", "topic", "reason", "subscription"] as [StaticString] {
            guard let range = value(key) else { continue }
            decoded.say(" ")
            let isString = bytes[range.lowerBound] == UInt8(ascii: "\"")
            decoded.say(bytes.extracting(isString ? range.lowerBound + 1..<range.upperBound - 1 : range))
            break
        }
        for key in ["args", "kwargs"] as [StaticString] {
            guard let range = value(key) else { continue }
            decoded.say("  ")
            decoded.say(bytes.extracting(range))
        }
        guard let request = value("request") else { return end }
        let key = Array("wamp".utf8) + bytes.extracting(request).copy
        if asking.contains(code) {
            let name = value("procedure") ?? value("topic")
            memory.calls.note(key, name: name.map { bytes.extracting($0).copy.filter { $0 != 0x22 } } ?? [], in: context)
        } else if answering.contains(code) {
            decoded.addAnswer(to: key, in: context, memory: &memory)
        }
        return end
    }
}
