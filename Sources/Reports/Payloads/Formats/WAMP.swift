import Dissection

/// The Web Application Messaging Protocol, version 2 (wamp-proto.org): in JSON (subprotocols `wamp.2.json` and `wamp.2.json.batched`), in
/// MessagePack (`wamp.2.msgpack`) and in CBOR (`wamp.2.cbor`), whose `.batched` messages have 4 bytes of length before them.
enum WAMP: PayloadFormat {
    static var name: StaticString { "wamp" }
    static var keys: [StaticString] {
        [
            "type", "request", "procedure", "topic", "realm", "session", "method", "reason", "subscription", "publication",
            "registration", "args", "kwargs", "details", "of", "latency", "messages",
        ]
    }

    static let occasions: PayloadOccasions = [.agreedText, .agreedBinary]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard context.carrier == .message else { return .no }
        if packing(context) != nil { return .agreed }
        guard context.isText else { return .no }
        return context.speaks("wamp.2.json") || context.speaks("wamp.2.json.batched") ? .agreed : .no
    }

    /// What binary messages are in.
    private enum Packing { case messagePack, cbor }

    private static func packing(_ context: PayloadContext) -> Packing? {
        guard !context.isText else { return nil }
        if context.speaks("wamp.2.msgpack") || context.speaks("wamp.2.msgpack.batched") { return .messagePack }
        return context.speaks("wamp.2.cbor") || context.speaks("wamp.2.cbor.batched") ? .cbor : nil
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

    /// The names of all messages.
    static let types: [StaticString] = (1...70).compactMap { row($0)?.type }

    private static let asking: Set<UInt64> = [16, 32, 34, 48, 64, 66, 68]
    private static let answering: Set<UInt64> = [8, 17, 33, 35, 50, 65, 67, 70]
    private static let mostMessages = 256

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var messages: [(said: DecodedPayload, range: Range<Int>)] = []
        func addAll() {
            let members: [DecodedPayload.Value.Member] = messages.map { .init([], $0.said.asMembers, at: $0.range) }
            decoded.add("messages", .items(members), at: members.place)
        }
        var start = 0
        let packing = packing(context)
        repeat {
            guard messages.count < mostMessages else {
                addAll()
                return decoded.stop("it has more than 256 messages", at: start)
            }
            var one = DecodedPayload(format: name)
            let end =
                packing.map { packed($0, bytes, from: start, in: context, memory: &memory, into: &one) }
                ?? message(bytes, from: start, in: context, memory: &memory, into: &one)
            messages.append((one, start..<(one.hasStopped ? bytes.byteCount : end)))
            if one.hasStopped { break }
            start = end
        } while start < bytes.byteCount
        if messages.count == 1 {
            decoded = messages[0].said
            return
        }
        addAll()
        for (index, one) in messages.enumerated() {
            if index > 0 { decoded.say("; ") }
            decoded.say(one.said.summary)
        }
        if let last = messages.last { decoded.stop(like: last.said) }
    }

    /// Reads a message. Returns where the next one begins, after the byte that ends one of the batched subprotocol.
    private static func message(
        _ bytes: RawSpan, from start: Int, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload
    ) -> Int {
        guard let parts = JSONParts(bytes, from: start, isArray: true) else {
            decoded.stop(JSONParts.problem(bytes, from: start, isArray: true), at: start)
            return start
        }
        // The end of a batched message is 0x1e in the specification; autobahn for Python writes octal 30.
        let isBatched = parts.end < bytes.byteCount && (bytes[parts.end] == 0x1e || bytes[parts.end] == 0x18)
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
            decoded.say("  ", bytes.extracting(range))
        }
        if let request = value("request") {
            let name = value("procedure") ?? value("topic")
            match(
                code, bytes.extracting(request).copy, key: bytes.extracting(request).jsonKey,
                name: name.map { bytes.extracting($0).copy.filter { $0 != 0x22 } } ?? [], in: context,
                memory: &memory, into: &decoded)
        }
        return end
    }

    /// Reads a message in MessagePack or CBOR. Returns where the next one begins.
    private static func packed(
        _ packing: Packing, _ bytes: RawSpan, from start: Int, in context: PayloadContext, memory: inout PayloadMemory,
        into decoded: inout DecodedPayload
    ) -> Int {
        var (first, end) = (start, bytes.byteCount)
        if context.speaks("wamp.2.msgpack.batched") || context.speaks("wamp.2.cbor.batched") {
            guard bytes.byteCount - start >= 4, case let length = Int(bytes.bigEndianUInt32(at: start)),
                length <= bytes.byteCount - start - 4
            else {
                decoded.stop("the length of a message is more than came", at: start)
                return start
            }
            (first, end) = (start + 4, start + 4 + length)
        }
        let (parts, position): ([DecodedPayload.Value.Member]?, Int)
        switch packing {
        case .messagePack:
            var reader = MessagePackReader(bytes.extracting(0..<end), at: first)
            (parts, position) = (elements(of: &reader), reader.position)
        case .cbor:
            var reader = CBORReader(bytes.extracting(0..<end), at: first)
            (parts, position) = (elements(of: &reader), reader.position)
        }
        guard let parts else {
            decoded.stop(
                packing == .cbor ? "it is not a whole array of CBOR" : "it is not a whole array of MessagePack", at: position)
            return start
        }
        guard case .number(let code)? = parts.first?.value, let (type, keys) = row(code) else {
            decoded.stop("its first element is not the number of a message", at: first)
            return start
        }
        decoded.add([.init(Array("type".utf8), .word(type.description), in: parts.first?.range)])
        decoded.say(type)
        var values: [(key: StaticString, value: DecodedPayload.Value)] = []
        func value(_ key: StaticString) -> DecodedPayload.Value? { values.first { $0.key.bytes.isEqual(key.bytes) }?.value }
        for (key, part) in zip(keys, parts.dropFirst()) {
            values.append((key, part.value))
            if code == 5, key.bytes.isWord("signature") { continue }
            decoded.add([.init(key.bytes.copy, part.value, in: part.range)])
        }
        for key in ["realm", "procedure", "topic", "reason", "subscription"] as [StaticString] {
            guard let value = value(key) else { continue }
            decoded.say(" ", value.asName)
            break
        }
        for key in ["args", "kwargs"] as [StaticString] {
            guard let value = value(key) else { continue }
            decoded.say("  ")
            decoded.say(value: value)
        }
        if let request = value("request") {
            let name = value("procedure") ?? value("topic")
            match(code, request.asName, key: request.asName, name: name?.asName ?? [], in: context, memory: &memory, into: &decoded)
        }
        return end
    }

    /// The elements of the one array that there is; nil where there is another value, or more.
    private static func elements<Reader: ValueReader & ~Copyable & ~Escapable>(of reader: inout Reader) -> [DecodedPayload.Value.Member]? {
        guard case .items(let parts)? = reader.value(), reader.problem == nil, reader.isAtEnd else { return nil }
        return parts
    }

    /// Notes a call, or matches an answer with it.
    private static func match(
        _ code: UInt64, _ request: [UInt8], key number: [UInt8], name: [UInt8], in context: PayloadContext, memory: inout PayloadMemory,
        into decoded: inout DecodedPayload
    ) {
        let key = Array("wamp".utf8) + number
        if asking.contains(code) {
            // That of PUBLISH is wanted by an option alone.
            let label =
                code == 16
                ? [] : (row(code)?.type.bytes.copy ?? []) + (name.isEmpty ? [] : [0x20]) + name + " (request ".utf8 + request + [0x29]
            memory.calls.note(key, name: name, owed: label, in: context)
        } else if answering.contains(code) {
            decoded.addAnswer(to: key, in: context, memory: &memory)
        }
    }
}
