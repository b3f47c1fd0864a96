/// Which protocol the bytes of a channel are whose beginning was not captured, and which side can have sent them. They are searched for
/// something that is known (`RecognitionSearch`); where the beginning was captured, the rows of `LayerTable` say what it is.
enum ProtocolRecognition {
    /// What a stream was recognised as without the first bytes deciding. `client` is the side that shows itself as the
    /// client, where the bytes say so.
    struct Clue: Equatable {
        var layer: LayerName
        var client: Side?
    }

    /// The last word on a stream in which no side gave itself away: one TLS record alone, WebSocket frames that start
    /// somewhere in the bytes, the beginning of a request, or nothing known.
    ///
    /// - Parameters:
    ///   - client: what waits of the side that is the client, or goes as it.
    ///   - search: what was searched of both sides.
    ///   - areRolesKnown: it is known that it is the client. Where it is not, a mask tells it.
    static func lastWord(client: RawSpan, server: RawSpan, search: RecognitionSearch, areRolesKnown: Bool) -> Clue {
        if let clue = search.conclude() { return clue }
        if search.beginsWithOneRecord { return Clue(layer: .tls, client: areRolesKnown ? .client : nil) }
        for side in [Side.client, .server] where !areRolesKnown || side == .client {
            let bytes = side == .client ? client : server
            if WebSocketFooting.border(in: bytes, from: 0, masked: true) != nil { return Clue(layer: .webSocket, client: side) }
        }
        for side in [Side.client, .server] where !areRolesKnown || side == .server {
            let bytes = side == .client ? client : server
            if WebSocketFooting.border(in: bytes, from: 0, masked: false) != nil {
                return Clue(layer: .webSocket, client: side.peer)
            }
        }
        for side in [Side.client, .server] where !areRolesKnown || side == .client {
            let bytes = side == .client ? client : server
            let run = bytes.extracting(0..<search.firstRun(of: side, in: bytes))
            if HTTP1Lines.isUnfinishedRequest(run) { return Clue(layer: .http, client: side) }
        }
        return Clue(layer: .data, client: areRolesKnown ? .client : nil)
    }
}
