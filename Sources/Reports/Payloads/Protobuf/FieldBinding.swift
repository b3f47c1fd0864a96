/// That the bytes in a field are a message of a type: always, or where another field of the message has a value.
struct FieldBinding: Sendable {
    /// The index of the message type that has the field, and the number of the field.
    var owner: Int
    var field: UInt32
    /// The name of another field of the message, and its value in words; nil for always.
    var condition: (name: [UInt8], value: [UInt8])?
    /// What it has where it is not there.
    var missing: DecodedPayload.Value = .nothing
    /// The index of the message type of the bytes.
    var content: Int

    /// Whether the fields of a message say that it holds.
    func holds(_ value: (_ name: [UInt8]) -> DecodedPayload.Value?) -> Bool {
        guard let condition else { return true }
        switch value(condition.name) ?? missing {
        case .text(let text): return text == condition.value
        case .number(let number): return Array(String(number).utf8) == condition.value
        case .signed(let number): return Array(String(number).utf8) == condition.value
        case .flag(let flag): return Array(flag ? "true".utf8 : "false".utf8) == condition.value
        case _: return false
        }
    }
}

extension ProtobufSchema {
    /// What a rule with `field=` and `where=` says, in words of this schema.
    ///
    /// - Parameters:
    ///   - field: such as `chat.Envelope.payload`.
    ///   - condition: such as `type:LOGIN`; nil for always.
    ///   - content: the message type of the bytes.
    func binding(field: String, where condition: String?, to content: String) throws(ProtobufBindingError) -> FieldBinding {
        guard let dot = field.lastIndex(of: "."), let owner = message(named: String(field[..<dot])) else {
            throw ProtobufBindingError(
                reason: "field= takes MESSAGE.FIELD of --proto, such as chat.Envelope.payload; message type not found")
        }
        func find(_ name: some StringProtocol) -> (number: UInt32, field: Field)? {
            messages[owner].fields.first { $0.value.name.elementsEqual(name.utf8) }.map { ($0.key, $0.value) }
        }
        guard let (number, found) = find(field[field.index(after: dot)...]), found.kind == .bytes, !found.isRepeated else {
            throw ProtobufBindingError(reason: "\(messages[owner].name) has no field of bytes \(field[field.index(after: dot)...])")
        }
        guard let type = message(named: content) else {
            throw ProtobufBindingError(reason: "--proto has no message type \(content)")
        }
        var binding = FieldBinding(owner: owner, field: number, content: type)
        guard let condition else { return binding }
        let parts = condition.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let (_, other) = find(parts[0]), !other.isRepeated else {
            throw ProtobufBindingError(reason: "where= takes FIELD:VALUE of a field of \(messages[owner].name)")
        }
        var value = Array(parts[1].utf8)
        switch other.kind {
        case .enumeration(let index):
            // By number or by name; it is told by name.
            let names = enumerations[index].names
            if let number = Int32(parts[1]), let name = names[number] { value = name }
            guard names.values.contains(value) || Int32(parts[1]) != nil else {
                throw ProtobufBindingError(reason: "\(parts[0]) has no value \(parts[1])")
            }
            binding.missing = names[0].map { .text($0) } ?? .number(0)
        case .message, .group, .bytes, .double, .float:
            throw ProtobufBindingError(reason: "\(parts[0]) is not a number, text, enumeration or bool")
        case .string: binding.missing = .text([])
        case .bool: binding.missing = .flag(false)
        case _: binding.missing = .number(0)
        }
        binding.condition = (Array(parts[0].utf8), value)
        return binding
    }
}

/// Why a binding cannot be.
struct ProtobufBindingError: Error {
    let reason: String
}
