import Dissection

/// What the user said about payloads: those that fit all conditions are read in one format, or in none. The value of `--payload-as`.
package struct PayloadRule: Hashable, Sendable {
    /// As the user wrote it.
    package let text: String
    /// The name of a format; nil where the rule switches decoding off.
    package let format: String?
    /// What stands after the colon of the format: the message type of `protobuf:chat.Envelope`; empty where there is none.
    package let argument: String

    private var port: UInt16?
    private var host: WildcardPattern?
    private var path: WildcardPattern?
    private var subprotocol: WildcardPattern?
    private var contentType: WildcardPattern?
    private var from: Side?
    private var topic: TopicPattern?
    /// A field of a message type whose bytes the rule is about, and the condition for it (`FieldBinding`); nil for a whole payload.
    private(set) var field: String?
    private(set) var condition: String?

    /// What may stand before the `=` of a condition.
    private static let keys = ["tcp.port", "host", "path", "subprotocol", "content-type", "from", "topic", "field", "where"]

    /// Reads `CONDITION,…=FORMAT` or `*=FORMAT`; a condition is `tcp.port=N`, `host=GLOB`, `path=GLOB`, `subprotocol=NAME`,
    /// `content-type=TYPE`, `from=client|server` or `topic=GLOB`, and FORMAT a name, perhaps with `:ARGUMENT`, or `none`; or
    /// `field=MESSAGE.FIELD,where=FIELD:VALUE=protobuf:MESSAGE`.
    package init(_ text: String) throws(PayloadRuleError) {
        self.text = text
        guard let separator = text.lastIndex(of: "=") else {
            throw PayloadRuleError(text, "expected RULE=FORMAT, such as tcp.port=7000=msgpack or *=cbor")
        }
        let formatAndArgument = text[text.index(after: separator)...].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = formatAndArgument.first, !name.isEmpty else {
            throw PayloadRuleError(text, "the format is missing after the last =")
        }
        format = name == "none" ? nil : String(name)
        argument = formatAndArgument.count > 1 ? String(formatAndArgument[1]) : ""
        if formatAndArgument.count > 1, argument.isEmpty { throw PayloadRuleError(text, "nothing stands after the colon of the format") }
        let conditions = text[..<separator]
        if conditions == "*" { return }
        guard !conditions.isEmpty else { throw PayloadRuleError(text, "the condition is missing; * stands for all payloads") }
        var seen: Set<Substring> = []
        for condition in conditions.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = condition.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = sides[0]
            guard PayloadRule.keys.contains(String(key)) else { throw PayloadRuleError(text, PayloadRule.unknown(String(key))) }
            // tshark writes two equals signs.
            guard sides.count == 2, case let value = sides[1].first == "=" ? sides[1].dropFirst() : sides[1], !value.isEmpty else {
                throw PayloadRuleError(
                    text, sides.count < 2 ? "\(key) has no = and value, or the format is missing" : "\(key) has no value")
            }
            guard seen.insert(key).inserted else { throw PayloadRuleError(text, "\(key) is there twice") }
            try add(key, value)
        }
        guard field != nil || condition != nil else { return }
        guard field != nil, seen.isSubset(of: ["field", "where"]) else {
            throw PayloadRuleError(text, "where= belongs to field=, and other conditions do not")
        }
        guard format == "protobuf", !argument.isEmpty else {
            throw PayloadRuleError(text, "what is in a field is told by its message type: field=…=protobuf:MESSAGE")
        }
    }

    /// Whether it is about what messages of brokers carry.
    var namesTopic: Bool { topic != nil }

    private mutating func add(_ key: Substring, _ value: Substring) throws(PayloadRuleError) {
        switch key {
        case "tcp.port":
            guard let number = UInt16(value), number > 0 else {
                throw PayloadRuleError(text, "\"\(value)\" is not a port from 1 to 65535")
            }
            port = number
        case "host": host = WildcardPattern(value, ignoresCase: true)
        case "path": path = WildcardPattern(value)
        case "subprotocol": subprotocol = WildcardPattern(value, ignoresCase: true)
        case "content-type": contentType = WildcardPattern(value, ignoresCase: true)
        case "topic": topic = TopicPattern(value)
        case "field": field = String(value)
        case "where": condition = String(value)
        case _:
            guard value == "client" || value == "server" else {
                throw PayloadRuleError(text, "from takes client or server, not \"\(value)\"")
            }
            from = value == "client" ? .client : .server
        }
    }

    private static func unknown(_ key: String) -> String {
        let nearest = NearestName.of(key, among: keys).map { "; did you mean \($0)?" } ?? ""
        return "\"\(key)\" is not one of the conditions \(keys.joined(separator: ", "))\(nearest)"
    }

    /// Whether a payload fits all conditions.
    func fits(_ context: PayloadContext) -> Bool {
        guard field == nil, (topic == nil) == (context.topic == nil) else { return false }
        if let topic, let name = context.topic, !topic.matches(name.rawBytes) { return false }
        if let port, context.port != port { return false }
        if let from, context.from != from { return false }
        if let host, !host.matches(context.hostName) { return false }
        if let path, !path.matches(context.path) { return false }
        if let subprotocol, !subprotocol.matches(context.subprotocol.rawBytes) { return false }
        if let contentType, !contentType.matches(context.mediaType) { return false }
        return true
    }
}

/// Why a rule cannot be used.
package struct PayloadRuleError: Error, Hashable, CustomStringConvertible {
    /// The rule as the user wrote it.
    package let rule: String
    /// What is wrong with it.
    package let reason: String
    package var description: String { "\(rule): \(reason)." }

    init(_ rule: String, _ reason: String) {
        self.rule = rule
        self.reason = reason
    }
}
