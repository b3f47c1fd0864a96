/// A conversation begins. Content: what the names, `viaMode`, `viaTarget` and `processName` point to, if anything.
public struct Opening: Sendable {
    public enum Transport: UInt8, Sendable, CaseIterable { case tcp, unix }
    /// How the conversation came into sight.
    public enum Start: UInt8, Sendable, CaseIterable { case handshake, midstream, accepted }
    /// What the roles of the two sides were concluded from.
    public enum Roles: UInt8, Sendable, CaseIterable { case handshake, content, ports, guess }

    public var client: Endpoint
    public var server: Endpoint
    public var transport: Transport
    public var start: Start
    public var roles: Roles
    /// What the source calls the client: the path of a Unix socket; empty where it has no name.
    public var clientName: ByteRange
    /// What the source calls the server: the name that was dialled, or a path; empty where it has no name.
    public var serverName: ByteRange
    /// The way through a proxy, such as `http`; empty where there was none.
    public var viaMode: ByteRange
    /// What the client asked the proxy for; empty where it asked for nothing.
    public var viaTarget: ByteRange
    /// The process whose socket sent or received the first packet, where the source names it; empty where it does not.
    public var processName: ByteRange
    /// The number of that process; nil where the source has none.
    public var processIdentifier: UInt32?

    public init(
        client: Endpoint, server: Endpoint, transport: Transport = .tcp, start: Start, roles: Roles, clientName: ByteRange = ByteRange(),
        serverName: ByteRange = ByteRange(), viaMode: ByteRange = ByteRange(), viaTarget: ByteRange = ByteRange(),
        processName: ByteRange = ByteRange(), processIdentifier: UInt32? = nil
    ) {
        self.client = client
        self.server = server
        self.transport = transport
        self.start = start
        self.roles = roles
        self.clientName = clientName
        self.serverName = serverName
        self.viaMode = viaMode
        self.viaTarget = viaTarget
        self.processName = processName
        self.processIdentifier = processIdentifier
    }
}
