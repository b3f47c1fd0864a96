import Dissection
import NIOCore

extension Endpoint {
    /// The endpoint that a socket's address names; no address for a Unix socket or an unknown one.
    init(_ address: SocketAddress?) {
        guard let address else {
            self.init(address: IPAddress(), port: 0)
            return
        }
        // What bind(2) and connect(2) take: family, port in network order, then the address (ip(7), ipv6(7)).
        self =
            switch address {
            case .v4:
                address.withSockAddr { socket, _ in
                    let bytes = UnsafeRawPointer(socket)
                    let ip = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
                    return Endpoint(address: IPAddress(ipv4: ip), port: Self.port(bytes))
                }
            case .v6:
                address.withSockAddr { socket, _ in
                    let bytes = UnsafeRawPointer(socket)
                    let high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                    let low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
                    // An IPv4 peer of a socket for both families (RFC 4291, section 2.5.5.2).
                    let isMapped = high == 0 && low >> 32 == 0xFFFF
                    let ip = isMapped ? IPAddress(ipv4: UInt32(truncatingIfNeeded: low)) : IPAddress(ipv6High: high, low: low)
                    return Endpoint(address: ip, port: Self.port(bytes))
                }
            case .unixDomainSocket: Endpoint(address: IPAddress(), port: 0)
            }
    }

    private static func port(_ socket: UnsafeRawPointer) -> UInt16 {
        UInt16(bigEndian: socket.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
}

extension LiveEndpoint {
    /// - Parameter port: the port that was asked for, where no address is known.
    init(_ address: SocketAddress?, name: String? = nil, port: Int? = nil) {
        var endpoint = Endpoint(address)
        if address == nil, let port { endpoint.port = UInt16(clamping: port) }
        self.init(endpoint: endpoint, name: name)
    }
}
