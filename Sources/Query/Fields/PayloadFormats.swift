import Reports

/// The formats of payloads with their keys, as docs/payloads.md has them.
enum PayloadFormats {
    /// The format's name, and the keys that its payloads may have at their top.
    static let rows: [(name: String, keys: [String], hasMore: Bool)] = PayloadTable.standard.formats.map { format in
        (name: "\(format.name)", keys: format.keys.map { "\($0)" }, hasMore: format.hasMoreKeys)
    }.sorted { place(of: $0.name) < place(of: $1.name) }

    /// As docs/payloads.md has them; new ones follow.
    private static let order = [
        "engine.io", "socket.io", "sockjs", "graphql-ws", "actioncable", "wamp", "phoenix", "stomp", "mqtt", "xmpp", "signalr",
        "json-rpc", "redis", "amqp", "nats", "irc", "sse", "json-lines", "json", "msgpack", "cbor", "bson", "protobuf", "grpc", "form",
        "multipart", "xml", "image",
    ]

    private static func place(of name: String) -> Int { order.firstIndex(of: name) ?? order.count }

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
                if row.keys.contains(first) || common.contains(first) || row.hasMore { return field(word, row.name, keys) }
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
