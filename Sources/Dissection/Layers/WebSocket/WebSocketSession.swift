/// What the two directions of a WebSocket share: the agreement, and the pings that wait.
struct WebSocketSession {
    let negotiation: WebSocketNegotiation
    var clientPings = PendingPings()
    var serverPings = PendingPings()
    /// When each side sent the first ping since the last pong of the other one, whichever ping that answered.
    var clientAsked: Timestamp?
    var serverAsked: Timestamp?
    /// Made with the first message that is longer than most are, or comes in parts.
    private var clientSizes: SizesBox?
    private var serverSizes: SizesBox?
    /// What `longest` is of each: asked for every message, whose session has the box of its sizes mostly out of the cache.
    private var clientLongest = MessageSizes.leastNoted
    private var serverLongest = MessageSizes.leastNoted
    /// The side that ended first, and what the other one had sent by then; nil while both may send.
    var firstEnd: FirstEnd?

    /// A class, because most sessions that are open have none yet.
    final class FirstEnd: Sendable {
        let side: Side
        let sizes: MessageSizes
        /// Messages that were whole.
        let messages: UInt64
        /// Bytes that had come of the one that was not.
        let came: UInt64
        let announced: AnnouncedLimit

        init(side: Side, sizes: MessageSizes, messages: UInt64, came: UInt64, announced: AnnouncedLimit) {
            (self.side, self.sizes, self.messages, self.came, self.announced) = (side, sizes, messages, came, announced)
        }
    }

    init(negotiation: WebSocketNegotiation) { self.negotiation = negotiation }

    /// RSV1 on a message may mean that it is compressed: agreed, or not known.
    var mayCompress: Bool { negotiation.compression != nil || !negotiation.isKnown }

    /// How a side compresses (RFC 7692, section 7.1); the widest where it is not known.
    func compression(of side: Side) -> (takeover: Bool, windowBits: UInt8) {
        guard let agreed = negotiation.compression else { return (true, 15) }
        return side == .client
            ? (agreed.clientTakeover, agreed.clientWindowBits) : (agreed.serverTakeover, agreed.serverWindowBits)
    }

    /// What would stay open if the connection ended now.
    var standing: Standing {
        var standing = Standing(.stream, clientAsks: clientAsked != nil, serverAsks: serverAsked != nil)
        standing.isEndless = true
        standing.isPhoenix = negotiation.isPhoenix
        return standing
    }

    /// When a side sent a ping after which no pong came.
    subscript(asked side: Side) -> Timestamp? {
        get { side == .client ? clientAsked : serverAsked }
        set { if side == .client { clientAsked = newValue } else { serverAsked = newValue } }
    }

    /// How long the messages are that a side has sent.
    subscript(sizes side: Side) -> MessageSizes { (side == .client ? clientSizes : serverSizes)?.sizes ?? MessageSizes() }

    /// Bytes of the longest message that a side has sent, among those that are noted.
    @inline(__always)
    func longest(of side: Side) -> UInt64 { side == .client ? clientLongest : serverLongest }

    /// Changes what is noted of the messages of a side.
    mutating func noteSizes(of side: Side, _ change: (inout MessageSizes) -> Void) {
        let box = (side == .client ? clientSizes : serverSizes) ?? SizesBox()
        if side == .client { clientSizes = box } else { serverSizes = box }
        change(&box.sizes)
        if side == .client { clientLongest = box.sizes.longest } else { serverLongest = box.sizes.longest }
    }

    /// The message of a side that was under way has ended.
    func endMessage(of side: Side) { (side == .client ? clientSizes : serverSizes)?.sizes.end() }

    /// The unanswered pings that a side sent.
    subscript(pings side: Side) -> PendingPings {
        get { side == .client ? clientPings : serverPings }
        _modify {
            if side == .client { yield &clientPings } else { yield &serverPings }
        }
    }
}

/// The sizes of a side's messages; apart, because a session whose messages are all short has none.
private final class SizesBox {
    var sizes = MessageSizes()
}
