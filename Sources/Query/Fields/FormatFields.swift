import Dissection
import Reports

/// What payloads say in a format: `socketio.event`, `socketio.args["[0].text"]`.
struct FormatField: Sendable {
    /// The format's name, as `as` has it.
    let format: [UInt8]
    /// The key, and the way to a value inside of it; nothing for whether a payload is of the format.
    let steps: [JSONPath.Step]

    /// Keys under which several payloads stand that came as one.
    private static let lists = ["packets", "messages", "frames", "events"].map { Array($0.utf8) }
    private static let asKey = Array("as".utf8)

    func visit(_ decoded: DecodedPayload, _ take: ValueVisitor) -> Bool {
        let isIt = decoded.format.bytes.isEqual(format.rawBytes)
        if isIt {
            guard let first = steps.first else { return take(.text(decoded.format.bytes)) }
            for entry in decoded.entries where first.isKey(entry.key) { if visit(entry.value, steps.dropFirst(), 0, take) { return true } }
        }
        // Several of one payload, each with a format of its own or with that of the payload.
        for entry in decoded.entries where Self.lists.contains(entry.key) {
            guard case .items(let members) = entry.value else { continue }
            for member in members { if visit(element: member.value, isIt: isIt, take) { return true } }
        }
        return false
    }

    private func visit(element: DecodedPayload.Value, isIt: Bool, _ take: ValueVisitor) -> Bool {
        guard case .object(let members) = element else { return false }
        var isIt = isIt
        for member in members where member.name == Self.asKey {
            if case .word(let name) = member.value { isIt = Array(name.utf8) == format }
        }
        guard isIt else { return false }
        guard let first = steps.first else { return take(.text(format.rawBytes)) }
        for member in members where first.isKey(member.name) { if visit(member.value, steps.dropFirst(), 0, take) { return true } }
        return false
    }

    /// A value, or what stands in it along the rest of the way.
    private func visit(_ value: DecodedPayload.Value, _ rest: ArraySlice<JSONPath.Step>, _ level: Int, _ take: ValueVisitor) -> Bool {
        guard level < JSONCursor.mostLevels else { return false }
        guard let step = rest.first else { return hand(value, level, take) }
        switch value {
        case .object(let members):
            for member in members where step.isKey(member.name) {
                if visit(member.value, rest.dropFirst(), level + 1, take) { return true }
            }
        case .items(let members):
            for (place, member) in members.enumerated() {
                if visit(element: member.value, at: place, step, rest, level, take) { return true }
            }
        case .fields(let fields):
            for field in fields where step.isKey(field.name) { if Query.hand(field.value.rawBytes, take) { return true } }
        case .json(let bytes): return JSONPath(steps: Array(rest)).visit(bytes.rawBytes, isAny: true, take)
        case .text, .word, .number, .signed, .real, .flag, .nothing, .duration, .binary: break
        }
        return false
    }

    /// An element of a list, where the way goes to it; a key is looked for in each.
    private func visit(
        element: DecodedPayload.Value, at place: Int, _ step: JSONPath.Step, _ rest: ArraySlice<JSONPath.Step>, _ level: Int,
        _ take: ValueVisitor
    ) -> Bool {
        if case .key = step { return visit(element, rest, level + 1, take) }
        return step.isPlace(place) ? visit(element, rest.dropFirst(), level + 1, take) : false
    }

    /// A value as it is; of a list each of its elements.
    private func hand(_ value: DecodedPayload.Value, _ level: Int, _ take: ValueVisitor) -> Bool {
        switch value {
        case .text(let bytes): return Query.hand(bytes.rawBytes, take)
        case .word(let word): return Query.hand(made: Array(word.utf8), take)
        case .number(let number), .binary(let number): return take(.number(number))
        case .signed(let number): return take(.signed(number))
        case .real(let number): return take(.real(number))
        case .flag(let flag): return take(.flag(flag))
        case .nothing: return take(.nothing)
        case .duration(let nanoseconds): return take(.seconds(nanoseconds))
        case .json(let bytes): return JSONPath(keys: []).visit(bytes.rawBytes, isAny: true, take)
        case .items(let members), .object(let members):
            for member in members { if visit(member.value, [], level + 1, take) { return true } }
        case .fields(let fields):
            for field in fields { if Query.hand(made: field.name + Array(": ".utf8) + field.value, take) { return true } }
        }
        return false
    }
}

extension JSONPath.Step {
    fileprivate func isKey(_ name: [UInt8]) -> Bool {
        if case .key(let key) = self { key == name } else { self == .anything }
    }
}
