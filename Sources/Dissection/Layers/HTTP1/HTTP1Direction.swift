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
        /// Without synchronisation: a start line is searched for.
        case lost
    }

    struct Marks: OptionSet {
        let rawValue: UInt16
        /// The first line of the head that is put together is a start line.
        static let lineChecked = Marks(rawValue: 1)
        /// `Connection: close` was said in a message that has ended, or is being read.
        static let closing = Marks(rawValue: 2)
        /// The message that ended last has no body by rule, whatever its head says.
        static let bodyless = Marks(rawValue: 4)
        /// Bytes without synchronisation count as given up, not as skipped.
        static let givenUp = Marks(rawValue: 8)
        static let ended = Marks(rawValue: 16)
        /// A search found the start line of the message that is read, and nothing has borne out yet that it is one; see `isCertain`.
        static let found = Marks(rawValue: 32)
        /// As before, and its head is not whole yet.
        static let foundHere = Marks(rawValue: 64)
        /// As before, and it begins with the first byte after what was not seen, so that its own first bytes may be missing.
        static let mayLackBeginning = Marks(rawValue: 128)
        /// A search found the first of the messages that are read, and nothing of the other side belongs to one of them yet: they may stand
        /// in a body.
        static let unanswered = Marks(rawValue: 256)
        /// As before, and it is not the first of them.
        static let quoted = Marks(rawValue: 512)
        /// What was found turned out to be followed by something else: messages may be quoted here, in both directions.
        static let refuted = Marks(rawValue: 1_024)
        /// A search found the message whose body is read, and the other side went on as if it were whole: the next byte says whether it is.
        static let passedOver = Marks(rawValue: 2_048)
        /// A gap lies in the body that may be shorter than told: what is left of the body is as long as is due, or longer.
        static let mayGoOn = Marks(rawValue: 4_096)
        /// The body that is read by its length is a text that is not too long.
        static let isText = Marks(rawValue: 8_192)
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
    /// The head or trailer section so far; without synchronisation, what may be the beginning of a start line.
    var buffer: [UInt8] = []
    /// Without synchronisation: the search, once a byte of it came.
    var search: LostAlignment?
    var searched = 0
    /// How many bytes were looked at in search of the end of a head or trailer section, those counted again that were
    /// looked at again.
    var scannedBytes: UInt64 = 0
    /// Empty lines before the start line: how many bytes, and where.
    var emptyBytes: UInt32 = 0
    var emptyStart: UInt64 = 0
    /// Bytes of the body, or of the chunk, that are due.
    var remaining: UInt64 = 0
    /// The length of the body that is read by length.
    var announced: UInt64 = 0
    /// How much of the other side its sender had with the last head, as `Place.received` counts.
    var headReceived: UInt32 = 0
    /// What the last body read by its length has of characters; nil where all are ASCII.
    var characters: CharacterLength?
    var chunk = ChunkFraming()
    var body = BodyAssembly()

    /// Bytes of a body are due, or a line between them.
    var isInBody: Bool {
        switch phase {
        case .lengthBody, .untilCloseBody, .chunkData, .chunkFraming: true
        case .fresh, .head, .trailers, .lost: false
        }
    }

    var heldBytes: Int { buffer.capacity + body.heldBytes }

    /// A head, trailer section or search begins with the byte at `arrival`.
    mutating func begin(at arrival: Arrival) {
        start = arrival.offset
        place = arrival.place
        firstTime = arrival.place.time
        searched = 0
        marks.remove(.lineChecked)
    }

    /// Loses synchronisation at `arrival`. Bytes that are in `buffer` are searched again, and belong to what is skipped.
    mutating func loseAlignment(at arrival: Arrival) {
        phase = .lost
        marks.remove([.givenUp, .lineChecked])
        searched = 0
        search = nil
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

    /// Tells what is held without synchronisation, because nothing that follows can make a start line of it: what was given up as a
    /// gap, the rest as the bytes that they are. `arrival` is the end of it.
    mutating func tellLost<Sink: ConversationSink & ~Copyable>(
        before arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        tellGivenUp(before: arrival.offset &- UInt64(buffer.count), side: arrival.side, context: &context, sink: &sink)
        let held = buffer
        clearBuffer()
        search = nil
        guard !held.isEmpty else { return }
        if characters?.beyond != nil { characters?.add(beyond: held.rawBytes) }
        context.emit(
            .data(DataRun(length: UInt64(held.count))), at: Arrival(side: arrival.side, offset: start, place: place),
            content: held.rawBytes, sink: &sink)
        start = arrival.offset
    }

    /// Tells the bytes before `offset` that were given up to stay within the memory limit.
    mutating func tellGivenUp<Sink: ConversationSink & ~Copyable>(
        before offset: UInt64, side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        guard marks.contains(.givenUp) else { return }
        marks.remove(.givenUp)
        guard offset > start else { return }
        context.emit(.gap(Gap(length: offset &- start, cause: .limit)), at: Arrival(side: side, offset: start, place: place), sink: &sink)
        start = offset
    }
}

/// A search for the next start line. A class, because few directions ever have one.
final class LostAlignment {
    var lines: StartLineSearch
    /// Of how many bytes searched the first one that is held was the next.
    var base = 0

    init(_ side: Side) { lines = StartLineSearch(side == .client ? .request : .status) }
}
