/// Reads a `.proto` file of syntax proto2, proto3 or an edition (protobuf.dev, "Language specification"): messages, enumerations, services,
/// imports. Options, extensions, reserved and extension ranges are passed over: what options change of how a message lies on the wire (`packed`,
/// `features.message_encoding`) shows in its bytes.
struct ProtoParser {
    private var tokens: ProtoTokens
    private var current: ProtoToken
    private var file: ProtoFile

    /// - Throws: `ProtoError` with the line and the column of the first mistake.
    static func parse(_ bytes: [UInt8], name: String) throws(ProtoError) -> ProtoFile {
        var parser = try ProtoParser(bytes, name)
        while parser.current.kind != .end { try parser.topLevel() }
        return parser.file
    }

    private init(_ bytes: [UInt8], _ name: String) throws(ProtoError) {
        tokens = ProtoTokens(bytes, file: name)
        file = ProtoFile(name: name)
        current = try tokens.next()
    }

    private mutating func topLevel() throws(ProtoError) {
        let word = current
        if try take(symbol: ";") { return }
        guard word.kind == .name else { throw error("expected message, enum, service or import, found \(word.quoted)") }
        try advance()
        switch word.text {
        case "syntax", "edition":
            try expect("=")
            let version = try text()
            guard word.text == "edition" || version.text == "proto2" || version.text == "proto3" else {
                throw error("the syntax is neither proto2 nor proto3", at: version)
            }
            try expect(";")
        case "package":
            file.package = try typeName()
            try expect(";")
        case "import":
            if current.kind == .name, ["public", "weak", "option"].contains(current.text) { try advance() }
            let path = try text()
            file.imports.append(.init(name: path.text, place: path.place))
            try expect(";")
        case "option": try skipStatement()
        // Who may use it (edition 2024, "Symbol visibility").
        case "export", "local":
            guard current.kind == .name, current.text == "message" || current.text == "enum" else {
                throw error("expected message or enum, found \(current.quoted)")
            }
            try topLevel()
        case "message": try message(in: file.package, level: 0)
        case "enum": try enumeration(in: file.package)
        case "service": try service()
        case "extend":
            _ = try typeName()
            try extensions(level: 0)
        case _: throw error("expected message, enum, service or import, found \(word.quoted)", at: word)
        }
    }

    // MARK: Messages

    private mutating func message(in scope: String, level: Int) throws(ProtoError) {
        let name = try self.name()
        try body(of: .init(name: joined(scope, name.text), place: name.place), level: level)
    }

    /// The braces of a message or a group.
    private mutating func body(of declared: ProtoFile.Message, level: Int) throws(ProtoError) {
        guard level < PayloadBounds.levels else { throw error("messages are nested deeper than \(PayloadBounds.levels) levels") }
        var message = declared
        try expect("{")
        while try !take(symbol: "}") { try member(of: &message, level: level) }
        file.messages.append(message)
    }

    private mutating func member(of message: inout ProtoFile.Message, level: Int) throws(ProtoError) {
        if try take(symbol: ";") { return }
        if try isVisibility() { try advance() }
        let word = current
        // The words of the language may also be the names of types: what follows decides.
        if word.kind == .name {
            switch word.text {
            case "message", "enum", "oneof", "extend":
                try advance()
                guard current.kind == .name || current.text == "." else { break }
                if word.text == "message" { return try self.message(in: message.name, level: level + 1) }
                if word.text == "enum" { return try enumeration(in: message.name) }
                if word.text == "extend" {
                    _ = try typeName()
                    return try extensions(level: level + 1)
                }
                _ = try name()
                try expect("{")
                while try !take(symbol: "}") {
                    if current.kind == .name, current.text == "option" {
                        try skipStatement()
                    } else {
                        try field(of: &message, level: level)
                    }
                }
                return
            case "option", "reserved", "extensions": return try skipStatement()
            case _: break
            }
        }
        try field(of: &message, level: level)
    }

    /// Whether `export` or `local` stands here before a message or an enumeration, and is not the type of a field.
    private func isVisibility() throws(ProtoError) -> Bool {
        guard current.kind == .name, current.text == "export" || current.text == "local" else { return false }
        var tokens = tokens
        let kind = try tokens.next()
        guard kind.kind == .name, kind.text == "message" || kind.text == "enum" else { return false }
        return try tokens.next().kind == .name
    }

