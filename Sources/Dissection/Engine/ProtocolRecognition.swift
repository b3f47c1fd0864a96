/// Which protocol the first bytes of a conversation are, and which side can have sent them.
///
/// Two cases. At the start of a stream the first bytes decide, and where they fit nothing the stream is opaque at once.
/// In a stream whose beginning was not captured they are searched for something that is known (`RecognitionSearch`).
enum ProtocolRecognition {
    /// At the start: what the bytes of the two sides are. Nil while they are the beginning of several things.
    ///
    /// - Parameters:
    ///   - client: what the client has sent, none where it has not spoken.
    ///   - searched: how far the client's bytes were searched for the end of a line.
    static func atStart(client: RawSpan, server: RawSpan, searched: inout Int) -> LayerStack.Current? {
        if client.byteCount > 0 {
            switch ProxyHeader.begins(client) {
            case .yes: return .proxyHeader
            case .undecided: return nil
            case .no: break
            }
            switch HTTP1Lines.requestAtStart(client, searched: &searched) {
            case .yes: return .http1
            case .undecided:
                // A server that has spoken otherwise does not wait for the end of a request line.
                if server.byteCount == 0 || HTTP1Lines.statusLine(in: server, at: 0) != .no { return nil }
            case .no: break
            }
            switch TLSRecords.beginsWithHello(client, type: 1) {
            case .yes: return .tls
            case .undecided: return nil
            case .no: return .opaque
            }
        }
        switch HTTP1Lines.statusLine(in: server, at: 0) {
        case .yes: return .http1
        case .undecided: return nil
        case .no: break
        }
        switch TLSRecords.beginsWithHello(server, type: 2) {
        case .yes: return .tls
        case .undecided: return nil
        case .no: return .opaque
        }
    }

    /// What a stream was recognised as without the first bytes deciding. `client` is the direction in which the client
    /// sends, where the bytes say so.
    struct Clue: Equatable {
        var layer: LayerStack.Current
        var client: Direction?
    }

    /// The last word on a stream in which no side gave itself away: one TLS record alone, WebSocket frames that start
    /// somewhere in the bytes, the beginning of a request, or nothing known.
    ///
    /// - Parameters:
    ///   - search: what was searched of both directions.
    ///   - client: the direction in which the client sends, where it is known. Where it is not, a mask tells it.
    static func lastWord(first: RawSpan, second: RawSpan, search: RecognitionSearch, client: Direction?) -> Clue {
        if let clue = search.conclude() { return clue }
        if search.beginsWithOneRecord { return Clue(layer: .tls, client: client) }
        for direction in [Direction.first, .second] where client == nil || client == direction {
            let bytes = direction == .first ? first : second
            if WebSocketFooting.border(in: bytes, from: 0, masked: true) != nil { return Clue(layer: .webSocket, client: direction) }
        }
        for direction in [Direction.first, .second] where client != direction {
            let bytes = direction == .first ? first : second
            if WebSocketFooting.border(in: bytes, from: 0, masked: false) != nil {
                return Clue(layer: .webSocket, client: direction.other)
            }
        }
        for direction in [Direction.first, .second] where client == nil || client == direction {
            let bytes = direction == .first ? first : second
            let run = bytes.extracting(0..<search.firstRun(of: direction, in: bytes))
            if HTTP1Lines.isUnfinishedRequest(run) { return Clue(layer: .http1, client: direction) }
        }
        return Clue(layer: .opaque, client: client)
    }
}
