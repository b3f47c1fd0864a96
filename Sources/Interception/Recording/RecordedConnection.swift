import Dissection
import Reports

/// One of the two connections of a conversation, as its sockets name it: what a sealed recording (`-w --sealed`) is made of.
package struct RecordedConnection: Sendable {
    /// Who has opened it: the client, or the proxy.
    package var client: Endpoint
    /// Who has accepted it: the proxy, or the server, or another proxy on the way to it.
    package var server: Endpoint
    /// Whom the proxy has it with.
    package var peer: Side
    /// It goes over a Unix socket, which has no addresses.
    package var isUnix = false

    /// What a recording has of it.
    func opening(number: UInt64) -> RelayedOpening {
        var client = client
        // The ports tell clients of a Unix socket apart.
        if isUnix { client = Endpoint(address: IPAddress(ipv4: 0), port: UInt16(truncatingIfNeeded: 1_024 + (number - 1) % 64_512)) }
        let comment = RelayComment.connection(number, with: peer) + (isUnix ? ", over a Unix socket" : "")
        return RelayedOpening(number: number, client: client, server: server, comment: comment, serverHostName: nil, peer: peer)
    }
}
