import Dissection
import Reports

/// Fields of ours that no key of a record has under this name: what holds for a whole conversation, the kinds of events, other words.
enum OwnFields {
    static let all: [FilterField] = conversation + words + kinds

    private static let conversation: [FilterField] = [
        FilterField("client.address", .conversation(.clientAddress), .address(nil), "where the client is", level: .conversation),
        FilterField("client.port", .conversation(.clientPort), port, "the client's port", level: .conversation),
        FilterField("client.name", .conversation(.clientName), .text, "what the source calls the client", level: .conversation),
        FilterField("server.address", .conversation(.serverAddress), .address(nil), "where the server is", level: .conversation),
        FilterField("server.port", .conversation(.serverPort), port, "the server's port", level: .conversation),
        FilterField(
            "server.name", .conversation(.serverName), .text,
            "what the source calls the server: the name that was dialled, or one in the capture",
            level: .conversation),
        FilterField(
            "process.name", .conversation(.processName), .text, "the process of the first packet, where a capture of macOS names it",
            level: .conversation),
        FilterField(
            "process.pid", .conversation(.processIdentifier), .integer(least: 0, most: UInt64(UInt32.max)), "the number of that process",
            level: .conversation),
        FilterField(
            "host", .conversation(.host), .text,
            "`Host` of the request that an event belongs to: of a response and its body that of their request, of a WebSocket that of its handshake, otherwise of the last request",
            level: .conversation),
        FilterField("path", .conversation(.path), .text, "the path of that request, without the query", level: .conversation),
    ]

    private static let words: [FilterField] = [
        FilterField(
            "closed.manner", .key(.closed, "how") ?? .content, ValueType(FieldTable.row("how", of: .closed)),
            "the same as `closed.how`"),
        FilterField(
            "header", .several([.request(.headers), .response(.headers)]), .text,
            "each field of a head as `Name: value`; `header[\"x-id\"]` is the value of one"),
        FilterField(
            "json", .json(JSONPath(keys: [])), .anything,
            "a payload that is a JSON object or array, as it is written; `json[\"a.b[0].c\"]` is a value in it"),
    ]

    /// The kinds of events, each with its content.
    private static let kinds: [FilterField] =
        RecordFields.carriers.map { carrier in
            FilterField(
                carrier.name, .within(FieldCarriers(carrier), .content), .bytes, "\(carrier.summary)",
                isWiresharks: carrier == .tls || carrier == .data)
        }

    static let port = ValueType.integer(least: 0, most: 65_535)
}

extension FieldTable {
    /// The row of a key that is there.
    static func row(_ name: String, of carrier: FieldCarrier) -> Field {
        rows(of: carrier).first { $0.name == name } ?? common[0]
    }
}
