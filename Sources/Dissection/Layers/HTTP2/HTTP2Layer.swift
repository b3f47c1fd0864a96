/// HTTP/2 (RFC 9113), both directions, judged from outside.
///
/// Each direction is a row of frames. A header block changes the table that all later blocks of the direction use, so it is read also where
/// nobody wants its fields. DATA goes to its stream as it comes; every other frame is read once it is whole.
///
/// ```
///            ┌────────────────────────────┐
///            v                            │
/// preface ─ header ─ payload ─ a frame ───┤
///            ^  │  ─ data ─ its stream ───┘
///            │  └ loss ─ lost ─┐
///            └── a frame that another one follows
/// ```
package struct HTTP2Layer<Inside: ChannelReader>: Layer {
    private var directions: [HTTP2Direction]
    /// Those that are open, by their number.
    var streams: [UInt32: HTTP2Stream] = [:]
    /// What they were counted with.
    var streamBytes = 0
    /// The beginning of both sides was seen, and nothing was lost since: what is not known was not there.
    var knowsAll = true
    /// Those of them that the client has opened, and not the server by a promise.
    var openRequests = 0
    /// Streams that were looked at for what is not about one of them.
    var steps = 0
    /// It was told that streams are given up.
    var hasToldLimit = false
    /// The fields of the block that is read.
    var list = FieldList()
    /// The head that is told of it.
    var text: [UInt8] = []
    /// The request of HTTP/1 that has become stream 1 (RFC 7540, section 3.2).
    var upgraded: UpgradeOffer?
    /// Nothing has been read yet.
    private var isFresh = true
    /// The side that bytes came from last. What the other one has left waiting is judged by its first byte, and not again by what it says.
    private var turn: Side?
    private let isFound: Bool
    /// Frames that have to fit before what was found in the middle of a stream is believed to be HTTP/2; see `HTTP2Layer+Guess.swift`.
    var unprovenFrames = 0
    /// What was found is not HTTP/2.
    var isRefuted = false
    /// The first bytes of the client's preface, which came before.
    private let takenBytes: Int
    /// The same of the server's first frame, and where they came from.
    private let takenFrame: (bytes: [UInt8], place: Place)?
    /// The client speaks HTTP/1: only the server's frames are read.
    let isServerAlone: Bool

    package init(_ start: LayerStart) {
        directions = []
        isFound = start.isFound || start.isFoundAfterLoss
        unprovenFrames = isFound ? HTTP2FrameSearch.mostUnproven : 0
        upgraded = start.offer
        takenBytes = start.takenBytes
        takenFrame = start.takenFrame
        isServerAlone = start.isResponseAlone
    }

    subscript(side: Side) -> HTTP2Direction {
        @inline(__always) _read { yield directions[side == .client ? 0 : 1] }
        @inline(__always) _modify { yield &directions[side == .client ? 0 : 1] }
    }

    // MARK: - Bytes

    package mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        if isFresh { begin(at: arrival, context: context) }
        if turn != arrival.side {
            turn = arrival.side
            takeHeld(of: arrival.side.peer, context: &context, sink: &sink)
        }
        read(bytes, at: arrival, context: &context, sink: &sink)
        return .taken
    }

    /// Reads what comes of a side.
    mutating func read<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let side = arrival.side
        var position = 0
        while position < bytes.byteCount {
            let here = arrival.advanced(by: position)
            let rest = bytes.suffix(from: position)
            switch self[side].phase {
            case .preface: position += readPreface(rest, at: here, context: &context, sink: &sink)
            case .header: position += readHeader(rest, at: here, context: &context, sink: &sink)
            case .payload: position += readPayload(rest, at: here, context: &context, sink: &sink)
            case .data: position += readData(rest, at: here, context: &context, sink: &sink)
            case .lost: position += search(rest, at: here, context: &context, sink: &sink)
            case .foreign:
                context.emit(.data(DataRun(length: UInt64(rest.byteCount))), at: here, content: rest, sink: &sink)
                position = bytes.byteCount
            }
        }
    }

    /// Something has come of a side, or is lost.
    var hasBegun: Bool { !isFresh }

    mutating func begin(at arrival: Arrival, context: borrowing ConversationContext) {
        isFresh = false
        directions = [HTTP2Direction(limits: context.limits), HTTP2Direction(limits: context.limits)]
        guard !isServerAlone else {
            self[.client].phase = .foreign
            knowsAll = false
            if let takenFrame {
                self[.server].buffer = takenFrame.bytes
                self[.server].place = takenFrame.place
                self[.server].firstTime = takenFrame.place.time
            }
            return
        }
        // After an upgrade the client goes on with the preface as well.
        self[.client].phase = .preface
        if takenBytes > 0 {
            self[.client].buffer = Array(HTTP2Preface.bytes.prefix(takenBytes))
            self[.client].start = arrival.side == .client ? arrival.offset &- UInt64(takenBytes) : 0
            self[.client].place = arrival.place
            // The response that agreed to it was not seen.
            knowsAll = false
        }
        for side in [Side.client, .server] where takenBytes == 0 && (isFound || !context.hasBeginning(side)) {
            // Its opening may stand there all the same.
            self[side].phase = side == .client ? .preface : .lost
            self[side].start = arrival.side == side ? arrival.offset : 0
            self[side].hasSettings = true
            // Nobody knows what the other side has allowed.
            self[side].decoder.allowedSize = nil
            self[side].mostFrame = HTTP2FrameHeader.largestLength
            self[side].decoder.lose()
            knowsAll = false
        }
        openUpgraded(context)
    }

    /// Reads the client's preface; returns how many bytes were taken.
    private mutating func readPreface<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Int {
        let side = arrival.side
        noteStart(arrival)
        let known = self[side].buffer.count
        var count = 0
        while count < bytes.byteCount, known + count < HTTP2Preface.length, bytes[count] == HTTP2Preface.byte(known + count) { count += 1 }
        if known + count == HTTP2Preface.length {
            let place = self[side].place
            self[side].endFrame()
            self[side].start = arrival.advanced(by: count).offset
            self[side].preface = place
            unprovenFrames = 0
            if self[side].decoder.table.hasUnseen {
                // All that the client has sent is here.
                let allowed = self[side].decoder.allowedSize
                self[side].decoder = HPACKDecoder(limits: context.limits)
                self[side].decoder.allowedSize = allowed
                self[side].hasSettings = false
            }
            return count
        }
        self[side].buffer.append(copying: bytes.extracting(0..<count))
        guard count < bytes.byteCount else { return count }
        // It begins otherwise: what came so far is searched for a frame.
        let mayBeMissing = self[side].decoder.table.hasUnseen
        if !mayBeMissing {
            context.emit(.http2PrefaceInvalid, at: Arrival(side: side, offset: self[side].start, place: arrival.place), sink: &sink)
        }
        self[side].phase = .lost
        self[side].searched = 0
        self[side].decoder.lose()
        return count
    }

    /// A frame, or whatever begins where one has to, begins with these bytes, or goes on.
    private mutating func noteStart(_ arrival: Arrival) {
        let side = arrival.side
        if self[side].buffer.isEmpty {
            self[side].start = arrival.offset
            self[side].place = arrival.place
            self[side].firstTime = arrival.place.time
        } else {
            self[side].place.extend(by: arrival.place)
        }
    }

    /// Reads a frame's header; returns how many bytes were taken.
    private mutating func readHeader<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Int {
        let side = arrival.side
        noteStart(arrival)
        let known = self[side].buffer.count
        if known == 0, bytes.byteCount >= HTTP2FrameHeader.size {
            beginFrame(HTTP2FrameHeader(bytes, at: 0), side, context: &context, sink: &sink)
            // What is no header is searched where it lies.
            return self[side].phase == .lost ? 0 : HTTP2FrameHeader.size
        }
        let count = min(bytes.byteCount, HTTP2FrameHeader.size - known)
        self[side].buffer.append(copying: bytes.extracting(0..<count))
        guard known + count == HTTP2FrameHeader.size else { return count }
        let header = self[side].buffer.withHeader
        self[side].buffer.removeAll(keepingCapacity: true)
        beginFrame(header, side, context: &context, sink: &sink)
        if self[side].phase == .lost { self[side].buffer = header.bytes }
        return count
    }

    /// Reads the payload of a frame that is not DATA; returns how many bytes were taken.
    private mutating func readPayload<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Int {
        let side = arrival.side
        guard let frame = self[side].frame else {
            self[side].phase = .header
            return 0
        }
        self[side].place.extend(by: arrival.place)
        let count = min(bytes.byteCount, self[side].remaining)
        let run = bytes.extracting(0..<count)
        self[side].remaining -= count
        if self[side].buffer.isEmpty, self[side].remaining == 0, !self[side].isPayloadCut, count <= context.limits.headBytes {
            takeFrame(frame, run, isCut: false, side, context: &context, sink: &sink)
            self[side].endFrameUnlessLost()
            return count
        }
        let room = context.limits.headBytes - self[side].buffer.count
        if count > room { self[side].isPayloadCut = true }
        self[side].buffer.append(copying: run.extracting(0..<max(0, min(room, count))))
        guard self[side].remaining == 0 else { return count }
        let payload = self[side].buffer
        takeFrame(frame, payload.rawBytes, isCut: self[side].isPayloadCut, side, context: &context, sink: &sink)
        self[side].endFrameUnlessLost()
        return count
    }

    /// Where the frame that is read begins.
    func frameArrival(_ side: Side) -> Arrival { Arrival(side: side, offset: self[side].start, place: self[side].place) }

    // MARK: - What is held

    package func isHolding(_ side: Side) -> Bool { false }

    package var heldBytes: Int {
        directions.reduce(streamBytes + list.bytes.capacity + 48 * list.fields.capacity + text.capacity) { $0 + $1.heldBytes }
    }

    /// Counts a stream again, after it has taken something.
    mutating func count(_ stream: HTTP2Stream) {
        let bytes = stream.heldBytes
        streamBytes += bytes - stream.countedBytes
        stream.countedBytes = bytes
    }

    package mutating func cutAssembly() -> Side? {
        var (largest, size): (HTTP2Stream?, Int) = (nil, 0)
        for stream in streams.values {
            let bytes = max(stream.client.body.heldBytes, stream.server.body.heldBytes, stream.channel?.insideBytes ?? 0)
            if bytes > size { (largest, size) = (stream, bytes) }
        }
        guard let largest else { return nil }
        defer { count(largest) }
        if let channel = largest.channel, let inside = channel.inside, channel.insideBytes == size {
            defer { channel.insideBytes = inside.heldBytes }
            return inside.cutAssembly()
        }
        let side: Side = largest.client.body.heldBytes >= largest.server.body.heldBytes ? .client : .server
        largest[side].body.cut()
        return side
    }

    package mutating func dropWindows() {
        for stream in streams.values {
            guard let channel = stream.channel, let inside = channel.inside else { continue }
            inside.dropWindows()
            channel.insideBytes = inside.heldBytes
            count(stream)
        }
    }

    package var searchSteps: Int { streams.values.reduce(steps) { $0 + ($1.inside?.searchSteps ?? 0) } }

    package var standing: Standing {
        guard !isFresh else { return Standing() }
        let work: Standing.Work =
            streams.isEmpty ? .idle : streams.values.contains { $0.server.hasHead || $0.inside != nil } ? .stream : .request
        return Standing(work, clientAsks: !self[.client].unanswered.isEmpty, serverAsks: !self[.server].unanswered.isEmpty)
    }
}

