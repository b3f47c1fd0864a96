import Dissection

/// What a client's hello asks for, in a form that outlives the hello's bytes.
struct OfferedTLS: Hashable, Sendable {
    /// The server name; none where the client named none.
    var serverName: String?
    /// The application protocols, in the client's order.
    var protocols: [String]

    /// - Parameter message: the handshake message that `hello` points into.
    init(_ hello: ClientHello, in message: [UInt8]) {
        let name = String(decoding: message[hello.serverName.start..<hello.serverName.end], as: UTF8.self)
        serverName = name.isEmpty ? nil : name
        protocols = []
        var position = hello.alpn.start
        while position < hello.alpn.end {
            let end = min(position + 1 + Int(message[position]), hello.alpn.end)
            protocols.append(String(decoding: message[position + 1..<max(end, position + 1)], as: UTF8.self))
            position = max(end, position + 1)
        }
    }
}
