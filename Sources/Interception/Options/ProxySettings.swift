import CertificateAuthority
import Dissection
import NIOCore

/// What a proxy is to do.
package struct ProxySettings: Sendable {
    /// One way in.
    package struct Entrance: Sendable {
        package var mode: ModeSpec
        package var address: ListenAddress
        /// A TCP socket that is bound to that address already, perhaps in another network namespace. The proxy listens on it, and closes it.
        package var socket: Int32?

        package init(mode: ModeSpec, address: ListenAddress) {
            self.mode = mode
            self.address = address
        }
    }

    /// How long each step may take. A conversation that runs may be idle for ever.
    package struct Patience: Sendable {
        /// The client's CONNECT, request or SOCKS greeting.
        package var preamble = TimeAmount.seconds(30)
        /// A TCP connection to the server, looking up its name included.
        package var connect = TimeAmount.seconds(10)
        /// A TLS handshake, on each side.
        package var handshake = TimeAmount.seconds(10)
        /// The client's first bytes, before a TLS server is spoken to without them.
        package var firstBytes = TimeAmount.milliseconds(500)
        /// What is open when the proxy is told to stop.
        package var grace = TimeAmount.seconds(1)

        package init() {}
    }

    package var entrances: [Entrance]
    package var patience = Patience()
    /// The proxy behind this one.
    package var via: ViaURL?
    /// User and password that the HTTP and SOCKS5 modes ask for.
    package var credentials: ProxyCredentials?
    package var tls = TLSSettings()
    /// Replaces the Host field of requests in reverse mode.
    package var rewrittenHost: String?
    /// Replaces the Origin field of requests in reverse mode.
    package var rewrittenOrigin: String?
    /// Bytes that all clients together may have the proxy hold before their conversations run; over it, the oldest is given up.
    package var preambleBytes = 256 << 20
    /// Addresses at which this process listens otherwise, and which no client is to reach through the proxy.
    package var closedAddresses: [SocketAddress] = []
    /// Looks for a server where this process cannot dial, such as in the network of a client that has one of its own, and gives a TCP socket that is
    /// connected to it; nil where there is none, and the address is dialled as any other. Called on an event loop, and so has to be quick. The proxy
    /// closes the socket.
    package var connected: (@Sendable (SocketAddress) -> Int32?)?
    /// Bytes that the TLS sessions of conversations that run may take together; over it, no further conversation with TLS begins.
    package var sessionBytes = 512 << 20
    /// Bytes that may wait together for sides that do not read; over it, the other sides of their conversations are read no further.
    package var relayBytes = 256 << 20
    /// The recorder is told what goes over each connection, and the secrets of TLS sessions (`-w --sealed`).
    package var recordsConnections = false
    /// Event loops; 0 for one a processor.
    package var threads = 0

    package init(entrances: [Entrance]) { self.entrances = entrances }
}

/// What is done about TLS.
package struct TLSSettings: Sendable {
    /// Accept any certificate of the server.
    package var isInsecure = false
    /// PEM files of authorities to trust beside the system's.
    package var upstreamAuthorities: [String] = []
    /// PEM file of the certificate to show to servers that ask for one, its chain after it.
    package var clientCertificate: String?
    /// PEM file of its key; the same file where this is nil.
    package var clientKey: String?
    /// File that session secrets are appended to.
    package var keyLog: String?
    /// Hosts whose TLS is not opened.
    package var passthrough: [HostGlob] = []
    /// Do not open the TLS of a host again whose client has refused our certificate.
    package var passesThroughOnFailure = false
    /// Offer servers HTTP/1.1 alone, and select no other HTTP with clients.
    package var speaksHTTP1 = false
    /// Folder of the local authority; the standard one where this is nil.
    package var authorityFolder: String?
    /// An authority that is there already, instead of one in a folder.
    package var authority: LocalAuthority?
    /// What has a client trust the authority, for advice: a sentence without its end.
    package var trustAdvice = "Make the client trust the local CA (unmask ca)"

    package init() {}
}
