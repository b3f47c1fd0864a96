import Dissection

/// Reads a message whose type is known: names of fields and enumerators, maps, packed and unpacked lists. What the type does not know, or
/// has another wire type than it should, is told by its number, as if there were no type.
struct ProtobufTyped: ~Escapable {
    typealias Member = DecodedPayload.Value.Member

    private let bytes: RawSpan
    private let schema: ProtobufSchema
    private let bindings: [FieldBinding]
    private var values = 0
    /// How many fields were looked at to find the types of bytes in others, for tests of what it costs.
    private(set) var looks = 0
    private(set) var problem: PayloadProblem?

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, _ schema: ProtobufSchema, _ bindings: [FieldBinding] = []) {
        self.bytes = bytes
        self.schema = schema
        self.bindings = bindings
    }

    /// A field that is told: lists are put together from all places where they stand.
    private struct Slot {
        var name: [UInt8]
        var isMap: Bool
        var isList: Bool
        var parts: [Member]
        var range: Range<Int>
        /// The number of a field of bytes, and where they are.
        var content: (number: UInt32, range: Range<Int>)?

        var member: Member {
            if isMap { return Member(name, .object(parts), at: range) }
            if isList { return Member(name, .items(parts), at: range) }
            return Member(name, parts.first?.value ?? .nothing, at: range)
        }
    }

    /// The fields of a message, as far as they can be read; after that `problem` says why it ends.
    mutating func message(_ type: Int, in range: Range<Int>) -> [Member] { message(type, in: range, level: 0, group: nil).members }

    private mutating func message(_ type: Int, in range: Range<Int>, level: Int, group: UInt32?) -> (members: [Member], end: Int) {
        var reader = ProtobufReader(bytes, in: range)
        var slots: [Slot] = []
        var lists: [UInt32: Int] = [:]
        let fields = schema.messages[type].fields
        while problem == nil, let wire = reader.next() {
            guard count(at: wire.start) else { break }
            if wire.wire == .groupEnd {
                if wire.number == group { return (members(of: &slots, type, level), reader.position) }
                fail("a group ends that was not begun", at: wire.start)
                break
            }
            guard let field = fields[wire.number], let parts = parts(of: field, wire, &reader, range, level) else {
                if problem == nil { slots.append(unknown(wire, &reader, range, level)) }
                continue
            }
            let isMap = field.isMap(in: schema)
            if field.isRepeated, let index = lists[wire.number] {
                slots[index].parts += parts
                slots[index].range = slots[index].range.lowerBound..<reader.position
                continue
            }
            if field.isRepeated { lists[wire.number] = slots.count }
            slots.append(
                Slot(name: field.name, isMap: isMap, isList: field.isRepeated, parts: parts, range: wire.start..<reader.position))
            if field.kind == .bytes, !field.isRepeated { slots[slots.count - 1].content = (wire.number, wire.content) }
        }
        if problem == nil { problem = reader.problem }
        if problem == nil, group != nil { fail("a group does not end", at: range.upperBound) }
        return (members(of: &slots, type, level), range.upperBound)
    }

    /// The fields of a message, what is known of the bytes in them included.
    private mutating func members(of slots: inout [Slot], _ type: Int, _ level: Int) -> [Member] {
        // The same for each place where a field stands, however many there are.
        var types: [UInt32: Int?] = [:]
        for index in slots.indices {
            guard problem == nil, let content = slots[index].content else { continue }
            let known = types[content.number]
            let found = known ?? self.type(of: content.number, in: slots, type)
            if known == nil { types[content.number] = .some(found) }
            guard let inner = found else { continue }
            guard level < PayloadBounds.levels else {
                fail(PayloadBounds.tooDeep, at: content.range.lowerBound)
                break
            }
            let fields = message(inner, in: content.range, level: level + 1, group: nil).members
            let name = Member(noted: "type", .text(Array(schema.messages[inner].name.utf8)))
            let told = DecodedPayload.Value.object([name, Member("fields", .object(fields), at: content.range)])
            slots[index].parts = [Member([], told, at: slots[index].range)]
        }
        return slots.map(\.member)
    }

    /// The message type of the bytes in a field: as the user said, or as `google.protobuf.Any` says (any.proto); nil where it is not known.
    private mutating func type(of number: UInt32, in slots: [Slot], _ owner: Int) -> Int? {
        for binding in bindings where binding.owner == owner && binding.field == number {
            if binding.condition != nil { looks += slots.count }
            if binding.holds({ name in slots.last { $0.name == name }?.parts.first?.value }) { return binding.content }
        }
        guard number == 2, schema.messages[owner].name == "google.protobuf.Any" else { return nil }
        looks += slots.count
        guard case .text(let url)? = slots.last(where: { $0.name.elementsEqual("type_url".utf8) })?.parts.first?.value else { return nil }
        return schema.message(named: String(decoding: url.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self))
    }

    /// What a field of the type holds here: one value, or several packed ones; nil where it has another wire type.
    private mutating func parts(
        of field: ProtobufSchema.Field, _ wire: ProtobufField, _ reader: inout ProtobufReader, _ range: Range<Int>, _ level: Int
    ) -> [Member]? {
        let place = wire.start..<reader.position
        switch (field.kind, wire.wire) {
        // How a message stands there is up to the sender: editions call both a message (protobuf.dev, "Feature Settings").
        case (.message(let type), .len), (.group(let type), .len):
            guard level < PayloadBounds.levels else {
                fail(PayloadBounds.tooDeep, at: wire.start)
                return nil
            }
            let inner = message(type, in: wire.content, level: level + 1, group: nil).members
            guard schema.messages[type].isMapEntry else { return [Member([], .object(inner), at: place)] }
            let key = inner.last { $0.name.elementsEqual("key".utf8) }?.value ?? schema.messages[type].fields[1]?.missing ?? .nothing
            // What is left out has the place of the whole entry.
            let value =
                inner.last { $0.name.elementsEqual("value".utf8) }
                ?? Member([], schema.messages[type].fields[2]?.missing ?? .nothing, at: place)
            return [Member(key.asName, value.value, in: value.range)]
        case (.group(let type), .group), (.message(let type), .group):
            guard level < PayloadBounds.levels else {
                fail(PayloadBounds.tooDeep, at: wire.start)
                return nil
            }
            let inner = message(type, in: reader.position..<range.upperBound, level: level + 1, group: wire.number)
            reader.go(to: inner.end)
            return [Member([], .object(inner.members), at: wire.start..<reader.position)]
        case (.string, .len): return [Member([], bytes.extracting(wire.content).asValue, at: place)]
        case (.bytes, .len): return [Member([], .binary(UInt64(wire.content.count)), at: place)]
        case (let kind, .len):
            guard let scalar = kind.wire, field.isRepeated else { return nil }
            return packed(kind, scalar, wire.content)
        case (let kind, let found): return kind.wire == found ? [Member([], value(kind, wire.bits), at: place)] : nil
        }
    }

    /// Numbers one after the other.
    private mutating func packed(_ kind: ProtobufSchema.Kind, _ wire: ProtobufWire, _ range: Range<Int>) -> [Member] {
        var reader = ProtobufReader(bytes, in: range)
        var parts: [Member] = []
        var position = range.lowerBound
        while position < range.upperBound, count(at: position) {
            let start = position
            var bits: UInt64 = 0
            if wire == .varint {
                guard let number = reader.varint() else {
                    problem = reader.problem
                    break
                }
                bits = number
                position = reader.position
            } else {
                let size = wire == .i64 ? 8 : 4
                guard range.upperBound - position >= size else {
                    fail("it ends in the middle of a field", at: position)
                    break
                }
                for index in 0..<size { bits |= UInt64(bytes[position + index]) << UInt64(8 * index) }
                position += size
            }
            parts.append(Member([], value(kind, bits), at: start..<position))
        }
        return parts
    }

    private func value(_ kind: ProtobufSchema.Kind, _ bits: UInt64) -> DecodedPayload.Value {
        let low = UInt32(truncatingIfNeeded: bits)
        switch kind {
        case .double: return .real(Double(bitPattern: bits))
        case .float: return .real(widening: Float(bitPattern: low))
        case .int64, .sfixed64: return .signed(Int64(bitPattern: bits))
        case .int32, .sfixed32: return .signed(Int64(Int32(bitPattern: low)))
        case .uint64, .fixed64: return .number(bits)
        case .uint32, .fixed32: return .number(UInt64(low))
        case .sint32: return .signed(Int64(Int32(bitPattern: low >> 1) ^ -Int32(bitPattern: low & 1)))
        case .sint64: return .signed(Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
        case .bool: return .flag(bits != 0)
        case .enumeration(let index):
            let number = Int32(bitPattern: low)
            return schema.enumerations[index].names[number].map { .text($0) } ?? .signed(Int64(number))
        case .string, .bytes, .message, .group: return .nothing
        }
    }

    /// A field that the type does not have, or not like this.
    private mutating func unknown(_ wire: ProtobufField, _ reader: inout ProtobufReader, _ range: Range<Int>, _ level: Int) -> Slot {
        // Only the bytes of the field, so that all guesses together are linear.
        let value: DecodedPayload.Value
        if wire.wire == .group {
            var guess = ProtobufGuess(bytes, after: values)
            let inner = guess.message(in: reader.position..<range.upperBound, level: level + 1, group: wire.number)
            reader.go(to: inner.end)
            if let trouble = inner.problem { problem = trouble }
            value = .items(inner.fields)
            values = guess.values
        } else {
            var guess = ProtobufGuess(bytes, of: wire.content.count, after: values)
            value = guess.value(of: wire, level: level + 1)
            values = guess.values
        }
        return Slot(
            name: Array(String(wire.number).utf8), isMap: false, isList: false,
            parts: [Member([], value, at: wire.start..<reader.position)],
            range: wire.start..<reader.position)
    }

    private mutating func count(at position: Int) -> Bool {
        values += 1
        if values > PayloadBounds.values { fail(PayloadBounds.tooMany, at: position) }
        return values <= PayloadBounds.values
    }

    private mutating func fail(_ reason: StaticString, at position: Int) {
        if problem == nil { problem = PayloadProblem(reason: reason, position: position) }
    }
}

extension ProtobufSchema.Kind {
    /// How one value of it stands on the wire where it can be packed; nil for text, bytes and messages.
    fileprivate var wire: ProtobufWire? {
        switch self {
        case .double, .fixed64, .sfixed64: .i64
        case .float, .fixed32, .sfixed32: .i32
        case .int32, .int64, .uint32, .uint64, .sint32, .sint64, .bool, .enumeration: .varint
        case .string, .bytes, .message, .group: nil
        }
    }
}

extension ProtobufSchema.Field {
    fileprivate func isMap(in schema: ProtobufSchema) -> Bool {
        if case .message(let type) = kind { schema.messages[type].isMapEntry } else { false }
    }

    /// What the key or the value of a map is that was left out because it is the default.
    fileprivate var missing: DecodedPayload.Value {
        switch kind {
        case .string: .text([])
        case .bytes: .binary(0)
        case .bool: .flag(false)
        case .double, .float: .real(0)
        case .message, .group: .object([])
        case _: .number(0)
        }
    }
}
