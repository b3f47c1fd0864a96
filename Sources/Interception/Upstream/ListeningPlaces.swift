import Libc
import NIOCore
import Synchronization

/// Where this proxy listens, to know when it would dial itself.
///
/// One place has many addresses: `0.0.0.0` and `::` reach this machine when they are dialled, an IPv4 address has a form inside
/// IPv6 (RFC 4291, section 2.5.5.2), and the path of a Unix socket may go round about. All are compared in one form.
final class ListeningPlaces: Sendable {
    private struct Places {
        var exact: Set<SocketAddress> = []
        /// Ports at which every address of this machine is listened at.
        var ports: Set<Int> = []
    }

    private let places = Mutex(Places())

    /// Takes note of an address that a listener is bound to.
    func add(_ address: SocketAddress) {
        let place = Self.canonical(address)
        places.withLock {
            if let port = place.port, Self.isWildcard(place) { $0.ports.insert(port) } else { $0.exact.insert(place) }
        }
    }

    /// Whether a connection to `address` would come back to this proxy.
    func contain(_ address: SocketAddress) -> Bool {
        let place = Self.canonical(address)
        return places.withLock { places in
            if let port = place.port, Self.isWildcard(place) {
                return places.ports.contains(port) || Self.loopback(for: place, port).map(places.exact.contains) ?? false
            }
            if places.exact.contains(place) { return true }
            guard let port = place.port, places.ports.contains(port) else { return false }
            return Self.isOfThisMachine(place)
        }
    }

    /// Whether it listens at this port of any address.
    func contain(port: Int) -> Bool {
        places.withLock { places in places.ports.contains(port) || places.exact.contains { $0.port == port } }
    }

    /// The form in which addresses are compared: IPv4 out of IPv6, no zone where none is needed (RFC 4007, section 6), paths without detours.
    private static func canonical(_ address: SocketAddress) -> SocketAddress {
        switch address {
        case .v6:
            let mapped = "::ffff:"
            guard let ip = address.ipAddress, let port = address.port, !ip.hasPrefix("fe80:") else { return address }
            return (try? SocketAddress(ipAddress: ip.hasPrefix(mapped) ? String(ip.dropFirst(mapped.count)) : ip, port: port)) ?? address
        case .unixDomainSocket:
            guard let path = address.pathname, let resolved = realpath(path, nil) else { return address }
            defer { free(resolved) }
            return (try? SocketAddress(unixDomainSocketPath: String(cString: resolved))) ?? address
        case .v4: return address
        }
    }

    private static func isWildcard(_ address: SocketAddress) -> Bool {
        address.ipAddress == "0.0.0.0" || address.ipAddress == "::"
    }

    /// What the kernel connects to where a wildcard is dialled.
    private static func loopback(for wildcard: SocketAddress, _ port: Int) -> SocketAddress? {
        try? SocketAddress(ipAddress: wildcard.ipAddress == "::" ? "::1" : "127.0.0.1", port: port)
    }

    /// Whether an address is one of this machine's own.
    static func isOfThisMachine(_ address: SocketAddress) -> Bool {
        guard let ip = address.ipAddress else { return false }
        if ip.hasPrefix("127.") || ip == "::1" { return true }
        let devices = (try? System.enumerateDevices()) ?? []
        return devices.contains { $0.address?.ipAddress == ip }
    }
}