/// What a client sends first (RFC 9113, section 3.4).
package enum HTTP2Preface {
    private static let text: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    static var length: Int { text.utf8CodeUnitCount }

    /// - Parameter index: below `length`.
    static func byte(_ index: Int) -> UInt8 {
        guard index >= 0, index < length else { return 0 }
        // A StaticString has as many bytes as it says.
        return unsafe text.utf8Start[index]
    }

    static var bytes: [UInt8] { (0..<length).map { byte($0) } }

    /// Whether bytes begin as it does, by as many as no other protocol has: its first line.
    package static func isBegun(by bytes: RawSpan) -> Bool { matched(bytes) >= 16 }

    /// How many of the bytes are its own, from the first one on.
    static func matched(_ bytes: RawSpan) -> Int {
        var count = 0
        while count < bytes.byteCount, count < length, bytes[count] == byte(count) { count += 1 }
        return count
    }
}

extension [UInt8] {
    /// The nine bytes of a frame's header.
    fileprivate var withHeader: HTTP2FrameHeader { HTTP2FrameHeader(rawBytes, at: 0) }
}

extension HTTP2Direction {
    /// The frame is over, unless reading it has shown that nobody knows where the next one begins.
    mutating func endFrameUnlessLost() {
        if phase == .payload || phase == .data { endFrame() }
    }
}
