/// What became of the bytes that a layer was given.
package enum LayerOutcome {
    /// All were taken.
    case taken
    /// Those from `consumed` on, and all that follow in this direction, wait for a decision of the other side.
    case hold(consumed: Int)
    /// What the other side waited for is decided: its bytes come first, then those from `consumed` on.
    case release(consumed: Int)
    /// The protocol changes: the bytes from `consumed` on, and those held of either side, belong to the next layer. Indirect, so that
    /// the outcome of every other segment is two words, and not as large as what a handshake has agreed on.
    indirect case handOver(consumed: Int, to: NextLayer)
}

/// What follows a layer that hands over.
package enum NextLayer {
    /// The layer of that name, from here on.
    case layer(LayerName, LayerStart)
    /// Whatever the bytes turn out to be. `fromStart`: they are the first of what they belong to; otherwise their beginning
    /// may be missing, and they are searched for something known.
    case undecided(fromStart: Bool)
    /// A channel inside this one begins here, with a conversation of its own (the inside of a CONNECT tunnel).
    case inside(fromStart: Bool)

    package static func webSocket(_ negotiation: WebSocketNegotiation) -> NextLayer {
        .layer(.webSocket, LayerStart(negotiation: negotiation))
    }

    /// Bytes of a protocol that has no layer (h2c, or any other upgrade).
    package static var opaque: NextLayer { .layer(.data, LayerStart()) }
}

/// What a layer is told of how it came to read.
package struct LayerStart: Sendable {
    /// What the opening handshake of a WebSocket agreed on, where it was seen.
    package var negotiation: WebSocketNegotiation?
    /// The user said that this is spoken.
    package var isForced = false
    /// It was found by searching: what came before it on a side need not belong to it.
    package var isFound = false
    /// As before, but what came first was still open when bytes after it were lost: it is the layer's own, or something before it.
    package var isFoundAfterLoss = false
    /// Only the server speaks it: a response of HTTP, or frames of HTTP/2, to something that was none.
    package var isResponseAlone = false
    /// How the user said that the bytes are cut into messages.
    package var framing: FramingPair?
    /// The request that has asked for the layer, and is answered in it: that of an upgrade to HTTP/2.
    package var offer: UpgradeOffer?
    /// So many of the layer's own first bytes were taken for something else before it: those of a client's preface of HTTP/2.
    package var takenBytes = 0
    /// The first bytes of a server's first frame of HTTP/2, which were taken for something else before it, and where they came from.
    package var takenFrame: (bytes: [UInt8], place: Place)?
}
