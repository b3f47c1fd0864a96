import Dissection

/// MQTT 3.1.1 and 5 (OASIS): one control packet, or several, of a WebSocket message with the subprotocol `mqtt`.
enum MQTT: PayloadFormat {
    static var name: StaticString { "mqtt" }

    private static let types: [StaticString] = [
        "reserved", "CONNECT", "CONNACK", "PUBLISH", "PUBACK", "PUBREC", "PUBREL", "PUBCOMP", "SUBSCRIBE", "SUBACK", "UNSUBSCRIBE",
        "UNSUBACK",
        "PINGREQ", "PINGRESP", "DISCONNECT", "AUTH",
    ]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard !context.isText else { return .no }
        return context.speaks("mqtt") || context.speaks("mqttv3.1") ? .agreed : .no
    }

    private static let mostPackets = 256

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var packets: [[DecodedPayload.Value.Member]] = []
        var start = 0
        while start < bytes.byteCount {
            guard packets.count < mostPackets else {
                add(packets, to: &decoded)
                return decoded.stop("it has more than 256 packets", at: start)
            }
            var reader = MQTTReader(bytes, at: start)
            guard let length = reader.variableInteger(after: 1) else {
                add(packets, to: &decoded)
                return decoded.stop("the length of a packet is not whole or too long", at: start)
            }
            guard reader.position + length <= bytes.byteCount else {
                add(packets, to: &decoded)
                return decoded.stop("a packet goes on in the next message, or its length is wrong", at: start)
            }
            reader.end = reader.position + length
            if !packets.isEmpty { decoded.say("; ") }
            packets.append(packet(&reader, first: bytes[start], in: context, memory: &memory, into: &decoded))
            if reader.isShort {
                add(packets, to: &decoded)
                return decoded.stop("a packet ends in the middle of a field", at: start)
            }
            start = reader.end
        }
        add(packets, to: &decoded)
    }

    private static func add(_ packets: [[DecodedPayload.Value.Member]], to decoded: inout DecodedPayload) {
        if packets.count == 1 { return decoded.add(packets[0]) }
        if !packets.isEmpty { decoded.add("packets", .list(packets.map { .object($0) })) }
    }

    private static func packet(
        _ reader: inout MQTTReader, first: UInt8, in context: PayloadContext, memory: inout PayloadMemory,
        into decoded: inout DecodedPayload
    ) -> [DecodedPayload.Value.Member] {
        let type = Int(first >> 4)
        var told: [DecodedPayload.Value.Member] = []
        func add(_ key: String, _ value: DecodedPayload.Value) { told.append(.init(Array(key.utf8), value)) }
        add("type", .word(types[type].description))
        decoded.say(types[type])
        /// The number that a packet and its answer share; the wait ends with the last of them.
        func number(asks: Bool, answers: Bool) {
            guard let id = reader.uint16() else { return }
            add("packetId", .number(UInt64(id)))
            let key = [UInt8(ascii: asks || answers ? "p" : "-"), UInt8(truncatingIfNeeded: id >> 8), UInt8(truncatingIfNeeded: id)]
            if asks { memory.calls.note(key, in: context) }
            if answers, let (latency, _) = memory.calls.answer(key, in: context) {
                add("latency", .duration(latency))
                decoded.say(" after ")
                decoded.say(span: latency)
            }
        }
        switch type {
        case 1:
            guard let name = reader.text(), let level = reader.byte(), let flags = reader.byte(), let keepAlive = reader.uint16() else {
                break
            }
            add("protocol", .text(name))
            add("version", .word(level == 5 ? "5" : level == 4 ? "3.1.1" : level == 3 ? "3.1" : "\(level)"))
            add("keepAlive", .number(UInt64(keepAlive)))
            add("cleanStart", .flag(flags & 2 != 0))
            if level == 5 { reader.skipProperties() }
            if let id = reader.text() {
                add("clientId", .text(id))
                decoded.say(" ")
                decoded.say(id)
            }
            decoded.say(", keep alive \(keepAlive) s".utf8)
        case 2:
            guard let flags = reader.byte(), let reason = reader.byte() else { break }
            add("sessionPresent", .flag(flags & 1 != 0))
            add("reason", .number(UInt64(reason)))
            decoded.say(reason == 0 ? " accepted" : " refused, reason ")
            if reason != 0 { decoded.say("\(reason)".utf8) }
        case 3:
            let quality = first >> 1 & 3
            guard let topic = reader.text() else { break }
            add("topic", .text(topic))
            add("qos", .number(UInt64(quality)))
            add("retain", .flag(first & 1 != 0))
            if first & 8 != 0 { add("dup", .flag(true)) }
            decoded.say(" ")
            decoded.say(topic)
            if quality > 0 { number(asks: true, answers: false) }
            // Which version it is says the CONNECT alone: in 5 properties stand before the payload, with their length first.
            let payload = reader.rest
            add("payload", payload.asValue)
            decoded.say("  ")
            decoded.say(payload.prefix(512).copy)
        case 4, 7: number(asks: false, answers: true)
        case 5, 6: number(asks: false, answers: false)
        case 8, 10: number(asks: true, answers: false)
        case 9, 11: number(asks: false, answers: true)
        case 12: decoded.heartbeat = .beat
        case 13: decoded.heartbeat = .answer
        case 14, 15:
            if let reason = reader.byte() {
                add("reason", .number(UInt64(reason)))
                decoded.say(", reason \(reason)".utf8)
            }
        case _: break
        }
        return told
    }
}

/// Reads the parts of one packet.
private struct MQTTReader: ~Escapable {
    private let bytes: RawSpan
    private(set) var position: Int
    var end: Int
    /// A field was wanted that is not there whole.
    private(set) var isShort = false

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, at position: Int) {
        self.bytes = bytes
        self.position = position
        end = bytes.byteCount
    }

    mutating func byte() -> UInt8? {
        guard position < end else { return nil }
        position += 1
        return bytes[position - 1]
    }

    mutating func uint16() -> UInt16? {
        guard end - position >= 2 else {
            isShort = true
            return nil
        }
        position += 2
        return bytes.bigEndianUInt16(at: position - 2)
    }

    /// UTF-8 or bytes with two bytes of length before them.
    mutating func text() -> [UInt8]? {
        guard let count = uint16() else { return nil }
        guard Int(count) <= end - position else {
            isShort = true
            return nil
        }
        position += Int(count)
        return bytes.extracting(position - Int(count)..<position).copy
    }

    /// A length of seven bits a byte, lowest first, at most four bytes.
    mutating func variableInteger(after skipped: Int = 0) -> Int? {
        position += skipped
        var value = 0
        for place in 0..<4 {
            guard let byte = byte() else { return nil }
            value |= Int(byte & 0x7f) << (7 * place)
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    mutating func skipProperties() {
        guard let count = variableInteger() else { return }
        position = min(end, position + count)
    }

    var rest: RawSpan {
        @_lifetime(copy self)
        get { bytes.extracting(min(position, end)..<end) }
    }
}

extension RawSpan {
    /// As a value: text where it is UTF-8, otherwise how many bytes.
    var asValue: DecodedPayload.Value {
        let copy = copy
        return String(validating: copy, as: UTF8.self) == nil ? .binary(UInt64(byteCount)) : .text(copy)
    }
}
