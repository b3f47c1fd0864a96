import Dissection
import Reports

/// What payloads say in a format: `socketio.event`.
struct FormatField: Sendable {
    /// The format's name, as `as` has it.
    let format: [UInt8]
    /// The key, and those inside of it; none for whether a payload is of the format.
    let keys: [[UInt8]]
    /// Where to look in JSON that the value is.
    let path: JSONPath?

    /// Keys under which several payloads stand that came as one.
    static let lists = ["packets", "messages", "frames", "events"].map { Array($0.utf8) }
    /// Values inside of each other that are gone into.
    private static let mostLevels = 16

    func visit(_ decoded: DecodedPayload, _ take: Take) -> Bool {
        let isIt = decoded.format.bytes.isEqual(format.rawBytes)
        if isIt {
            guard let first = keys.first else { return take(.text(decoded.format.bytes)) }
            for entry in decoded.entries where entry.key == first { if visit(entry.value, keys.dropFirst(), take) { return true } }
        }
        // Several of one payload, each with a format of its own or with that of the payload.
        for entry in decoded.entries where Self.lists.contains(entry.key) {
            if visit(list: entry.value, isIt: isIt, take) { return true }
        }
        return false
    }

    private func visit(list: DecodedPayload.Value, isIt: Bool, _ take: Take) -> Bool {
        switch list {
        case .list(let values):
            for value in values { if visit(element: value, isIt: isIt, take) { return true } }
        case .items(let members):
            for member in members { if visit(element: member.value, isIt: isIt, take) { return true } }
        case _: break
        }
        return false
    }

    private func visit(element: DecodedPayload.Value, isIt: Bool, _ take: Take) -> Bool {
        guard case .object(let members) = element else { return false }
        var isIt = isIt
        for member in members where member.name == Self.asKey {
            if case .word(let name) = member.value { isIt = Array(name.utf8) == format }
        }
        guard isIt else { return false }
        guard let first = keys.first else { return take(.text(format.rawBytes)) }
        for member in members where member.name == first { if visit(member.value, keys.dropFirst(), take) { return true } }
        return false
    }

    private static let asKey = Array("as".utf8)

    /// A value, or what it has under further keys.
    private func visit(_ value: DecodedPayload.Value, _ rest: ArraySlice<[UInt8]>, level: Int = 0, _ take: Take) -> Bool {
        guard level < Self.mostLevels else { return false }
        if let key = rest.first {
            switch value {
            case .object(let members):
                for member in members where member.name == key {
                    if visit(member.value, rest.dropFirst(), level: level + 1, take) { return true }
                }
                return false
            case .list(let values):
                for value in values { if visit(value, rest, level: level + 1, take) { return true } }
                return false
            case .items(let members):
                for member in members { if visit(member.value, rest, level: level + 1, take) { return true } }
                return false
            case .fields(let fields):
                for field in fields where field.name == key { if hand(field.value.rawBytes, take) { return true } }
                return false
            case .json(let bytes): return JSONPath(keys: rest).visit(bytes.rawBytes, isAny: true, take)
            case _: return false
            }
        }
        switch value {
        case .text(let bytes): return hand(bytes.rawBytes, take)
        case .word(let word): return hand(made: Array(word.utf8), take)
        case .number(let number), .binary(let number): return take(.number(number))
        case .signed(let number): return take(.signed(number))
        case .real(let number): return take(.real(number))
        case .flag(let flag): return take(.flag(flag))
        case .nothing: return take(.nothing)
        case .duration(let nanoseconds): return take(.seconds(nanoseconds))
        case .json(let bytes): return (path ?? JSONPath(keys: [])).visit(bytes.rawBytes, isAny: true, take)
        case .list(let values):
            for value in values { if visit(value, [], level: level + 1, take) { return true } }
            return false
        case .items(let members), .object(let members):
            for member in members { if visit(member.value, [], level: level + 1, take) { return true } }
            return false
        case .fields(let fields):
            for field in fields { if hand(made: field.name + Array(": ".utf8) + field.value, take) { return true } }
            return false
        }
    }
}
