/// The JSON Schema (2020-12) of one record, made from the table of fields: docs/log-format.schema.json.
package enum FieldSchema {
    package static var text: String {
        let records = FieldCarrier.allCases.filter(\.isRecord)
        var definitions: [(String, SchemaValue)] = FieldCarrier.allCases.map { ($0.name, definition(of: $0)) }
        for field in FieldTable.common where field.name != "kind" { definitions.append((shared(field), schema(of: field))) }
        definitions.append(("headerFields", headerFields))
        definitions.append(("kinds", .object([("enum", .array(records.map { .string($0.name) }))])))
        let schema = SchemaValue.object([
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
            ("$id", .string("urn:unmask:log-format:\(RecordReport.formatVersion)")),
            ("title", .string("A record of the unmask log, version \(RecordReport.formatVersion)")),
            (
                "description",
                .string("Known kinds are held strictly, as unmask writes them. Records of other kinds are allowed: readers skip them.")
            ),
            ("type", .string("object")),
            ("properties", .object([("kind", .object([("type", .string("string"))]))])),
            ("required", .array([.string("kind")])),
            (
                "allOf",
                .array(
                    records.map { record in
                        .object([
                            ("if", .object([("properties", .object([("kind", .object([("const", .string(record.name))]))]))])),
                            ("then", reference(record.name)),
                        ])
                    })
            ),
            ("$defs", .object(definitions)),
        ])
        return schema.text + "\n"
    }

    /// What a record or an object has.
    private static func definition(of carrier: FieldCarrier) -> SchemaValue {
        let fields = FieldTable.rows(of: carrier).filter { !$0.name.isEmpty }
        var properties: [(String, SchemaValue)] = []
        for field in fields {
            if field.name == "kind" {
                properties.append((field.name, .object([("const", .string(carrier.name))])))
            } else if field.isCommon {
                properties.append((field.name, reference(shared(field))))
            } else {
                properties.append((field.name, schema(of: field)))
            }
        }
        let required = fields.filter { $0.always.contains(carrier) }.map { SchemaValue.string($0.name) }
        var definition: [(String, SchemaValue)] = [
            ("description", .string("\(carrier.summary)")), ("type", .string("object")), ("properties", .object(properties)),
        ]
        if !required.isEmpty { definition.append(("required", .array(required))) }
        // A format that is decoded may have keys of its own.
        if carrier != .decoded, carrier != .payload { definition.append(("additionalProperties", .boolean(false))) }
        return .object(definition + rules(of: carrier))
    }

    private static func rules(of carrier: FieldCarrier) -> [(String, SchemaValue)] {
        var (all, dependent, keys): ([SchemaValue], [(String, SchemaValue)], [(String, SchemaValue)]) = ([], [], [])
        for rule in FieldRule.rules(of: carrier) {
            switch rule {
            case .notBoth(let first, let second):
                let both = SchemaValue.object([("required", .array([.string(first.name), .string(second.name)]))])
                all.append(.object([("not", both)]))
            case .needs(let first, let second): dependent.append((first.name, .array([.string(second.name)])))
            case .exactly(let field, let flag):
                let isSet = SchemaValue.object([("properties", .object([(flag.name, .object([("const", .boolean(true))]))]))])
                keys += [
                    ("if", isSet), ("then", .object([("required", .array([.string(field.name)]))])),
                    ("else", .object([("properties", .object([(field.name, .boolean(false))]))])),
                ]
            }
        }
        if !all.isEmpty { keys.append(("allOf", .array(all))) }
        if !dependent.isEmpty { keys.append(("dependentRequired", .object(dependent))) }
        return keys
    }

    /// What a field's value is, and what it says.
    private static func schema(of field: Field) -> SchemaValue {
        .object([("description", .string("\(field.sentence)"))] + keys(of: field.type))
    }

    private static func keys(of type: FieldType) -> [(String, SchemaValue)] {
        switch type {
        case .integer(let least, let most) where least == most: [("const", .number(least))]
        case .integer(let least, let most): [("type", .string("integer")), ("minimum", .number(least)), ("maximum", .number(most))]
        case .seconds: [("type", .string("number"))]
        case .fraction: [("type", .string("number")), ("minimum", .number(0)), ("maximum", .number(1))]
        case .boolean: [("type", .string("boolean"))]
        case .flag: [("const", .boolean(true))]
        case .text, .payload: [("type", .string("string"))]
        case .pattern(let pattern): [("type", .string("string")), ("pattern", .string("\(pattern)"))]
        case .word(let words): [("enum", .array(words.all.map { .string($0) }))]
        case .time:
            [
                ("type", .string("string")),
                ("pattern", .string("^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\\.[0-9]{9}Z$")),
            ]
        case .packets:
            pair(of: .object(keys(of: .some)))
        case .headers: [("$ref", .string("#/$defs/headerFields"))]
        case .names: [("type", .string("array")), ("items", .object(keys(of: .text))), ("minItems", .number(1))]
        case .opcode:
            [("anyOf", .array([.object([("enum", .array([.string("text"), .string("binary")]))]), .object(keys(of: .integer(0, 15)))]))]
        case .wordOrNumber(let words): [("anyOf", .array([.object(keys(of: .word(words))), .object(keys(of: .integer(0, 255)))]))]
        case .counts:
            [
                ("type", .string("object")), ("additionalProperties", .object(keys(of: .some))),
                ("propertyNames", .object([("pattern", .string("^[a-zA-Z0-9]+$"))])),
            ]
        case .object(let carrier): [("$ref", .string("#/$defs/\(carrier.name)"))]
        case .objects(let carrier): [("type", .string("array")), ("items", reference(carrier.name)), ("minItems", .number(1))]
        }
    }

    private static func pair(of value: SchemaValue) -> [(String, SchemaValue)] {
        [("type", .string("array")), ("prefixItems", .array([value, value])), ("minItems", .number(2)), ("maxItems", .number(2))]
    }

    private static var headerFields: SchemaValue {
        .object([
            ("description", .string("name and value of each field in wire order and case")), ("type", .string("array")),
            ("items", .object(pair(of: .object(keys(of: .text))))),
        ])
    }

    /// Where what most records have is defined once.
    private static func shared(_ field: Field) -> String { "every.\(field.name)" }

    private static func reference(_ name: String) -> SchemaValue { .object([("$ref", .string("#/$defs/\(name)"))]) }
}
