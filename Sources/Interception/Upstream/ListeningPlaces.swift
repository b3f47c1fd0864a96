import NIOCore
import Synchronization

/// Where this proxy listens, to know when it would dial itself.
final class ListeningPlaces: Sendable {
    private struct Places {
        var exact: Set<SocketAddress> = []
        /// Ports at which every address of this machine is listened at.
        var ports: Set<Int> = []
    }

    private let places = Mutex(Places())

    /// Takes note of an address that a listener is bound to.
    func add(_ address: SocketAddress) {
        places.withLock {
            if let port = address.port, Self.isWildcard(address) { $0.ports.insert(port) } else { $0.exact.insert(address) }
        }
    }

    /// Whether a connection to `address` would come back to this proxy.
    func contain(_ address: SocketAddress) -> Bool {
        places.withLock { places in
            if places.exact.contains(address) { return true }
            guard let port = address.port, places.ports.contains(port) else { return false }
            return Self.isWildcard(address) || Self.isOfThisMachine(address)
        }
    }

    private static func isWildcard(_ address: SocketAddress) -> Bool {
        address.ipAddress == "0.0.0.0" || address.ipAddress == "::"
    }

    private static func isOfThisMachine(_ address: SocketAddress) -> Bool {
        guard let ip = address.ipAddress else { return false }
        if ip.hasPrefix("127.") || ip == "::1" { return true }
        let devices = (try? System.enumerateDevices()) ?? []
        return devices.contains { $0.address?.ipAddress == ip }
    }
}
