import Dissection
import NIOCore
import Synchronization

/// Knows a connection of the proxy's own that a rule of the kernel sent back to it, which it would otherwise dial again without end.
///
/// Its two ends are known by their addresses: where the proxy dialled from is where the client comes from, and where it dialled is where the client
/// was going. One of them alone would not do, since the system gives a port to several connections that go to different places. Either end may be
/// noticed first, so each looks for the other.
final class OwnConnections: Sendable {
    private struct Way: Hashable {
        var from: Endpoint
        var to: Endpoint
    }

    private struct Ends {
        var dialled: Set<Way> = []
        var redirected: Set<Way> = []
    }

    private let ends = Mutex(Ends())
    /// Whether connections are redirected to this proxy at all.
    private let isWatching: Bool

    init(isWatching: Bool) { self.isWatching = isWatching }

    /// Takes note of a connection to a server, until it is closed.
    ///
    /// - Returns: Whether it is known to have come back.
    func dialled(_ channel: any Channel) -> Bool {
        note(\.dialled, beside: \.redirected, channel.localAddress, channel.remoteAddress, until: channel)
    }

    /// Takes note of a client that was redirected here, until its connection is closed.
    ///
    /// - Parameter target: where it was going.
    /// - Returns: Whether it is known to be this proxy.
    func redirected(_ channel: any Channel, from target: SocketAddress) -> Bool {
        note(\.redirected, beside: \.dialled, channel.remoteAddress, target, until: channel)
    }

    /// What happened, and what to do about it.
    static func advice(_ destination: Destination) -> String {
        "its own connection to \(destination) was redirected back to it; let the rules leave out the user or group that the proxy runs as"
    }

    private func note(
        _ side: WritableKeyPath<Ends, Set<Way>> & Sendable, beside other: KeyPath<Ends, Set<Way>> & Sendable,
        _ source: SocketAddress?, _ target: SocketAddress?, until channel: any Channel
    ) -> Bool {
        guard isWatching, let source, source.port != nil else { return false }
        let end = Way(from: Endpoint(source), to: Endpoint(target))
        let isOwn = ends.withLock { ends in
            ends[keyPath: side].insert(end)
            return ends[keyPath: other].contains(end)
        }
        channel.closeFuture.whenComplete { _ in self.ends.withLock { _ = $0[keyPath: side].remove(end) } }
        return isOwn
    }
}
