import Dissection

/// The names that requests of reverse mode may have in `Host`, `:authority` and `Origin`: those of the proxy, which a client knows, and those of the
/// server, which it would use without the proxy.
package struct ReverseNames: Hashable, Sendable {
    /// Where the client has reached the proxy.
    package var proxy: HostPort
    /// Where the proxy has reached the server.
    package var server: HostPort
    /// What `Host` should be for the server, as the upstream's URL has it.
    package var authority: String
    /// What `Origin` should be for a page of the server.
    package var origin: String
    /// The proxy replaces `Host`, or `Origin`, already.
    package var isHostRewritten = false
    package var isOriginRewritten = false

    package init(proxy: HostPort, server: HostPort, authority: String, isSecure: Bool) {
        self.proxy = proxy
        self.server = server
        self.authority = authority
        origin = (isSecure ? "https://" : "http://") + authority
    }

    /// Ports that need not be written.
    private static let standardPorts: [UInt16] = [80, 443]

    /// Whether an authority is the proxy's own.
    ///
    /// - Parameter named: its port is 0 where none is written.
    package func isProxy(_ named: HostPort) -> Bool {
        if isServer(named) { return false }
        if named.port == proxy.port { return true }
        // Without a port nothing but the host tells, and a name that leads here by /etc/hosts is the server's.
        guard named.port == 0, Self.standardPorts.contains(proxy.port) else { return false }
        return named.isLoopback || named.address != nil && named.address == proxy.address
    }

    /// Whether an authority is the server's, as the upstream's URL has it.
    ///
    /// - Parameter named: its port is 0 where none is written.
    package func isServer(_ named: HostPort) -> Bool { hasServerName(named) && matches(named.port, server.port) }

    /// Whether it differs from the server's in the port alone, to which servers with names for their sites pay no attention.
    package func hasServerName(_ named: HostPort) -> Bool { named.host.lowercased() == server.host.lowercased() }

    private func matches(_ written: UInt16, _ port: UInt16) -> Bool { written == port || written == 0 && Self.standardPorts.contains(port) }
}
