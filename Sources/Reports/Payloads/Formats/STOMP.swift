import Dissection

/// STOMP 1.0 to 1.2 (stomp.github.io/stomp-specification-1.2.html): a command, header lines, an empty line, a body, and NUL; a line break
/// alone is a heartbeat.
enum STOMP: PayloadFormat {
    static var name: StaticString { "stomp" }

    private static let commands: [StaticString] = [
        "CONNECT", "STOMP", "CONNECTED", "SEND", "SUBSCRIBE", "UNSUBSCRIBE", "ACK", "NACK", "BEGIN", "COMMIT", "ABORT", "DISCONNECT",
        "MESSAGE", "RECEIPT", "ERROR",
    ]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        let isAgreed = ["v10.stomp", "v11.stomp", "v12.stomp", "stomp"].contains { context.speaks($0) }
        if isAgreed { return .agreed }
        guard bytes.byteCount > 4, bytes[bytes.byteCount - 1] == 0 || context.isCut else { return .no }
        return command(bytes) == nil ? .no : .likely
    }

    /// The command that the bytes begin with, up to the end of its line.
    private static func command(_ bytes: RawSpan) -> StaticString? {
        commands.first {
            let count = $0.utf8CodeUnitCount
            return bytes.begins($0) && bytes.byteCount > count && (bytes[count] == 0x0a || bytes[count] == 0x0d)
        }
    }

    private static let mostHeaders = 256

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        if bytes.byteCount <= 2, (0..<bytes.byteCount).allSatisfy({ bytes[$0] == 0x0a || bytes[$0] == 0x0d }) {
            decoded.add("command", .word("heartbeat"), at: 0..<bytes.byteCount)
            decoded.heartbeat = .beat
            decoded.say("heartbeat")
            return
        }
        guard let command = command(bytes) else { return decoded.stop("it does not begin with a command of STOMP", at: 0) }
        decoded.add("command", .word(command.description), at: 0..<command.utf8CodeUnitCount)
        decoded.say(command)
        var position = command.utf8CodeUnitCount
        var headers: [(name: [UInt8], value: [UInt8])] = []
        var length: UInt64?
        _ = line(bytes, &position)
        let start = position
        while true {
            guard let range = line(bytes, &position) else { return decoded.stop("its headers have no end", at: start) }
            if range.isEmpty { break }
            guard let colon = range.first(where: { bytes[$0] == UInt8(ascii: ":") }) else {
                return decoded.stop("a header has no colon", at: range.lowerBound)
            }
            guard headers.count < mostHeaders else { return decoded.stop("it has more than 256 headers", at: range.lowerBound) }
            let name = bytes.extracting(range.lowerBound..<colon).copy
            let value = bytes.extracting(colon + 1..<range.upperBound).copy
            if name == Array("content-length".utf8) { length = UInt64(String(decoding: value, as: UTF8.self)) }
            headers.append((name, value))
        }
        decoded.add("headers", .fields(headers), at: start..<position)
        var end = position
        if let length {
            guard length <= UInt64(bytes.byteCount - position) else {
                return decoded.stop("its content-length is more than came", at: position)
            }
            end = position + Int(length)
        } else {
            while end < bytes.byteCount, bytes[end] != 0 { end += 1 }
        }
        decoded.add("length", .number(UInt64(end - position)), at: position..<end)
        for name in ["destination", "message", "version", "receipt-id"] as [StaticString] {
            guard let header = headers.first(where: { $0.name.rawBytes.isEqual(name.bytes) }) else { continue }
            decoded.say(" ")
            decoded.say(header.value)
            break
        }
        if end > position {
            decoded.say("  ")
            decoded.say(bytes.extracting(position..<end).copy)
        }
        if context.isCut { return }
        guard end < bytes.byteCount, bytes[end] == 0 else { return decoded.stop("its frame does not end with NUL", at: end) }
        // Line breaks may follow a frame.
        if let rest = (end + 1..<bytes.byteCount).first(where: { bytes[$0] != 0x0a && bytes[$0] != 0x0d }) {
            decoded.stop("another frame, or something else, follows", at: rest)
        }
    }

    /// The next line without its end; nil where it has none.
    private static func line(_ bytes: RawSpan, _ position: inout Int) -> Range<Int>? {
        let start = position
        while position < bytes.byteCount {
            if bytes[position] == 0x0a {
                position += 1
                let end = position - 1
                return start..<(end > start && bytes[end - 1] == 0x0d ? end - 1 : end)
            }
            position += 1
        }
        return nil
    }
}
