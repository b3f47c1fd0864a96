import Dissection
import Libc
import NIOCore
import NIOPosix
import Reports

/// Transparent mode: the kernel redirected the connection here (nftables `redirect`), and knows where it went.
final class TransparentFront: Front {
    let mode = "transparent"
    private let core: ProxyCore

    init(core: ProxyCore) { self.core = core }

    func start(_ session: ClientSession) {
        guard let channel = session.client.channel, let options = channel as? any SocketOptionProvider else {
            return session.refuse(with: nil, "the kernel tells no destination for this kind of connection")
        }
        OriginalDestination.of(channel, options).assumeIsolated().whenComplete { result in
            // Whoever connects to the listener itself was not redirected, and would be sent back here for ever.
            guard case .success(let address) = result, !self.core.places.contain(address) else {
                return session.refuse(
                    with: nil, as: .proxyLoop, "a client came to the listener itself, which only redirected connections may reach")
            }
            guard !self.core.ownConnections.redirected(channel, from: address) else {
                return session.refuse(with: nil, as: .proxyLoop, OwnConnections.advice(Destination.address(address)))
            }
            let destination = Destination.address(address)
            session.dial(Plan(destination: destination, serverTLS: .asTheClient, target: destination.description))
        }
    }
}

/// SO_ORIGINAL_DST: where a connection went before the kernel redirected it.
private enum OriginalDestination {
    /// SO_ORIGINAL_DST of linux/netfilter_ipv4.h, IP6T_SO_ORIGINAL_DST of linux/netfilter_ipv6/ip6_tables.h.
    private static let option = NIOBSDSocket.Option(rawValue: 80)

    static func of(_ channel: any Channel, _ options: any SocketOptionProvider) -> EventLoopFuture<SocketAddress> {
        #if os(Linux)
        switch channel.localAddress {
        case .v4:
            let found: EventLoopFuture<sockaddr_in> = options.unsafeGetSocketOption(
                level: NIOBSDSocket.OptionLevel(rawValue: CInt(IPPROTO_IP)), name: option)
            return found.map { SocketAddress($0) }
        case .v6:
            // A listener at :: takes IPv4 clients under mapped addresses, whose destination the IPv4 tables know.
            if Endpoint(channel.localAddress).address.family == .ipv4 {
                let found: EventLoopFuture<sockaddr_in> = options.unsafeGetSocketOption(
                    level: NIOBSDSocket.OptionLevel(rawValue: CInt(IPPROTO_IP)), name: option)
                return found.map { SocketAddress($0) }
            }
            let found: EventLoopFuture<sockaddr_in6> = options.unsafeGetSocketOption(
                level: NIOBSDSocket.OptionLevel(rawValue: CInt(IPPROTO_IPV6)), name: option)
            return found.map { SocketAddress($0) }
        default: return channel.eventLoop.makeFailedFuture(DialFailure(kind: .other, reason: "the kernel knows no original destination"))
        }
        #else
        return channel.eventLoop.makeFailedFuture(DialFailure(kind: .other, reason: "transparent mode is for Linux"))
        #endif
    }
}
