import Dissection

/// The JSON form of the Open Charge Point Protocol (OCPP-J 1.6 and 2.0.1, part 4; subprotocols `ocpp1.6`, `ocpp2.0.1` and the like): calls of both
/// sides with their results, matched by their ids.
///
/// ```
/// [2, "19", "BootNotification", {…}]     a call
/// [3, "19", {…}]                         its result
/// [4, "19", "NotSupported", "…", {…}]    or its error
/// ```
enum OCPP: PayloadFormat {
    static var name: StaticString { "ocpp" }
    static var keys: [StaticString] { ["type", "id", "action", "errorCode", "errorDescription", "latency"] }

    static let occasions: PayloadOccasions = [.agreedText]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard context.carrier == .message, context.isText else { return .no }
        let versions: [StaticString] = ["ocpp1.6", "ocpp2.0.1", "ocpp2.1", "ocpp2.0", "ocpp1.5", "ocpp1.2"]
        return versions.contains { context.speaks($0) } ? .agreed : .no
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        guard let parts = JSONParts(bytes, from: 0, isArray: true) else {
            return decoded.stop(JSONParts.problem(bytes, from: 0, isArray: true), at: 0)
        }
        guard parts.isAll(of: bytes) else { return decoded.stop("something follows its JSON", at: parts.end) }
        let values = parts.parts.map(\.value)
        guard values.count > 2, let code = bytes.extracting(values[0]).decimal else {
            return decoded.stop("it is not an array of a number, an id and more", at: 0)
        }
        switch code {
        case 2 where values.count > 3, 6 where values.count > 3: call(code, bytes, values, in: context, memory: &memory, into: &decoded)
        case 3: reply("result", bytes, values, in: context, memory: &memory, into: &decoded)
        case 4, 5: reply("error", bytes, values, in: context, memory: &memory, into: &decoded)
        case _: decoded.stop("its first element is not the number of a message", at: values[0].lowerBound)
        }
    }

    /// A call (2), or what has no result (6, from 2.1 on).
    private static func call(
        _ code: UInt64, _ bytes: RawSpan, _ values: [Range<Int>], in context: PayloadContext, memory: inout PayloadMemory,
        into decoded: inout DecodedPayload
    ) {
        decoded.add("type", .word(code == 2 ? "call" : "send"), at: values[0])
        decoded.add("id", json: values[1], of: bytes)
        decoded.add("action", json: values[2], of: bytes)
        let action = text(bytes, values[2])
        decoded.say(code == 2 ? "call " : "send ", action)
        decoded.say("  ", bytes.extracting(values[3]))
        guard code == 2 else { return }
        let label = action.copy + " (id ".utf8 + text(bytes, values[1]).copy + [0x29]
        memory.calls.note(bytes.extracting(values[1]).jsonKey, name: action.copy, owed: label, in: context)
    }

    private static func reply(
        _ type: StaticString, _ bytes: RawSpan, _ values: [Range<Int>], in context: PayloadContext, memory: inout PayloadMemory,
        into decoded: inout DecodedPayload
    ) {
        let isError = type.bytes.isWord("error")
        decoded.add("type", .word(type.description), at: values[0])
        decoded.add("id", json: values[1], of: bytes)
        decoded.say(type)
        if isError {
            decoded.add("errorCode", json: values[2], of: bytes)
            decoded.say(" ", text(bytes, values[2]))
            if values.count > 3 {
                decoded.add("errorDescription", json: values[3], of: bytes)
                let words = text(bytes, values[3])
                if words.byteCount > 0 { decoded.say(": ", words) }
            }
        }
        decoded.addAnswer(to: bytes.extracting(values[1]).jsonKey, in: context, memory: &memory)
        if !isError { decoded.say("  ", bytes.extracting(values[2])) }
    }

    /// A string without its quotation marks.
    @_lifetime(copy bytes)
    private static func text(_ bytes: RawSpan, _ range: Range<Int>) -> RawSpan {
        let isString = range.count > 1 && bytes[range.lowerBound] == UInt8(ascii: "\"")
        return bytes.extracting(isString ? range.lowerBound + 1..<range.upperBound - 1 : range)
    }
}