    private mutating func field(of message: inout ProtoFile.Message, level: Int) throws(ProtoError) {
        if try take(symbol: ";") { return }
        var isRepeated = false
        if current.kind == .name, ["repeated", "optional", "required"].contains(current.text) {
            isRepeated = current.text == "repeated"
            try advance()
        }
        let type = current
        if type.kind == .name, type.text == "map" {
            try advance()
            if current.text == "<" { return try map(of: &message) }
            throw error("expected < after map, found \(current.quoted)")
        }
        if type.kind == .name, type.text == "group" {
            try advance()
            return try group(of: &message, isRepeated, level: level)
        }
        let typeName = try self.typeName()
        let field = try nameAndNumber()
        let scalar = ProtoFile.scalars[typeName]
        message.fields.append(
            .init(
                type: scalar == nil ? .init(name: typeName, place: type.place) : nil, scalar: scalar, name: field.name.text,
                number: field.number, isRepeated: isRepeated, place: field.name.place))
        try options()
        try expect(";")
    }

    /// `group Name = 1 { … }`: a message of that name, in a field of the name in lower case.
    private mutating func group(of message: inout ProtoFile.Message, _ isRepeated: Bool, level: Int) throws(ProtoError) {
        let field = try nameAndNumber()
        try options()
        let name = joined(message.name, field.name.text)
        message.fields.append(
            .init(
                type: .init(name: "." + name, place: field.name.place), name: field.name.text.lowercased(), number: field.number,
                isRepeated: isRepeated, isGroup: true, place: field.name.place))
        try body(of: .init(name: name, place: field.name.place), level: level + 1)
    }

    /// `map<key, value> name = 1;`: a list of messages with the fields `key` and `value`.
    private mutating func map(of message: inout ProtoFile.Message) throws(ProtoError) {
        try expect("<")
        let keyToken = current
        guard let key = ProtoFile.scalars[try typeName()], ![.double, .float, .bytes].contains(key) else {
            throw error("\(keyToken.quoted) cannot be the key of a map", at: keyToken)
        }
        try expect(",")
        let valueToken = current
        let valueName = try typeName()
        try expect(">")
        let field = try nameAndNumber()
        try options()
        try expect(";")
        let name = joined(message.name, "\(field.name.text)$entry")
        let scalar = ProtoFile.scalars[valueName]
        let value = ProtoFile.Field(
            type: scalar == nil ? .init(name: valueName, place: valueToken.place) : nil, scalar: scalar, name: "value", number: 2,
            place: valueToken.place)
        let fields = [ProtoFile.Field(scalar: key, name: "key", number: 1, place: keyToken.place), value]
        file.messages.append(.init(name: name, fields: fields, isMapEntry: true, place: field.name.place))
        message.fields.append(
            .init(
                type: .init(name: "." + name, place: field.name.place), name: field.name.text, number: field.number, isRepeated: true,
                place: field.name.place))
    }

    private mutating func nameAndNumber() throws(ProtoError) -> (name: ProtoToken, number: UInt32) {
        let name = try self.name()
        try expect("=")
        let token = current
        guard let value = try number(), 1...536_870_911 ~= value else { throw error("\(token.quoted) is not a field number", at: token) }
        guard !(19_000...19_999 ~= value) else { throw error("the field numbers 19000 to 19999 are reserved", at: token) }
        return (name, UInt32(value))
    }

    // MARK: Enumerations and services

    private mutating func enumeration(in scope: String) throws(ProtoError) {
        let name = try self.name()
        var enumeration = ProtoFile.Enumeration(name: joined(scope, name.text), place: name.place)
        try expect("{")
        while try !take(symbol: "}") {
            if try take(symbol: ";") { continue }
            let value = try self.name()
            if current.text != "=", value.text == "option" || value.text == "reserved" {
                try skipStatement()
                continue
            }
            try expect("=")
            let isNegative = try take(symbol: "-")
            let token = current
            guard let magnitude = try number(), let number = Int32(exactly: isNegative ? -magnitude : magnitude) else {
                throw error("\(token.quoted) is not the number of an enumerator", at: token)
            }
            try options()
            try expect(";")
            enumeration.values.append((number, value.text))
        }
        file.enumerations.append(enumeration)
    }

    private mutating func service() throws(ProtoError) {
        let service = joined(file.package, try name().text)
        try expect("{")
        while try !take(symbol: "}") {
            if try take(symbol: ";") { continue }
            let word = current
            try advance()
            if word.kind == .name, word.text == "option" {
                try skipStatement()
                continue
            }
            guard word.kind == .name, word.text == "rpc" else { throw error("expected rpc, found \(word.quoted)", at: word) }
            let method = try name().text
            let request = try methodType()
            guard current.kind == .name, current.text == "returns" else { throw error("expected returns, found \(current.quoted)") }
            try advance()
            let response = try methodType()
            file.methods.append(.init(path: "\(service)/\(method)", scope: service, request: request, response: response))
            if try !take(symbol: ";") {
                try expect("{")
                try skipBraces()
            }
        }
    }

