/// Where a conversation goes, and what is spoken there.
struct Plan {
    /// Whether the proxy speaks TLS to the server.
    enum ServerTLS { case always, never, asTheClient }

    var destination: Destination
    var serverTLS: ServerTLS
    /// What the client asked for, or the upstream as the user wrote it.
    var target: String
    /// The client's bytes are known to be plaintext, such as requests of the HTTP mode.
    var isPlaintext = false
    /// Protocols to offer a server that is spoken to in TLS for a client that is not.
    var protocols: [String] = []
    /// The proxies that the client's CONNECT has come through, as its Via says.
    var via: [UInt8] = []

    var isServerTLS: Bool { serverTLS == .always }
    /// Plaintext that may turn into TLS in mid-stream; plain HTTP of the HTTP mode does not.
    var followsTLS: Bool { !isPlaintext }
    var isUnix: Bool { if case .unix = destination { true } else { false } }

    /// The name that was asked for; none where it is the address itself.
    var name: String? {
        switch destination {
        case .host(let host, _): destination.literalAddress == nil ? host : nil
        case .address: nil
        case .unix(let path): path
        }
    }

    /// What the server's certificate has to be for, where the client names nothing else.
    var tlsName: String? { destination.host }
}
