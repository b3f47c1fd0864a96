import Dissection

/// One end of a live conversation: the address that the socket names, and what people call it.
package struct LiveEndpoint: Hashable, Sendable {
    /// For a Unix socket there is no address; the recorder gives it one (see `Recorder`).
    package var endpoint: Endpoint
    /// The name that was dialled, or the path of a Unix socket; none where only an address is known.
    package var name: String?

    package init(endpoint: Endpoint, name: String? = nil) {
        self.endpoint = endpoint
        self.name = name
    }
}

/// How a conversation came through the proxy: the log's `opened.via`.
package struct Via: Hashable, Sendable {
    /// `reverse`, `http`, `socks5` or `transparent`.
    package var mode: String
    /// What the client asked for, such as `example.org:443`, or the upstream of reverse mode as the user wrote it.
    package var target: String

    package init(mode: String, target: String) {
        self.mode = mode
        self.target = target
    }
}

/// What is known of a conversation when it begins.
package struct Beginning: Sendable {
    package var client: LiveEndpoint
    package var server: LiveEndpoint
    package var transport: Opening.Transport
    package var via: Via?
    /// The client was refused: there is no server.
    package var isRefused: Bool
    /// The numbers of its connections in a sealed recording.
    package var connections: [UInt64] = []
    /// In reverse mode, what the proxy and the server are called.
    package var reverse: ReverseNames?

    package init(
        client: LiveEndpoint, server: LiveEndpoint, transport: Opening.Transport = .tcp, via: Via? = nil, isRefused: Bool = false
    ) {
        self.client = client
        self.server = server
        self.transport = transport
        self.via = via
        self.isRefused = isRefused
    }
}

/// What was agreed on one or both sides of the proxy when TLS was terminated: the log's `tls` record.
package struct TLSSummary: Sendable {
    package var serverName: String?
    /// The protocol that the server chose.
    package var alpn: String?
    /// What the client had offered, where no protocol was chosen or the server was offered something else.
    package var offered: [String]
    /// As on the wire, 0x0304 for TLS 1.3: what was agreed with the server, or with the client where upstream is plaintext.
    package var version: UInt16?
    /// As on the wire.
    package var cipher: UInt16?
    /// The server's certificate, DER; nil where TLS is not spoken with it.
    package var certificate: [UInt8]?

    package init(
        serverName: String? = nil, alpn: String? = nil, offered: [String] = [], version: UInt16? = nil, cipher: UInt16? = nil,
        certificate: [UInt8]? = nil
    ) {
        self.serverName = serverName
        self.alpn = alpn
        self.offered = offered
        self.version = version
        self.cipher = cipher
        self.certificate = certificate
    }
}
