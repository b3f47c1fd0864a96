/// How a conversation ended, and what it amounted to.
public struct Closing: Sendable {
    public enum Closer: UInt8, Sendable, CaseIterable { case client, server, proxy, unknown }

    /// The first thing that ended the conversation.
    public enum Manner: UInt8, Sendable, CaseIterable {
        case closeFrame
        case fin
        case reset
        case timeout
        case endOfCapture
        case evicted
        case connectFailed
        case tlsFailed
        case shutdown
        case limit
        /// The proxy refused the client before a conversation began.
        case refused

        /// It came to nothing before a server was spoken to.
        var isBeforeServer: Bool { self == .connectFailed || self == .tlsFailed || self == .refused }
    }

    /// How a direction stood at the end.
    public enum End: UInt8, Sendable, CaseIterable { case open, fin, reset }

    /// How both sides had left by the end, where nothing else says so: their ends were none of what they had to say.
    public struct Ends: Sendable, Hashable {
        public var client: End
        public var server: End

        public init(client: End = .open, server: End = .open) {
            self.client = client
            self.server = server
        }
    }

    public var by: Closer
    public var how: Manner
    /// The code of the Close frame that ended it, from the wire only.
    public var code: UInt16?
    /// Nanoseconds until the peer answered the Close frame or FIN. One that the peer sent before that had arrived is no answer.
    public var answered: Int64?
    /// Whether the peer answered the Close frame or FIN; `answered` says when, where there is a clock.
    public var isAnswered = false
    /// When the conversation was ended: the Close frame, FIN or RST.
    public var endedAt: Timestamp?
    /// Nanoseconds from `endedAt` to the last packet, where that was neither what ended it nor the answer.
    public var lingered: Int64?
    /// Nanoseconds before that in which neither side sent a byte, those of the Close frame itself not counted.
    public var silence: Int64?
    public var clientEnd: End
    public var serverEnd: End
    /// Nanoseconds from `opened` to the last packet.
    public var duration: Int64?
    public var client: SideTotals
    public var server: SideTotals

    public init(
        by: Closer, how: Manner, code: UInt16? = nil, answered: Int64? = nil, clientEnd: End = .open, serverEnd: End = .open,
        duration: Int64? = nil, client: SideTotals = SideTotals(), server: SideTotals = SideTotals()
    ) {
        self.by = by
        self.how = how
        self.code = code
        self.answered = answered
        self.clientEnd = clientEnd
        self.serverEnd = serverEnd
        self.duration = duration
        self.client = client
        self.server = server
    }
}

/// What one side sent in a conversation.
public struct SideTotals: Sendable, Hashable {
    /// Bytes seen on the wire of the direction, each position counted once.
    public var bytes: UInt64 = 0
    /// Messages of WebSocket and gRPC, and those cut out of raw bytes.
    public var messages: UInt64 = 0
    /// WebSocket frames.
    public var frames: UInt64 = 0
    /// Bytes that are known to have been sent and were not seen.
    public var missing: UInt64 = 0

    public init() {}
}
