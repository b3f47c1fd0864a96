import NIOCore

/// Where a client wants to go.
package enum Destination: Hashable, Sendable, CustomStringConvertible {
    /// A name or the text of an address, and a port. IPv6 addresses stand without brackets.
    case host(String, port: Int)
    /// An address that the kernel or a preamble gave.
    case address(SocketAddress)
    /// The path of a Unix socket.
    case unix(String)

    /// As people write it: `example.org:443`, `[::1]:80`, `unix:/run/app.sock`.
    package var description: String {
        switch self {
        case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .address(let address):
            switch address {
            case .v4: "\(address.ipAddress ?? "?"):\(address.port ?? 0)"
            case .v6: "[\(address.ipAddress ?? "?")]:\(address.port ?? 0)"
            case .unixDomainSocket: "unix:\(address.pathname ?? "")"
            }
        case .unix(let path): "unix:\(path)"
        }
    }

    /// The name or address without the port; none for a Unix socket.
    package var host: String? {
        switch self {
        case .host(let host, _): host
        case .address(let address): address.ipAddress
        case .unix: nil
        }
    }

    package var port: Int? {
        switch self {
        case .host(_, let port): port
        case .address(let address): address.port
        case .unix: nil
        }
    }

    /// The address, where no name has to be looked up.
    var literalAddress: SocketAddress? {
        switch self {
        case .host(let host, let port): try? SocketAddress(ipAddress: host, port: port)
        case .address(let address): address
        case .unix(let path): try? SocketAddress(unixDomainSocketPath: path)
        }
    }
}

extension ProxySettings {
    /// The proxy on the way to a server; none before a Unix socket, which is on this machine.
    func via(to destination: Destination) -> ViaURL? { if case .unix = destination { nil } else { via } }
}
