import Dissection

/// The bodies of the polling phase of Engine.IO, with one packet or several.
///
/// ```
/// 42["a"]␞2␞bAQID          version 4: 0x1e between packets, base64 after b
/// 7:42["a"]1:210:b4AQIDBA==  version 3: the length before each, in UTF-16 code units
/// 00 07 ff 42["a"]           version 3 with binary: 0 text or 1 binary, digits of the length, ff
/// ```
enum EngineIOPolling {
    private static let mostPackets = 256

    /// Whether a body looks like packets, not like the `ok` or the error page that a server answers as well.
    static func isOne(_ bytes: RawSpan, version: Int?) -> Bool {
        guard let version, bytes.byteCount > 0 else { return false }
        var start = 0
        if version == 3 {
            if bytes[0] <= 1 { return binaryLength(bytes, at: 0) != nil }
            guard let colon = bytes.prefix(20).position(of: UInt8(ascii: ":")), bytes.extracting(0..<colon).decimal != nil else {
                return false
            }
            start = colon + 1
        }
        guard start < bytes.byteCount else { return false }
        if bytes[start] == UInt8(ascii: "b") { return version == 3 || Base64.decodedCount(first(of: bytes)) != nil }
        guard (0x30...0x36).contains(bytes[start]) else { return false }
        // The first packet has to look like one: "404 Not Found" does not.
        let next = start + 1 < bytes.byteCount ? bytes[start + 1] : 0x1e
        switch bytes[start] {
        case UInt8(ascii: "0"): return next == UInt8(ascii: "{")
        case UInt8(ascii: "4"):
            guard next == UInt8(ascii: "0"), version == 4, start + 2 < bytes.byteCount else { return true }
            return [UInt8(ascii: "{"), UInt8(ascii: "/"), UInt8(ascii: ","), 0x1e].contains(bytes[start + 2])
        case UInt8(ascii: "2"), UInt8(ascii: "3"): return version == 3 || next == 0x1e || next == UInt8(ascii: "p")
        case _: return version == 3 || next == 0x1e
        }
    }

    @_lifetime(copy bytes)
    private static func first(of bytes: RawSpan) -> RawSpan { bytes.extracting(1..<(bytes.position(of: 0x1e) ?? bytes.byteCount)) }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var packets: [DecodedPayload] = []
        var items: [DecodedPayload.Value.Member] = []
        memory[EngineIOSession.self].awaited[context.from == .client ? 0 : 1]?.place = nil
        var position = 0
        var problem: SocketIOPacket.Problem?
        while position < bytes.byteCount {
            guard packets.count < mostPackets else {
                problem = ("it has more than 256 packets", position)
                break
            }
            guard let (range, isBinary) = next(bytes, &position, version: EngineIO.version(of: context) ?? 4) else {
                problem = ("the length of a packet is not valid, or is more than came", position)
                break
            }
            var packet = DecodedPayload(format: SocketIO.name, base: range.lowerBound)
            read(bytes.extracting(range), isBinary: isBinary, in: context, memory: &memory, into: &packet)
            packets.append(packet)
            // An event is told with the last of its attachments.
            items.append(.init([], packet.asValue, at: min(packet.base, range.lowerBound)..<range.upperBound))
            if packet.hasStopped { break }
        }
        if packets.count == 1, problem == nil {
            decoded = packets[0]
            decoded.base = 0
            return EngineIO.addSession(in: context, memory: memory, to: &decoded)
        }
        decoded.rename(EngineIO.self)
        decoded.add("packets", .items(items), at: items.place)
        for (index, packet) in packets.enumerated() {
            if index > 0 { decoded.say("; ") }
            if packet.format.bytes.isEqual(SocketIO.name.bytes) { decoded.say("socket.io ") }
            decoded.say(packet.summary)
        }
        EngineIO.addSession(in: context, memory: memory, to: &decoded)
        if let problem { return decoded.stop(problem.reason, at: problem.at) }
        if let last = packets.last, last.hasStopped { decoded.stop(like: last) }
    }

    private static func read(
        _ bytes: RawSpan, isBinary: Bool, in context: PayloadContext, memory: inout PayloadMemory, into packet: inout DecodedPayload
    ) {
        let isThree = EngineIO.version(of: context) == 3
        if isBinary {
            // Its type is the byte 4.
            let length = UInt64(bytes.byteCount > 0 && bytes[0] == 4 ? bytes.byteCount - 1 : bytes.byteCount)
            return EngineIO.attachment(of: length, in: context, memory: &memory, into: &packet)
        }
        guard bytes.byteCount > 0, bytes[0] == UInt8(ascii: "b") else {
            return EngineIO.packet(bytes, in: context, memory: &memory, into: &packet)
        }
        let start = isThree ? min(2, bytes.byteCount) : 1
        guard let length = Base64.decodedCount(bytes.extracting(start..<bytes.byteCount)) else {
            packet.rename(EngineIO.self)
            return packet.stop("its base64 is not valid", at: start)
        }
        EngineIO.attachment(of: UInt64(length), in: context, memory: &memory, into: &packet)
    }

    /// The next packet; nil where its length is not one.
    private static func next(_ bytes: RawSpan, _ position: inout Int, version: Int) -> (range: Range<Int>, isBinary: Bool)? {
        let start = position
        if version == 4 {
            let end = bytes.position(of: 0x1e, from: start) ?? bytes.byteCount
            position = end + 1
            return (start..<end, false)
        }
        if bytes[start] <= 1 {
            guard let (length, first) = binaryLength(bytes, at: start), length <= bytes.byteCount - first else { return nil }
            position = first + length
            return (first..<position, bytes[start] == 1)
        }
        var colon = start
        while colon < bytes.byteCount, colon - start < 16, bytes[colon].isDigit { colon += 1 }
        guard colon < bytes.byteCount, bytes[colon] == UInt8(ascii: ":"), let length = bytes.extracting(start..<colon).decimal,
            length <= UInt64(bytes.byteCount), let end = end(bytes, from: colon + 1, length: Int(length))
        else { return nil }
        position = end
        return (colon + 1..<end, false)
    }

    /// The length of digits, each a byte of its value, up to ff; and what it is the length of.
    private static func binaryLength(_ bytes: RawSpan, at start: Int) -> (length: Int, first: Int)? {
        var length = 0
        var index = start + 1
        while index < bytes.byteCount, index - start <= 10, bytes[index] <= 9 {
            length = length * 10 + Int(bytes[index])
            index += 1
        }
        guard index > start + 1, index < bytes.byteCount, bytes[index] == 0xff else { return nil }
        return (length, index + 1)
    }

    /// Where text of so many UTF-16 code units ends: as JavaScript counts. Some writers count bytes: so does this where the other does not fit.
    private static func end(_ bytes: RawSpan, from start: Int, length: Int) -> Int? {
        var units = 0
        var index = start
        while index < bytes.byteCount, units < length {
            let byte = bytes[index]
            units += byte >= 0xf0 ? 2 : 1
            index += 1
            while index < bytes.byteCount, bytes[index] & 0xc0 == 0x80 { index += 1 }
        }
        if units == length, index == bytes.byteCount || bytes[index].isDigit { return index }
        guard length <= bytes.byteCount - start else { return nil }
        let end = start + length
        return end == bytes.byteCount || bytes[end].isDigit ? end : nil
    }
}
