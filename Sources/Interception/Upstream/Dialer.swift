import Libc
import NIOCore
import NIOPosix

/// Connects to servers: names are looked up in both families and raced (RFC 8305), our own listeners are refused.
package final class Dialer: Sendable {
    private let places: ListeningPlaces
    private let ownConnections: OwnConnections
    /// The most that is waited for one connection.
    private let patience: TimeAmount
    /// Gives connections that are there already (`ProxySettings.connected`).
    private let given: (@Sendable (SocketAddress) -> Int32?)?

    init(
        places: ListeningPlaces, ownConnections: OwnConnections, patience: TimeAmount,
        connected: (@Sendable (SocketAddress) -> Int32?)? = nil
    ) {
        given = connected
        self.places = places
        self.ownConnections = ownConnections
        self.patience = patience
    }

    /// Connects, with reading left to whoever takes the channel over. Fails with `DialFailure`.
    func dial(_ destination: Destination, on loop: any EventLoop) -> EventLoopFuture<any Channel> {
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(patience)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.socketOption(.so_keepalive), value: 1)
        let connected: EventLoopFuture<any Channel>
        var resolver: NameResolver?
        if let address = destination.literalAddress {
            if places.contain(address) {
                return loop.makeFailedFuture(DialFailure(SelfDialError(address: destination.description)))
            }
            connected = given == nil ? bootstrap.connect(to: address) : connect(to: address, with: bootstrap, on: loop)
        } else if let host = destination.host, let port = destination.port {
            // The connector gives up a try at a time; together they get no longer than one.
            let names = NameResolver(host: host, port: port, places: places, loop: loop)
            resolver = names
            connected = bootstrap.resolver(names).connect(host: host, port: port)
        } else {
            return loop.makeFailedFuture(DialFailure(kind: .other, reason: "cannot connect to \(destination): unsupported address"))
        }
        let ownConnections = ownConnections
        return connected.flatMapErrorThrowing { [resolver] error in
            // Where an address of the name is ours, that is the reason rather than what came of the others.
            throw resolver?.ownAddress.map { DialFailure(SelfDialError(address: $0)) } ?? DialFailure(error)
        }.flatMapThrowing { channel in
            guard ownConnections.dialled(channel) else { return channel }
            channel.close(promise: nil)
            throw DialFailure(kind: .dialsItself, reason: OwnConnections.advice(destination))
        }
    }
    /// Connects for a client in a network of its own, whose localhost is this machine's too.
    ///
    /// The kernel accepts such a client's connections before there is one to the server, so that the client does not come to try `127.0.0.1` where
    /// nobody listens at `::1`: this does it instead.
    private func connect(to address: SocketAddress, with bootstrap: ClientBootstrap, on loop: any EventLoop) -> EventLoopFuture<any Channel>
    {
        let twin: SocketAddress? =
            switch address.ipAddress {
            case "::1": try? SocketAddress(ipAddress: "127.0.0.1", port: address.port ?? 0)
            case "127.0.0.1": try? SocketAddress(ipAddress: "::1", port: address.port ?? 0)
            default: nil
            }
        for each in [address, twin].compactMap(\.self) {
            if let socket = given?(each) { return bootstrap.withConnectedSocket(socket) }
        }
        return bootstrap.connect(to: address).flatMapError { [places] error in
            guard let twin, (error as? IOError)?.errnoCode == ECONNREFUSED else { return loop.makeFailedFuture(error) }
            // The other address may be one of ours where the one that was dialled is not.
            if places.contain(twin) {
                return loop.makeFailedFuture(DialFailure(SelfDialError(address: Destination.address(twin).description)))
            }
            return bootstrap.connect(to: twin)
        }
    }
}
