/// Where a packet of MQTT that a side sends may begin. Three that are well-formed are enough.
struct MQTTPlaces: PlaceRule {
    private let side: Side
    var needed: Int { 3 }
    var most: UInt64 { 64 << 10 }

    init(_ side: Side) { self.side = side }

    func judge(_ bytes: RawSpan) -> PlaceVerdict { MQTTPlace(bytes).judge(side, most: most) }
}

/// A place at which a packet of MQTT may begin (MQTT 5, sections 2.1 and 3).
private struct MQTTPlace: ~Escapable {
    private let bytes: RawSpan
    private static let connectName: [UInt8] = [0, 4, 0x4D, 0x51, 0x54, 0x54]

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    func judge(_ side: Side, most: UInt64) -> PlaceVerdict {
        guard bytes.byteCount > 0 else { return .undecided }
        let type = bytes[0] >> 4
        let flags = bytes[0] & 0x0F
        guard Self.sends(side, type), MQTTGrammar.flagsFit(bytes[0]) else { return .no }
        guard let (length, header) = MQTTGrammar.length(in: bytes) else { return bytes.byteCount < 5 ? .undecided : .no }
        // As few bytes as it needs (section 1.5.5).
        guard length <= most, header == 2 || bytes[header - 1] != 0 else { return .no }
        let verdict = judgeBody(type, flags, from: header, length: Int(length))
        return verdict == .ends(0) ? .ends(header + Int(length)) : verdict
    }

    /// Which types of packets a side sends.
    private static func sends(_ side: Side, _ type: UInt8) -> Bool {
        switch type {
        case 3...7, 14, 15: true
        case 1, 8, 10, 12: side == .client
        case 2, 9, 11, 13: side == .server
        case _: false
        }
    }

    /// Whether what follows the header may be of this type: `.ends(0)` for yes.
    private func judgeBody(_ type: UInt8, _ flags: UInt8, from start: Int, length: Int) -> PlaceVerdict {
        let body = bytes.suffix(from: min(start, bytes.byteCount))
        switch type {
        case 1:
            guard length >= 10 else { return .no }
            if body.byteCount < min(6, length) { return .undecided }
            for index in 0..<6 where body[index] != Self.connectName[index] { return .no }
            return .ends(0)
        case 3:
            let qos = flags >> 1 & 3
            guard qos < 3, flags & 8 == 0 || qos > 0 else { return .no }
            return validateTopic(body, at: 0, behind: qos > 0 ? 2 : 0, length: length)
        case 4...7: return judgeReason(body, at: 2, length: length)
        case 2:
            guard length >= 2 else { return .no }
            if body.byteCount < min(3, length) { return .undecided }
            return body[0] <= 1 && (length == 2 || Int(body[2]) == length - 3 || body[2] >= 0x80) ? .ends(0) : .no
        case 8, 10:
            if body.byteCount < min(14, length) { return .undecided }
            let isPlain = validateTopic(body, at: 2, behind: type == 8 ? 1 : 0, length: length)
            guard isPlain == .no, length > 3, body.byteCount > 2, body[2] == 0 else { return isPlain }
            return validateTopic(body, at: 3, behind: type == 8 ? 1 : 0, length: length)
        case 9, 11:
            if type == 11, length == 2 { return .ends(0) }
            guard (3...64).contains(length) else { return .no }
            if body.byteCount < min(3, length) { return .undecided }
            return body[2] <= 2 || body[2] == 0x80 ? .ends(0) : .no
        case 12, 13: return length == 0 ? .ends(0) : .no
        case _: return length < 2 ? .ends(0) : judgeReason(body, at: 0, length: length)
        }
    }

    /// Nothing, a reason code, or a reason code and properties (section 3.4.2) from `start` on.
    private func judgeReason(_ body: RawSpan, at start: Int, length: Int) -> PlaceVerdict {
        if length == start || length == start + 1 { return .ends(0) }
        guard length > start + 1, length < start + 130 else { return .no }
        guard body.byteCount > start + 1 else { return .undecided }
        return Int(body[start + 1]) == length - start - 2 ? .ends(0) : .no
    }

    /// A topic with its length, and so many bytes behind it at least. Its first bytes are held against what no topic has.
    private func validateTopic(_ body: RawSpan, at start: Int, behind: Int, length: Int) -> PlaceVerdict {
        guard length >= start + 3 + behind else { return .no }
        guard body.byteCount >= start + 2 else { return .undecided }
        let topic = Int(body[start]) << 8 | Int(body[start + 1])
        guard topic > 0, start + 2 + topic + behind <= length else { return .no }
        let looked = min(topic, 8)
        for index in start + 2..<min(start + 2 + looked, body.byteCount) where body[index] < 0x20 || body[index] == 0x7F { return .no }
        return body.byteCount >= start + 2 + looked ? .ends(0) : .undecided
    }
}
