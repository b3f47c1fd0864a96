/// Message types, enumerations and services that the user gave as `.proto` files or descriptor sets, with every name resolved.
///
/// It is shared by all payloads and never changes.
package final class ProtobufSchema: Sendable {
    /// What a field holds (the types of descriptor.proto).
    enum Kind: Hashable, Sendable {
        case double, float, int64, uint64, int32, fixed64, fixed32, bool, string, bytes, uint32, sfixed32, sfixed64, sint32, sint64
        /// The index of the message type.
        case message(Int)
        case group(Int)
        /// The index of the enumeration.
        case enumeration(Int)
    }

    struct Field: Hashable, Sendable {
        var name: [UInt8]
        var kind: Kind
        var isRepeated: Bool
    }

    struct Message: Sendable {
        /// With its package, such as `chat.Envelope`.
        var name: String
        var fields: [UInt32: Field] = [:]
        /// Made for a field `map<…>`: field 1 is the key, 2 the value.
        var isMapEntry = false
    }

    struct Enumeration: Sendable {
        /// Of several names for one number (`allow_alias`) the first.
        var names: [Int32: [UInt8]] = [:]
    }

    struct Method: Hashable, Sendable {
        /// The indices of the message types.
        var request: Int
        var response: Int
    }

    let messages: [Message]
    let enumerations: [Enumeration]
    private let messageIndices: [String: Int]
    /// By `package.Service/Method`.
    private let methods: [String: Method]

    init(messages: [Message], enumerations: [Enumeration], methods: [String: Method]) {
        self.messages = messages
        self.enumerations = enumerations
        self.methods = methods
        // Names are unique: what makes a schema sees to it.
        messageIndices = Dictionary(messages.indices.map { (messages[$0].name, $0) }) { first, _ in first }
    }

    /// The full names of all message types, in order.
    package var messageNames: [String] { messages.filter { !$0.isMapEntry }.map(\.name) }

    /// The message type of this full name, with or without a dot before it; nil where there is none.
    func message(named name: String) -> Int? { messageIndices[name.hasPrefix(".") ? String(name.dropFirst()) : name] }

    /// Words that propose the name that a user may have meant; empty where there is none.
    static func proposal(for name: String, among names: [String]) -> String {
        // Types are written in upper camel case, which is not what is compared.
        let plain = names.map { $0.lowercased() }
        guard let nearest = NearestName.of(name, among: plain), let index = plain.firstIndex(of: nearest) else { return "" }
        return "; did you mean \(names[index])?"
    }

    /// The types of a gRPC method, which is called at the path `/package.Service/Method`; nil where there is none.
    func method(at path: String) -> Method? { methods[path.hasPrefix("/") ? String(path.dropFirst()) : path] }
}