    private mutating func methodType() throws(ProtoError) -> ProtoFile.Reference {
        try expect("(")
        var place = current.place
        // `stream` may be a type as well, and its type may begin with a dot.
        if current.kind == .name, current.text == "stream" {
            try advance()
            if current.text == ")" {
                try advance()
                return .init(name: "stream", place: place)
            }
            place = current.place
        }
        let name = try typeName()
        try expect(")")
        return .init(name: name, place: place)
    }

    // MARK: What is passed over

    /// The braces of `extend`: the message types of groups in it are declared, fields are passed over.
    private mutating func extensions(level: Int) throws(ProtoError) {
        var ignored = ProtoFile.Message(name: file.package)
        try expect("{")
        while try !take(symbol: "}") { try field(of: &ignored, level: level + 1) }
    }

    /// Up to the semicolon, braces in it included.
    private mutating func skipStatement() throws(ProtoError) {
        while try !take(symbol: ";") {
            guard current.kind != .end, current.text != "}" || current.kind == .text else {
                throw error("expected ;, found \(current.quoted)")
            }
            let isOpen = current.kind == .symbol && current.text == "{"
            try advance()
            if isOpen { try skipBraces() }
        }
    }

    /// Up to the brace that closes the one before.
    private mutating func skipBraces() throws(ProtoError) {
        var open = 1
        while open > 0 {
            guard current.kind != .end else { throw error("expected }, found the end of the file") }
            if current.kind == .symbol, current.text == "{" { open += 1 }
            if current.kind == .symbol, current.text == "}" { open -= 1 }
            try advance()
        }
    }

    /// `[packed = true, …]`.
    private mutating func options() throws(ProtoError) {
        guard try take(symbol: "[") else { return }
        var open = 1
        while open > 0 {
            // The fields of an aggregate may end with semicolons.
            guard current.kind != .end, current.text != ";" || current.kind == .text || open > 1 else {
                throw error("expected ], found \(current.quoted)")
            }
            if current.kind == .symbol, current.text == "[" || current.text == "{" { open += 1 }
            if current.kind == .symbol, current.text == "]" || current.text == "}" { open -= 1 }
            try advance()
        }
    }

    // MARK: Words

    private mutating func advance() throws(ProtoError) { current = try tokens.next() }

    private mutating func take(symbol: String) throws(ProtoError) -> Bool {
        guard current.kind == .symbol, current.text == symbol else {
            if current.kind == .end, symbol == "}" { throw error("expected }, found the end of the file") }
            return false
        }
        try advance()
        return true
    }

    private mutating func expect(_ symbol: String) throws(ProtoError) {
        guard current.kind == .symbol, current.text == symbol else { throw error("expected \(symbol), found \(current.quoted)") }
        try advance()
    }

    private mutating func name() throws(ProtoError) -> ProtoToken {
        let token = current
        guard token.kind == .name else { throw error("expected a name, found \(token.quoted)") }
        try advance()
        return token
    }

    /// Names with dots between them, and perhaps one before.
    private mutating func typeName() throws(ProtoError) -> String {
        var text = try take(symbol: ".") ? "." : ""
        text += try name().text
        while try take(symbol: ".") { text += "." + (try name().text) }
        return text
    }

    /// A string, or several in a row, which are one.
    private mutating func text() throws(ProtoError) -> ProtoToken {
        var token = current
        guard token.kind == .text else { throw error("expected a string, found \(token.quoted)") }
        try advance()
        while current.kind == .text {
            token.text += current.text
            try advance()
        }
        return token
    }

    /// A whole number in decimal, octal or hexadecimal; `max` stands for the largest.
    private mutating func number() throws(ProtoError) -> Int64? {
        let token = current
        try advance()
        guard token.kind == .number else { return nil }
        if token.text.lowercased().hasPrefix("0x") { return Int64(token.text.dropFirst(2), radix: 16) }
        return token.text.hasPrefix("0") ? Int64(token.text, radix: 8) : Int64(token.text)
    }

    private func joined(_ scope: String, _ name: String) -> String { scope.isEmpty ? name : "\(scope).\(name)" }

    private func error(_ reason: String, at token: ProtoToken? = nil) -> ProtoError {
        ProtoError(file.name, (token ?? current).place, reason)
    }
}
