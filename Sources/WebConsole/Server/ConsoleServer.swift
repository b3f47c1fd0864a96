import Libc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// The web console of a run: serves the page and what it requests, on this machine unless another address is named.
package final class ConsoleServer: Sendable {
    /// Where it is reached, and by which names.
    package struct Place: Sendable {
        package var host = "127.0.0.1"
        /// 0 for any.
        package var port = 0
        /// Names that it goes by beside those of this machine.
        package var names: [String] = []

        package init() {}
    }

    /// An address that cannot be had.
    package struct Failure: Error, CustomStringConvertible { package let description: String }

    /// A port that is held, on which nobody is accepted before there is something to show.
    package struct Port: Sendable {
        fileprivate let listening: any Channel
        fileprivate let group: MultiThreadedEventLoopGroup
        fileprivate let place: Place
        fileprivate let console: ConsoleBox
        fileprivate let connections: Connections
        fileprivate let token: String
        package var address: SocketAddress? { listening.localAddress }

        /// An IPv4 address that is written as one of IPv6 is itself, as a browser writes it.
        fileprivate var ipAddress: String {
            let address = address?.ipAddress ?? ""
            let mapped = "::ffff:"
            return address.hasPrefix(mapped) && address.contains(".") ? String(address.dropFirst(mapped.count)) : address
        }

        /// The address as a URL has it. Where it listens at all of them, this machine's own name for itself.
        fileprivate var shownHost: String {
            let address = ipAddress
            if address.isEmpty || address == "0.0.0.0" || address == "::" { return "127.0.0.1" }
            return address.contains(":") ? "[\(address)]" : address
        }
    }

    private let port: Port
    private let console: Console

    /// The most connections: six and a WebSocket for each of several tabs.
    private static let mostConnections = 64

    /// Binds the address.
    package static func bind(_ place: Place) throws(Failure) -> Port {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (box, connections, token) = (ConsoleBox(), Connections(most: mostConnections), AccessRules.makeToken())
        do {
            let listening = try ServerBootstrap(group: group)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.autoRead, value: false)
                .serverChannelOption(.backlog, value: 256)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.writeBufferWaterMark, value: .init(low: 16 << 10, high: 64 << 10))
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        guard let (console, rules) = box.content, connections.admit(channel) else { return channel.close(promise: nil) }
                        channel.closeFuture.whenComplete { _ in connections.remove(channel) }
                        try ConsolePipeline.configure(channel, console, rules, connections)
                    }
                }
                .bind(host: place.host, port: place.port).wait()
            return Port(listening: listening, group: group, place: place, console: box, connections: connections, token: token)
        } catch {
            try? group.syncShutdownGracefully()
            let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
            throw Failure(description: "the console cannot listen on \(place.host):\(place.port): \(reason)")
        }
    }

    /// Gives a port back that nothing came of.
    package static func release(_ port: Port) {
        port.listening.close(promise: nil)
        try? port.group.syncShutdownGracefully()
    }

    /// Begins to serve a store.
    package init(on port: Port, _ store: ConsoleStore) {
        self.port = port
        console = Console(store)
        let rules = AccessRules(
            port: port.address?.port ?? 0, address: port.shownHost, names: port.place.names, token: port.token)
        port.console.content = (console, rules)
        port.listening.setOption(.autoRead, value: true).whenComplete { _ in }
    }

    /// What the user opens.
    package var url: String { "http://\(port.shownHost):\(port.address?.port ?? 0)/#\(port.token)" }

    /// Whether only programs of this machine reach it.
    package var isLoopback: Bool {
        let address = port.ipAddress
        return address.hasPrefix("127.") || address == "::1"
    }

    /// Ends all connections and gives the threads back.
    package func shutDown() {
        port.listening.close(promise: nil)
        port.connections.closeAll()
        port.console.content = nil
        try? port.group.syncShutdownGracefully()
        console.shutDown()
    }
}

/// What a port serves, once it is there.
final class ConsoleBox: Sendable {
    private let held = Mutex<(console: Console, rules: AccessRules)?>(nil)

    var content: (console: Console, rules: AccessRules)? {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
}
