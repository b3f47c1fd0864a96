import Dissection

/// Reads a set of descriptors, as `protoc --descriptor_set_out` and `buf build` write it (`FileDescriptorSet` of descriptor.proto), with the
/// reader of messages that we have.
struct ProtoDescriptors: ~Escapable {
    private let bytes: RawSpan
    private let name: String
    private var file = ProtoFile(name: "")

    /// - Throws: `ProtoError` where the bytes are not one.
    static func read(_ bytes: RawSpan, name: String) throws(ProtoError) -> [ProtoFile] {
        var files: [ProtoFile] = []
        var reader = ProtobufReader(bytes, in: 0..<bytes.byteCount)
        while let field = reader.next() {
            guard field.number == 1, field.wire == .len else {
                throw ProtoError(
                    name, "it is not a descriptor set (byte \(field.start)): protoc --include_imports --descriptor_set_out=FILE writes one")
            }
            var descriptors = ProtoDescriptors(bytes, name: name)
            try descriptors.readFile(field.content)
            files.append(descriptors.file)
        }
        if let problem = reader.problem { throw ProtoError(name, "\(problem.reason) (byte \(problem.position))") }
        if files.isEmpty { throw ProtoError(name, "it is empty") }
        return files
    }

    @_lifetime(copy bytes)
    private init(_ bytes: RawSpan, name: String) {
        self.bytes = bytes
        self.name = name
    }

    private func fields(_ range: Range<Int>) throws(ProtoError) -> [ProtobufField] {
        var reader = ProtobufReader(bytes, in: range)
        var fields: [ProtobufField] = []
        while let field = reader.next() { fields.append(field) }
        if let problem = reader.problem { throw ProtoError(name, "\(problem.reason) (byte \(problem.position))") }
        return fields
    }

    private func text(_ field: ProtobufField) -> String { String(decoding: bytes.extracting(field.content).copy, as: UTF8.self) }

    private func joined(_ scope: String, _ name: String) -> String { scope.isEmpty ? name : "\(scope).\(name)" }

    private mutating func readFile(_ range: Range<Int>) throws(ProtoError) {
        let fields = try fields(range)
        for field in fields where field.wire == .len {
            switch field.number {
            case 1: file.name = text(field)
            case 2: file.package = text(field)
            case 3: file.imports.append(.init(name: text(field), place: nil))
            case _: continue
            }
        }
        for field in fields where field.wire == .len {
            switch field.number {
            case 4: try message(field.content, in: file.package, level: 0)
            case 5: try enumeration(field.content, in: file.package)
            case 6: try service(field.content)
            case _: continue
            }
        }
    }

    private func declaredName(_ fields: [ProtobufField]) throws(ProtoError) -> String {
        guard let field = fields.last(where: { $0.number == 1 && $0.wire == .len }) else {
            throw ProtoError(name, "something is declared in \(file.name) without a name")
        }
        return text(field)
    }

    private mutating func message(_ range: Range<Int>, in scope: String, level: Int) throws(ProtoError) {
        guard level < PayloadBounds.levels else { throw ProtoError(name, "messages are nested deeper than \(PayloadBounds.levels) levels") }
        let fields = try fields(range)
        var message = ProtoFile.Message(name: joined(scope, try declaredName(fields)))
        for field in fields where field.wire == .len {
            switch field.number {
            case 2: message.fields.append(try self.field(field.content))
            case 3: try self.message(field.content, in: message.name, level: level + 1)
            case 4: try enumeration(field.content, in: message.name)
            case 7: message.isMapEntry = try self.fields(field.content).contains { $0.number == 7 && $0.wire == .varint && $0.bits != 0 }
            case _: continue
            }
        }
        file.messages.append(message)
    }

    /// By the numbers of `FieldDescriptorProto.Type`; groups, messages and enumerations have a name instead.
    private static let scalars: [UInt64: ProtobufSchema.Kind] = [
        1: .double, 2: .float, 3: .int64, 4: .uint64, 5: .int32, 6: .fixed64, 7: .fixed32, 8: .bool, 9: .string, 12: .bytes, 13: .uint32,
        15: .sfixed32, 16: .sfixed64, 17: .sint32, 18: .sint64,
    ]

    private func field(_ range: Range<Int>) throws(ProtoError) -> ProtoFile.Field {
        let fields = try fields(range)
        var field = ProtoFile.Field(name: try declaredName(fields), number: 0)
        for part in fields {
            switch (part.number, part.wire) {
            case (3, .varint): field.number = UInt32(truncatingIfNeeded: part.bits)
            case (4, .varint): field.isRepeated = part.bits == 3
            case (5, .varint):
                field.scalar = Self.scalars[part.bits]
                field.isGroup = part.bits == 10
            case (6, .len): field.type = .init(name: text(part), place: nil)
            case _: continue
            }
        }
        return field
    }

    private mutating func enumeration(_ range: Range<Int>, in scope: String) throws(ProtoError) {
        let fields = try fields(range)
        var enumeration = ProtoFile.Enumeration(name: joined(scope, try declaredName(fields)))
        for field in fields where field.number == 2 && field.wire == .len {
            let value = try self.fields(field.content)
            let number = value.last { $0.number == 2 && $0.wire == .varint }?.bits ?? 0
            enumeration.values.append((Int32(truncatingIfNeeded: number), try declaredName(value)))
        }
        file.enumerations.append(enumeration)
    }

    private mutating func service(_ range: Range<Int>) throws(ProtoError) {
        let fields = try fields(range)
        let service = joined(file.package, try declaredName(fields))
        for field in fields where field.number == 2 && field.wire == .len {
            let parts = try self.fields(field.content)
            let types: [String] = [2, 3].map { (number: UInt32) -> String in
                guard let type = parts.last(where: { $0.number == number && $0.wire == .len }) else { return "" }
                return text(type)
            }
            file.methods.append(
                .init(
                    path: "\(service)/\(try declaredName(parts))", scope: service, request: .init(name: types[0], place: nil),
                    response: .init(name: types[1], place: nil)))
        }
    }
}
