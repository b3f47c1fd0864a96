import NIOCore
import NIOPosix

/// Connects to servers: names are looked up in both families and raced (RFC 8305), our own listeners are refused.
package final class Dialer: Sendable {
    private let places: ListeningPlaces
    private let ownConnections: OwnConnections
    /// The most that is waited for one connection.
    private let patience: TimeAmount

    init(places: ListeningPlaces, ownConnections: OwnConnections, patience: TimeAmount) {
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
            connected = bootstrap.connect(to: address)
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
}
