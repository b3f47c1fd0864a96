import Dissection
import NIOCore
import Synchronization

/// Knows a connection of the proxy's own that a rule of the kernel sent back to it, which it would otherwise dial again without end.
///
/// The two ends of such a connection are told apart by nothing but their address: the one that the proxy dialled from is the one that the
/// listener sees. Either may be noticed first, so each looks for the other.
final class OwnConnections: Sendable {
    private struct Ends {
        var dialled: Set<Endpoint> = []
        var redirected: Set<Endpoint> = []
    }

    private let ends = Mutex(Ends())
    /// Whether connections are redirected to this proxy at all.
    private let isWatching: Bool

    init(isWatching: Bool) { self.isWatching = isWatching }

    /// Takes note of a connection to a server, until it is closed.
    ///
    /// - Returns: Whether it is known to have come back.
    func dialled(_ channel: any Channel) -> Bool { note(\.dialled, beside: \.redirected, channel.localAddress, until: channel) }

    /// Takes note of a client that was redirected here, until its connection is closed.
    ///
    /// - Returns: Whether it is known to be this proxy.
    func redirected(_ channel: any Channel) -> Bool { note(\.redirected, beside: \.dialled, channel.remoteAddress, until: channel) }

    /// What happened, and what to do about it.
    static func advice(_ destination: Destination) -> String {
        "its own connection to \(destination) was redirected back to it; let the rules leave out the user or group that the proxy runs as"
    }

    private func note(
        _ side: WritableKeyPath<Ends, Set<Endpoint>> & Sendable, beside other: KeyPath<Ends, Set<Endpoint>> & Sendable,
        _ address: SocketAddress?, until channel: any Channel
    ) -> Bool {
        guard isWatching, let address, address.port != nil else { return false }
        let end = Endpoint(address)
        let isOwn = ends.withLock { ends in
            ends[keyPath: side].insert(end)
            return ends[keyPath: other].contains(end)
        }
        channel.closeFuture.whenComplete { _ in self.ends.withLock { _ = $0[keyPath: side].remove(end) } }
        return isOwn
    }
}
