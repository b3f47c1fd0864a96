import Reports

/// The formats of payloads with their keys, as docs/payloads.md has them.
enum PayloadFormats {
    /// The format's name, and the keys that its payloads may have at their top.
    static let rows: [(name: String, keys: [String])] = [
        (
            "engine.io",
            ["type", "protocol", "sid", "upgrades", "pingInterval", "pingTimeout", "data", "latency", "late", "attachments", "packets"]
        ),
        (
            "socket.io",
            ["type", "namespace", "event", "args", "id", "latency", "attachments", "data", "sid", "abandoned"]
        ),
        ("sockjs", ["type", "messages", "code", "reason", "frames"]),
        ("graphql-ws", ["type", "id", "operation", "name", "latency", "errors", "duration"]),
        ("actioncable", ["type", "command", "identifier", "channel", "action", "data", "reason", "latency"]),
        (
            "wamp",
            [
                "type", "request", "procedure", "topic", "realm", "session", "method", "reason", "subscription", "publication",
                "registration",
                "args", "kwargs", "details", "of", "latency", "messages",
            ]
        ),
        ("phoenix", ["topic", "event", "ref", "joinRef", "payload", "status", "latency"]),
        ("stomp", ["command", "headers", "length", "payload", "latency", "frames"]),
        (
            "mqtt",
            [
                "type", "protocol", "version", "keepAlive", "cleanStart", "sessionPresent", "topic", "qos", "retain", "dup", "packetId",
                "clientId", "username", "hasPassword", "will", "topics", "reason", "reasonName", "reasons", "refused", "properties",
                "payload", "latency", "packets",
            ]
        ),
        ("xmpp", ["stanza", "type", "to", "from", "id", "namespace", "child", "childNamespace", "body", "mechanism", "end", "latency"]),
        (
            "signalr",
            [
                "type", "protocol", "version", "target", "invocationId", "arguments", "item", "result", "error", "latency", "messages",
            ]
        ),
        ("json-rpc", ["type", "method", "id", "latency", "count", "messages"]),
        ("redis", ["type", "command", "args", "count", "value", "message", "attributes", "latency", "pushed"]),
        (
            "amqp",
            [
                "type", "method", "channel", "exchange", "routingKey", "queue", "deliveryTag", "length", "received", "contentLength",
                "payload", "latency",
            ]
        ),
        (
            "nats",
            ["command", "subject", "reply", "sid", "queue", "length", "headers", "payload", "options", "after", "message", "latency"]
        ),
        ("irc", ["command", "name", "prefix", "params", "tags", "latency"]),
        ("sse", ["event", "id", "data", "retry", "comment", "message", "events"]),
        ("json-lines", ["count"]),
        ("json", []),
        ("msgpack", ["value", "values"]),
        ("cbor", ["value", "values"]),
        ("bson", ["value", "values"]),
        ("protobuf", ["fields", "type"]),
        (
            "grpc",
            ["service", "method", "length", "compressed", "message", "messages", "status", "statusName", "statusMessage", "trailers"]
        ),
        ("form", ["fields"]),
        ("multipart", ["parts"]),
        ("xml", ["root", "elements"]),
        ("image", ["type", "width", "height"]),
    ]

    /// Formats whose payloads have more keys than these: the fields of AMQP's methods.
    private static let open: Set<String> = ["amqp"]

    /// Keys that payloads of any format may have: where it could not be read further, or not in another format, or its packet is not all here.
    private static let common = ["error", "at", "failed", "begins", "awaits", "continues", "attachment"]

    /// How a name is written in an expression: `socketio`, `graphqlws`, `jsonrpc`.
    static func plain(_ name: String) -> String { name.filter { $0 != "." && $0 != "-" } }

    /// The names that stand in the table of fields.
    static let names: [String] = rows.flatMap { row in
        row.name == "json" ? [] : [plain(row.name)] + row.keys.map { "\(plain(row.name)).\($0)" }
    }

    /// The field of a name such as `socketio.event`, also written `socket.io.event`; nil where there is no such format, or no such key.
    static func find(_ word: String) -> FilterField? {
        for row in rows where row.name != "json" {
            for prefix in [plain(row.name), row.name] {
                if word == prefix { return field(word, row.name, []) }
                guard word.hasPrefix(prefix + ".") else { continue }
                let keys = word.dropFirst(prefix.count + 1).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                guard let first = keys.first, !keys.contains(""), keys.count <= 16 else { continue }
                if row.keys.contains(first) || common.contains(first) || open.contains(row.name) { return field(word, row.name, keys) }
            }
        }
        return nil
    }

    private static func field(_ word: String, _ format: String, _ keys: [String]) -> FilterField {
        let source = FormatField(format: Array(format.utf8), steps: keys.map { .key(Array($0.utf8)) })
        let sentence = keys.isEmpty ? "the payload is of \(format)" : "what a payload of \(format) says"
        return FilterField(word, .decoded(source), .anything, sentence)
    }
}
