import Dissection

/// Engine.IO 3 and 4 (socket.io/docs/v4/engine-io-protocol) with Socket.IO 2 to 5 in its messages
/// (socket.io/docs/v4/socket-io-protocol), as they stand in WebSocket messages.
///
/// ```
/// 4 2 /admin, 17 ["upload",{"_placeholder":true,"num":0}]
/// │ │ │       │  └ JSON: the name of the event and its arguments
/// │ │ │       └ the number that an acknowledgement names
/// │ │ └ namespace, / where there is none
/// │ └ Socket.IO: event
/// └ Engine.IO: message
/// ```
enum SocketIO: PayloadFormat {
    static var name: StaticString { "socket.io" }

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        let isEngine = context.targetHas("EIO=")
        guard context.isText else { return isEngine ? .possible : .no }
        guard bytes.byteCount > 0, (0x30...0x36).contains(bytes[0]) else { return .no }
        if isEngine { return .certain }
        // Without the request: the forms that hardly anything else has.
        if bytes.begins("0{\"sid\":") { return .certain }
        guard bytes.byteCount > 2 else { return .no }
        if bytes.begins("42[\"") || bytes.begins("43[") || bytes.begins("40{\"")
            || bytes.begins("42/") && bytes.prefix(256).contains("[\"")
        {
            return .likely
        }
        return .no
    }

    private static let engineTypes: [StaticString] = ["open", "close", "ping", "pong", "message", "upgrade", "noop"]
    private static let types: [StaticString] = [
        "connect", "disconnect", "event", "ack", "connect_error", "binary_event", "binary_ack",
    ]

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        // A binary message is an attachment of the event before it; in Engine.IO 3 with its type before it.
        guard context.isText else {
            decoded.rename("engine.io")
            decoded.add("type", .word("message"))
            decoded.say("attachment")
            return
        }
        let type = Int(bytes[0]) - 0x30
        if type == 4, bytes.byteCount > 1, (0x30...0x36).contains(bytes[1]) {
            return packet(bytes, in: context, memory: &memory, into: &decoded)
        }
        decoded.rename("engine.io")
        decoded.add("type", .word(engineTypes[type].description), at: 0..<1)
        // The probe of an upgrade asks for the way, and for no sign of life.
        if bytes.byteCount == 1 { decoded.heartbeat = type == 2 ? .beat : type == 3 ? .answer : nil }
        decoded.say(engineTypes[type])
        guard bytes.byteCount > 1 else { return }
        guard type == 0 else {
            decoded.add("data", .text(bytes.extracting(1..<bytes.byteCount).copy), at: 1..<bytes.byteCount)
            decoded.say(" ")
            decoded.say(bytes.extracting(1..<min(bytes.byteCount, 64)).copy)
            return
        }
        guard let members = JSONParts(bytes, from: 1) else { return decoded.stop("its JSON is not valid or not whole", at: 1) }
        guard members.isAll(of: bytes) else { return decoded.stop("something follows its JSON", at: members.end) }
        if let sid = members.string("sid", in: bytes) {
            decoded.add("sid", .json([0x22] + sid + [0x22]), at: members.value("sid", in: bytes) ?? 0..<0)
            decoded.say(" ")
            decoded.say(sid)
        }
        for (key, words) in [("pingInterval", ", a ping every "), ("pingTimeout", ", answered within ")] as [(StaticString, StaticString)] {
            guard let raw = members.raw(key, in: bytes), let milliseconds = UInt64(String(decoding: raw, as: UTF8.self)) else { continue }
            decoded.add(key, .number(milliseconds), at: members.value(key, in: bytes) ?? 0..<0)
            decoded.say(words)
            decoded.say("\(milliseconds) ms".utf8)
        }
    }

    private static func packet(
        _ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload
    ) {
        let type = Int(bytes[1]) - 0x30
        // Binary events and acknowledgements are events and acknowledgements with attachments.
        let plainType = type == 5 ? 2 : type == 6 ? 3 : type
        decoded.add("type", .word(types[plainType].description), at: 1..<2)
        var position = 2
        if type >= 5 {
            let start = position
            while position < bytes.byteCount, bytes[position].isDecimalDigit { position += 1 }
            guard position > start, position < bytes.byteCount, bytes[position] == UInt8(ascii: "-"),
                let count = UInt64(String(decoding: bytes.extracting(start..<position).copy, as: UTF8.self))
            else { return decoded.stop("the number of its attachments is missing", at: start) }
            decoded.add("attachments", .number(count), at: start..<position)
            position += 1
        }
        var namespace = Array("/".utf8)
        let namespaceStart = position
        if position < bytes.byteCount, bytes[position] == UInt8(ascii: "/") {
            while position < bytes.byteCount, bytes[position] != UInt8(ascii: ",") { position += 1 }
            namespace = bytes.extracting(namespaceStart..<position).copy
            decoded.add("namespace", .text(namespace), at: namespaceStart..<position)
            if position < bytes.byteCount { position += 1 }
        } else {
            decoded.add("namespace", .text(namespace))
        }
        let idStart = position
        while position < bytes.byteCount, bytes[position].isDecimalDigit { position += 1 }
        let id = bytes.extracting(idStart..<position).copy
        let number = UInt64(String(decoding: id, as: UTF8.self))
        var event: [UInt8] = []
        if position < bytes.byteCount {
            let range = position..<bytes.byteCount
            if plainType == 2 || plainType == 3 {
                guard let elements = JSONParts(bytes, from: position, isArray: true), elements.end == bytes.byteCount else {
                    return decoded.stop("its arguments are not a whole array of JSON", at: position)
                }
                var first = position + 1
                if plainType == 2, let name = elements.parts.first?.value, name.count >= 2, bytes[name.lowerBound] == UInt8(ascii: "\"") {
                    event = bytes.extracting(name.lowerBound + 1..<name.upperBound - 1).copy
                    decoded.add("event", .json(bytes.extracting(name).copy), at: name)
                    first = name.upperBound
                    if elements.parts.count > 1 { first = elements.parts[1].value.lowerBound }
                }
                let rest = elements.parts.dropFirst(plainType == 2 ? 1 : 0)
                let arguments = rest.isEmpty ? [] : bytes.extracting(first..<elements.end - 1).copy
                decoded.add("args", .json([0x5b] + arguments + [0x5d]), at: first..<elements.end)
                say(plainType, event, arguments, into: &decoded)
            } else {
                var cursor = JSONCursor(bytes, at: position)
                guard cursor.value() != nil, cursor.isAtEnd() else { return decoded.stop("its data is not valid JSON", at: position) }
                decoded.add("data", .json(bytes.extracting(range).copy), at: range)
                decoded.say(types[plainType])
                decoded.say(" ")
                decoded.say(bytes.extracting(range).copy)
            }
        } else {
            decoded.say(types[plainType])
        }
        if namespace.count > 1 {
            decoded.say(" in ")
            decoded.say(namespace)
        }
        guard let number else { return }
        decoded.add("id", .number(number), at: idStart..<position)
        if plainType == 2 {
            memory.calls.note(namespace + [0] + id, name: event, in: context)
            decoded.say(", wants acknowledgement \(number)".utf8)
        } else if plainType == 3, let (latency, name) = memory.calls.answer(namespace + [0] + id, in: context) {
            decoded.add("latency", .duration(latency))
            if !name.isEmpty {
                decoded.say(", of ".utf8)
                decoded.say(name)
            }
            decoded.say(", after ")
            decoded.say(span: latency)
        }
    }

    private static func say(_ type: Int, _ event: [UInt8], _ arguments: [UInt8], into decoded: inout DecodedPayload) {
        decoded.say(types[type])
        if !event.isEmpty {
            decoded.say(" ")
            decoded.say(event)
        }
        guard !arguments.isEmpty else { return }
        decoded.say("  ")
        decoded.say(arguments)
    }
}

extension RawSpan {
    /// Whether the bytes begin with these.
    func begins(_ words: StaticString) -> Bool {
        byteCount >= words.utf8CodeUnitCount && extracting(0..<words.utf8CodeUnitCount).isEqual(words.bytes)
    }
}

extension UInt8 {
    var isDecimalDigit: Bool { (0x30...0x39).contains(self) }
}
