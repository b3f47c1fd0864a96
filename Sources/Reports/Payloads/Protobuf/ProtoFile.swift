/// What a `.proto` file or one file of a descriptor set declares, with names as they are written.
struct ProtoFile {
    /// A name that is used, and where.
    struct Reference {
        var name: String
        var place: ProtoPlace?
    }

    struct Field {
        /// The name of a message type or an enumeration; nil for a scalar.
        var type: Reference?
        /// Of a scalar; of a reference from a descriptor set nothing, as the reference says it.
        var scalar: ProtobufSchema.Kind?
        var name: String
        var number: UInt32
        var isRepeated = false
        var isGroup = false
        var place: ProtoPlace?
    }

    struct Message {
        /// With the names around it and the package.
        var name: String
        var fields: [Field] = []
        var isMapEntry = false
        var place: ProtoPlace?
    }

    struct Enumeration {
        var name: String
        var values: [(number: Int32, name: String)] = []
        var place: ProtoPlace?
    }

    struct Method {
        /// `package.Service/Method`.
        var path: String
        /// The package and the service, in which the names are looked for.
        var scope: String
        var request: Reference
        var response: Reference
    }

    /// As an import names it.
    var name: String
    var package = ""
    var imports: [Reference] = []
    /// Those that are nested too.
    var messages: [Message] = []
    var enumerations: [Enumeration] = []
    var methods: [Method] = []

    static let scalars: [String: ProtobufSchema.Kind] = [
        "double": .double, "float": .float, "int32": .int32, "int64": .int64, "uint32": .uint32, "uint64": .uint64, "sint32": .sint32,
        "sint64": .sint64, "fixed32": .fixed32, "fixed64": .fixed64, "sfixed32": .sfixed32, "sfixed64": .sfixed64, "bool": .bool,
        "string": .string, "bytes": .bytes,
    ]
}
