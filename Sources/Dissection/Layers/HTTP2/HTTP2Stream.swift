/// One stream: a request and its response, or a channel that a CONNECT has opened (RFC 9113, section 5).
///
/// A class, because it is changed in place, and there is one for each request at most.
final class HTTP2Stream {
    /// What one side sends in it.
    struct Half {
        /// Its request, or its final response, has come.
        var hasHead = false
        /// It has sent END_STREAM, or the stream was reset.
        var isEnded = false
        /// Its first bytes of DATA have come.
        var hasBody = false
        /// The last part of its body was told.
        var isBodyTold = false
        var body = BodyAssembly()
        /// Where the first of them stood.
        var bodyStart: UInt64 = 0
        /// Bytes of DATA so far, without padding.
        var dataBytes: UInt64 = 0
        /// What the head says of the body.
        var content = HTTP2Content()
        /// Bytes were lost.
        var hasGap = false
        /// How much of the side was lost when the stream was last used by it; see `HTTP2Direction.lostBytes`.
        var seenLostBytes: UInt64
        /// Bytes that the side was given beside the first window, less what it has sent. The first window is the same for all streams, and
        /// may change while they are open (section 6.9.2).
        var credit: Int64 = 0
        /// It has used its window up, and waits since then.
        var waitsSince: Timestamp?
        /// It has waited, and was given more; it has not gone on since.
        var stall: Stall?

        init(lostBytes: UInt64) { seenLostBytes = lostBytes }
    }

    /// How long a side had no window, in nanoseconds; which one it was given at last, and when.
    struct Stall {
        var wait: Int64
        var window: HTTP2Window
        var end: Timestamp
    }

    /// What only a CONNECT has.
    final class Channel {
        /// The request's head, where it asks for a protocol.
        var offer: UpgradeOffer?
        /// Reads what the stream carries as a channel of its own.
        var inside: RunningLayer?
        var insideBytes = 0
        var beginning = ChannelBeginning()
        /// Bytes that came before it was granted.
        var early: [UInt8] = []
        var earlyArrival: Arrival?

        var heldBytes: Int { 512 + early.capacity + (offer?.head.capacity ?? 0) + insideBytes }
    }

    /// What the request asks the stream to become.
    enum Purpose {
        case exchange
        /// CONNECT (section 8.5).
        case tunnel
        /// CONNECT with `:protocol` (RFC 8441, section 4).
        case webSocket
        /// As before, of another protocol.
        case otherProtocol
    }

    let number: UInt32
    var client: Half
    var server: Half
    var purpose = Purpose.exchange
    /// The request, by its number; nil where it was not seen.
    var exchange: UInt64?
    /// The beginning of the request's method and target, and how much of it is the method.
    var asked: [UInt8] = []
    var methodCount = 0
    var isAskedCut = false
    /// The request was HEAD.
    var isHead = false
    /// The final response has no content, whatever DATA comes.
    var hasNoBody = false
    /// The response is one of gRPC, of which nothing has said yet how the call has ended.
    var awaitsCallStatus = false
    /// Of a gRPC call: the nanoseconds that its client waits for it.
    var deadline: Int64?
    /// When the request's head had come.
    var requestStart: Timestamp?
    /// When its last frame came, of either side, and the longest silence before one, in nanoseconds.
    private(set) var lastFrame: Timestamp?
    private(set) var survivedSilence: Int64 = 0
    /// When the last byte of the request came.
    var requestEnd: Timestamp?
    /// When its first head came.
    let opened: Timestamp?
    /// Nil of most streams.
    var channel: Channel?
    /// What was counted of it last.
    var countedBytes = 0

    /// - Parameters:
    ///   - lostByClient: as `Half.seenLostBytes`.
    ///   - lostByServer: as `Half.seenLostBytes`.
    init(_ number: UInt32, at time: Timestamp?, lostByClient: UInt64, lostByServer: UInt64) {
        self.number = number
        opened = time
        client = Half(lostBytes: lostByClient)
        server = Half(lostBytes: lostByServer)
    }

    /// Reads what the stream carries, where it is a channel of its own.
    var inside: RunningLayer? { channel?.inside }

    subscript(side: Side) -> Half {
        _read { yield side == .client ? client : server }
        _modify { if side == .client { yield &client } else { yield &server } }
    }

    /// The head of a request has come.
    func note(asked name: borrowing RequestName) {
        asked = []
        asked.append(copying: name.method)
        methodCount = asked.count
        asked.append(copying: name.target)
        isAskedCut = name.isCut
    }

    /// A head or a DATA frame of either side came.
    func noteFrame(at time: Timestamp?) {
        if let last = lastFrame, let time { survivedSilence = max(survivedSilence, time.nanoseconds(since: last)) }
        lastFrame = time
    }

    var isOver: Bool { client.isEnded && server.isEnded }

    /// The object, its place in the table of streams, and what the heap adds to it.
    private static let ownBytes = 2 * MemoryLayout<Half>.stride + 256

    /// Bytes of it in the heap. An array that is not empty has a header.
    var heldBytes: Int {
        HTTP2Stream.ownBytes + client.body.heldBytes + server.body.heldBytes + asked.capacity + 96 + (channel?.heldBytes ?? 0)
    }
}

/// What a head says of the content that follows it.
struct HTTP2Content {
    var codings = ContentCodings()
    var streams: BodyPart.Element?
    var length: UInt64?
    /// It is a call of gRPC, other than gRPC-Web.
    var isCall = false
}
