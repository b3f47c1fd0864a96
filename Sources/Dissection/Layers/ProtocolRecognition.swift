/// Which protocol the first bytes of a conversation are, and which side can have sent them.
///
/// Two cases. At the start of a stream the first bytes decide, and where they fit nothing the stream is opaque at once.
/// In a stream whose beginning was not captured they are searched for something that is known.
enum ProtocolRecognition {
    /// At the start: what the bytes of the two sides are. Nil while they are the beginning of several things.
    static func atStart(client: RawSpan, server: RawSpan) -> LayerStack.Current? {
        if client.byteCount > 0 {
            switch HTTP1Lines.requestLine(in: client, at: 0) {
            case .yes: return .http1
            case .undecided: return nil
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

    /// What a stream without a beginning was recognised as. `client` is the direction in which the client sends, where
    /// the bytes say so.
    struct Clue {
        var layer: LayerStack.Current
        var client: Direction?
    }

    /// Searches the bytes of one direction from `start` on. `start` moves to where the next search has to begin.
    static func clue(in bytes: RawSpan, of direction: Direction, from start: inout Int) -> Clue? {
        if WebSocketFooting.isBorder(bytes, at: 0, masked: true) {
            return Clue(layer: .webSocket, client: direction)
        }
        var position = start
        while position < bytes.byteCount {
            switch bytes[position] {
            case 0x16:
                if case .yes = TLSRecords.beginsWithHello(bytes.suffix(from: position), type: 1) {
                    return Clue(layer: .tls, client: direction)
                }
                if case .yes = TLSRecords.beginsWithHello(bytes.suffix(from: position), type: 2) {
                    return Clue(layer: .tls, client: direction.other)
                }
            case UInt8(ascii: "H"):
                if case .yes = HTTP1Lines.statusLine(in: bytes, at: position) { return Clue(layer: .http1, client: direction.other) }
                if case .yes = HTTP1Lines.requestLine(in: bytes, at: position) { return Clue(layer: .http1, client: direction) }
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                if position == 0 || bytes[position - 1] == 0x0A,
                    case .yes = HTTP1Lines.requestLine(in: bytes, at: position)
                {
                    return Clue(layer: .http1, client: direction)
                }
            default:
                break
            }
            position += 1
        }
        // A line that is not whole yet is looked at again; none is longer than this.
        start = max(0, bytes.byteCount - HTTP1Lines.longestStartLine)
        return nil
    }

    /// The last word on a stream without a beginning in which no side gave itself away: WebSocket frames that start
    /// somewhere in the bytes, or nothing known. `client` is the bytes of the side that plays the client.
    static func lastWord(client: RawSpan, server: RawSpan) -> LayerStack.Current {
        if WebSocketFooting.border(in: client, from: 0, masked: true) != nil { return .webSocket }
        if WebSocketFooting.border(in: server, from: 0, masked: false) != nil { return .webSocket }
        return .opaque
    }
}

/// An answer that may have to wait for more bytes.
package enum Recognized: Sendable {
    case yes
    case no
    /// The bytes so far could become it.
    case undecided
}
