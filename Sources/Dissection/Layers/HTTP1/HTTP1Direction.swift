/// Where the reading of one direction stands.
struct HTTP1Direction {
    enum Phase: UInt8 {
        /// Nothing came yet.
        case fresh
        /// A start line is due, or a head is being put together.
        case head
        case lengthBody
        case untilCloseBody
        /// Chunked coding, see `ChunkFraming`.
        case chunkFraming
        case chunkData
        case trailers
        /// Without footing: a start line is searched for.
        case lost
    }

    struct Marks: OptionSet {
        let rawValue: UInt16
        /// The first line of the head that is put together is a start line.
        static let lineChecked = Marks(rawValue: 1)
        /// Where a search goes on, the byte before is part of a longer word.
        static let insideWord = Marks(rawValue: 2)
        /// `Connection: close` was said in a message that has ended, or is being read.
        static let closing = Marks(rawValue: 4)
        /// The message that ended last has no body by rule, whatever its head says.
        static let bodyless = Marks(rawValue: 8)
        /// The message that is read now is an HTTP/1.1 one whose head announced more than came.
        static let sawReturn = Marks(rawValue: 16)
        /// Bytes without footing count as given up, not as skipped.
        static let givenUp = Marks(rawValue: 32)
        static let ended = Marks(rawValue: 64)
        /// The server has refused the request whose head is still under way.
        static let refused = Marks(rawValue: 1_024)
    }

    var phase = Phase.fresh
    var marks: Marks = []
    /// The first byte of what is in `buffer`, or of what is skipped.
    var start: UInt64 = 0
    var place = Place()
    /// The first byte that has not come.
    var end: UInt64 = 0
    /// When the first byte of the head came.
    var firstTime: Timestamp?
    /// The head or trailer section so far; without footing, the line that may be a start line.
    var buffer: [UInt8] = []
    var searched = 0
    /// How many bytes were looked at in search of the end of a head or trailer section, those counted again that were
    /// looked at again.
    var scannedBytes: UInt64 = 0
    /// Empty lines before the start line: how many bytes, and where.
    var emptyBytes: UInt32 = 0
    var emptyStart: UInt64 = 0
    /// Bytes of the body, or of the chunk, that are due.
    var remaining: UInt64 = 0
    var chunk = ChunkFraming()
    var body = BodyAssembly()

    var heldBytes: Int { buffer.capacity + body.heldBytes }

    /// A head, trailer section or search begins with the byte at `arrival`.
    mutating func begin(at arrival: Arrival) {
        start = arrival.offset
        place = arrival.place
        firstTime = arrival.place.time
        searched = 0
        marks.remove(.lineChecked)
    }

    /// Loses footing at `arrival`. Bytes that are in `buffer` are searched again, and belong to what is skipped.
    mutating func loseFooting(at arrival: Arrival) {
        phase = .lost
        marks.remove([.insideWord, .givenUp, .lineChecked])
        searched = 0
        if buffer.isEmpty {
            start = arrival.offset
            place = arrival.place
        }
    }

    /// Gives back a buffer that has grown.
    mutating func clearBuffer() {
        searched = 0
        if buffer.capacity > 1_024 { buffer = [] } else { buffer.removeAll(keepingCapacity: true) }
    }

    /// Tells what was skipped before `arrival`.
    mutating func tellSkipped<Sink: ConversationSink & ~Copyable>(
        before arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard arrival.offset > start else { return }
        let cause: Gap.Cause = marks.contains(.givenUp) ? .limit : .resync
        marks.remove(.givenUp)
        context.emit(
            .gap(Gap(length: arrival.offset &- start, cause: cause)), at: Arrival(side: arrival.side, offset: start, place: place),
            sink: &sink)
        start = arrival.offset
    }
}
