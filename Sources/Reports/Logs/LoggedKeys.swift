import Dissection

// Reads the keys of a record into the places of a fact.
extension LoggedRecord: FieldVisitor {
    static var fills: Bool { true }

    /// The fact of the record, whose keys are visited.
    mutating func filled<Filled: FieldedFact>() throws(Problem) -> Filled {
        var fact = Filled.blank
        fact.visit(&self)
        if let problem { throw problem }
        return fact
    }

    mutating func take(_ field: Field, _ value: KeyValue) -> KeyValue {
        guard let json = (object ?? self.value)[field] else {
            return leave(value, field.always.isEmpty ? nil : "it has no \"\(field.name)\"")
        }
        switch value {
        case .word:
            guard let text = json.string, case .word(let words) = field.type else { return refuse(field, "text", value) }
            if let place = words.place(of: text) { return .word("", UInt8(place)) }
            refuse("its \"\(field.name)\" is \"\(String(decoding: text, as: UTF8.self))\", which is not a word of this format")
        case .number: return json.unsigned.map { .number($0) } ?? refuse(field, "number", value)
        case .seconds: return .seconds(json.nanoseconds)
        case .flag: return json.boolean.map { .flag($0) } ?? refuse(field, "true or false", value)
        case .code(_, let registry):
            guard let text = json.string else { return refuse(field, "text", value) }
            let name = String(decoding: text, as: UTF8.self)
            let number = name.hasPrefix("0x") ? UInt16(hexadecimal: Array(text.dropFirst(2)).rawBytes) : nil
            if let number = number ?? registry.numbers[name] { return .code(number, registry) }
            refuse("its \"\(field.name)\" is \"\(name)\", which is not known")
        case .address:
            guard let text = json.string else { return value }
            if let address = IPAddress(text: String(decoding: text, as: UTF8.self)) { return .address(address) }
            refuse(field, "not a valid address")
        case .text(_, .one): return .text(add(wire: json.string))
        case .headers: return attempt(value) { (record) throws(Problem) in .headers(try record.addFields(json, field.name)) }
        case .text(_, .names):
            var names: [UInt8] = []
            for name in json.elements ?? [] {
                let name = onWire(name.string ?? [])
                guard let count = UInt8(exactly: name.count) else { return refuse(field, "list of short names", value) }
                names += [count] + name
            }
            return .text(add(names))
        case .text(_, .certificates):
            return attempt(value) { (record) throws(Problem) in .text(record.add(try record.certificates(json, field.name))) }
        case .label, .latin1: break
        }
        return value
    }

    mutating func begin(_ field: Field, isThere: Bool) -> Bool {
        object = value[field]
        // A side of which the totals are missing has sent nothing.
        if case .object(.side) = field.type { return object != nil }
        if object == nil, !field.always.isEmpty { refuse("it has no \"\(field.name)\"") }
        return object != nil
    }

    mutating func end() { object = nil }

    mutating func refuse(_ field: Field, _ problem: StaticString) { refuse("its \"\(field.name)\" is \(problem)") }

    private mutating func refuse(_ field: Field, _ type: StaticString, _ value: KeyValue) -> KeyValue {
        leave(value, "its \"\(field.name)\" is not a \(type)")
    }

    /// Leaves a place as it is, and keeps the problem; in an object, only that of a word is one.
    private mutating func leave(_ value: KeyValue, _ problem: String?) -> KeyValue {
        var counts = object == nil
        if case .word = value { counts = true }
        if counts, let problem { refuse(problem) }
        if case .number = value { return .number(nil) }
        return value
    }

    /// The first problem counts.
    private mutating func refuse(_ words: String) { problem = problem ?? Problem(words: words) }

    private mutating func attempt(_ value: KeyValue, _ work: (inout LoggedRecord) throws(Problem) -> KeyValue) -> KeyValue {
        do throws(Problem) {
            return try work(&self)
        } catch {
            problem = problem ?? error
            return value
        }
    }
}

extension JSONValue {
    /// The value of a key.
    fileprivate subscript(_ field: Field) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        let key = field.key.bytes
        return members.last { $0.name.rawBytes.isEqual(key.extracting(2..<key.byteCount - 2)) }?.value
    }
}
