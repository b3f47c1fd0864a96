/// Puts files together to a schema: every name that is used is found, as protoc finds it.
struct ProtoLinking {
    private enum Target {
        case message(Int)
        case enumeration(Int)
    }

    private var targets: [String: Target] = [:]
    /// Every name that begins the name of a type: packages and messages.
    private var scopes: Set<String> = []

    /// - Throws: `ProtoError` for a name that is declared twice, or used and not declared.
    static func schema(of files: [ProtoFile]) throws(ProtoError) -> ProtobufSchema {
        var linking = ProtoLinking()
        try linking.declare(files)
        var messages: [ProtobufSchema.Message] = []
        var methods: [String: ProtobufSchema.Method] = [:]
        for file in files {
            for declared in file.messages { messages.append(try linking.message(declared, of: file)) }
            for method in file.methods {
                let request = try linking.messageType(method.request, in: method.scope, of: file)
                methods[method.path] = .init(
                    request: request, response: try linking.messageType(method.response, in: method.scope, of: file))
            }
        }
        let enumerations = files.flatMap(\.enumerations).map { declared in
            ProtobufSchema.Enumeration(names: Dictionary(declared.values.map { ($0.number, Array($0.name.utf8)) }) { first, _ in first })
        }
        return ProtobufSchema(messages: messages, enumerations: enumerations, methods: methods)
    }

    private mutating func declare(_ files: [ProtoFile]) throws(ProtoError) {
        var (messages, enumerations) = (0, 0)
        var homes: [String: String] = [:]
        for file in files {
            for message in file.messages {
                if let home = homes.updateValue(file.name, forKey: message.name) {
                    throw ProtoError(file.name, message.place, "\(message.name) is declared already, in \(home)")
                }
                targets[message.name] = .message(messages)
                messages += 1
                addScopes(of: message.name)
                scopes.insert(message.name)
            }
            for enumeration in file.enumerations {
                if let home = homes.updateValue(file.name, forKey: enumeration.name) {
                    throw ProtoError(file.name, enumeration.place, "\(enumeration.name) is declared already, in \(home)")
                }
                targets[enumeration.name] = .enumeration(enumerations)
                enumerations += 1
                addScopes(of: enumeration.name)
            }
        }
    }

    private mutating func addScopes(of name: String) {
        var rest = name[...]
        while let dot = rest.lastIndex(of: ".") {
            rest = rest[..<dot]
            // Those around a known one are known.
            guard scopes.insert(String(rest)).inserted else { return }
        }
    }

    private func message(_ declared: ProtoFile.Message, of file: ProtoFile) throws(ProtoError) -> ProtobufSchema.Message {
        var message = ProtobufSchema.Message(name: declared.name, isMapEntry: declared.isMapEntry)
        for field in declared.fields {
            var kind = field.scalar
            if let reference = field.type {
                switch try find(reference, in: declared.name, of: file) {
                case .message(let index): kind = field.isGroup ? .group(index) : .message(index)
                case .enumeration(let index): kind = .enumeration(index)
                }
            }
            guard let kind else { continue }
            let known = ProtobufSchema.Field(name: Array(field.name.utf8), kind: kind, isRepeated: field.isRepeated)
            if let other = message.fields.updateValue(known, forKey: field.number) {
                let name = String(decoding: other.name, as: UTF8.self)
                throw ProtoError(
                    file.name, field.place, "\(declared.name) has the field number \(field.number) twice: \(name) and \(field.name)")
            }
        }
        return message
    }

    private func messageType(_ reference: ProtoFile.Reference, in scope: String, of file: ProtoFile) throws(ProtoError) -> Int {
        guard case .message(let index) = try find(reference, in: scope, of: file) else {
            throw ProtoError(file.name, reference.place, "\(reference.name) is not a message type")
        }
        return index
    }

    /// From the innermost scope outwards, the first part of the name first; what begins with a dot is whole (protobuf.dev, "Packages and
    /// name resolution").
    private func find(_ reference: ProtoFile.Reference, in scope: String, of file: ProtoFile) throws(ProtoError) -> Target {
        let name = reference.name
        if name.hasPrefix("."), let target = targets[String(name.dropFirst())] { return target }
        if !name.hasPrefix(".") {
            let first = name.prefix { $0 != "." }
            let isSimple = first.count == name.count
            var around: Substring? = scope[...]
            while let prefix = around {
                let candidate = prefix.isEmpty ? name : "\(prefix).\(name)"
                if let target = targets[candidate] { return target }
                // A scope of that name hides those further out.
                if !isSimple, scopes.contains(prefix.isEmpty ? String(first) : "\(prefix).\(first)") { break }
                if prefix.isEmpty { break }
                around = prefix.lastIndex(of: ".").map { prefix[..<$0] } ?? ""
            }
        }
        let proposal = ProtobufSchema.proposal(for: name, among: targets.keys.filter { !$0.contains("$") }.sorted())
        throw ProtoError(file.name, reference.place, "\(name) is not declared\(proposal)")
    }
}
