/// What one side sends: where its next frame begins, and what its header blocks and windows stand at.
struct HTTP2Direction {
    enum Phase {
        /// The client's preface comes (RFC 9113, section 3.4).
        case preface
        /// A frame's header comes.
        case header
        /// A frame's payload comes, which is read once it is whole.
        case payload
        /// The payload of DATA comes.
        case data
        /// It is not known where the next frame begins.
        case lost
        /// It speaks another protocol: what comes is shown.
        case foreign
    }

    /// What padding is: zero bytes, which say nothing (section 6.1), or others, which are shown.
    enum Padding {
        case zero
        case filled
        /// The frame has no room for it.
        case tooLong
    }

    /// A header block under way: HEADERS or PUSH_PROMISE and what CONTINUATION adds.
    struct Block {
        var stream: UInt32
        var endsStream: Bool
        /// What its first frame says of the stream's priority.
        var priority: StreamPriority?
        /// The stream that is promised.
        var promised: UInt32?
        var bytes: [UInt8] = []
        /// Frames it came in.
        var frames: UInt64 = 1
        /// It is larger than what is kept, by so many bytes at least.
        var cutBytes: UInt64 = 0
        var isCut: Bool { cutBytes > 0 }
        /// What is wrong with the frame that it began with; told after what the block says.
        var faults: [FindingRow] = []
        var arrival: Arrival
        var firstTime: Timestamp?
    }

    /// What is wrong with the header of a frame.
    struct FrameFault {
        var row: FindingRow
        var a: UInt64 = 0
        var b: UInt64 = 0
        var arrival: Arrival
        var stream: UInt32
    }

    var phase = Phase.header
    /// Bytes of the preface, of a header or of a payload that is not whole; what is searched for a frame.
    var buffer: [UInt8] = []
    var frame: HTTP2FrameHeader?
    /// Where the frame, the preface or what is searched begins.
    var start: UInt64 = 0
    var place = Place()
    /// Where the client's preface came from, which ends where `start` is: it is shown with the first frame if that is cut.
    var preface: Place?
    /// When the first byte of the frame came.
    var firstTime: Timestamp?
    /// Bytes of the payload that are still to come.
    var remaining = 0
    /// The payload is larger than what is kept of it.
    var isPayloadCut = false
    /// Of DATA: the byte that says how long the padding is comes next.
    var awaitsPadLength = false
    /// Of DATA: bytes of padding at the end of what remains.
    var padding = 0
    /// Of DATA: what its padding has been so far.
    var paddingSoFar = Padding.zero
    /// Of DATA: what is wrong with the frame; told after its content.
    var dataFault: FindingRow?
    /// What is wrong with the header of the frame that is read, or of those of the block under way; told after what they say.
    var frameFaults: [FrameFault] = []
    var block: Block?
    var decoder: HPACKDecoder
    /// What the side has said of itself.
    var settings = HTTP2Settings()
    var hasSettings = false
    /// Bytes that the side may still send on the connection.
    var window: Int64 = 65_535
    /// The largest frame that the other side has allowed.
    var mostFrame = HTTP2FrameHeader.usualLength
    /// Which of its settings the other side keeps to.
    var announced = HTTP2AnnouncedSettings()
    /// Frames that the side has sent long after the other one's SETTINGS, which it has not acknowledged; and when it sent the last of them.
    var unacknowledging = 0
    var unacknowledgedAt: Timestamp?
    /// Streams in which the side waits for a window.
    var waits: [UInt32] = []
    /// How much was lost of the side so far, modulo 2^64: a stream that was last used with less has a hole.
    var lostBytes: UInt64 = 0
    /// Where the last of it was.
    var lossArrival: Arrival?
    /// Bytes of the longest message of gRPC in the streams that the side has ended.
    var longestMessage: UInt64 = 0
    /// The highest stream that the side has opened or promised.
    var highestStream: UInt32 = 0
    /// Where the first GOAWAY of the side began, and when it came; and the stream that its last one named.
    var goAway: (lastStream: UInt32, start: UInt64, time: Timestamp?)?
    /// The most that the side was given in a stream beside the first window, by a WINDOW_UPDATE.
    var mostCredit: Int64 = 0
    /// A first window was found that is too large for a stream.
    var hasToldWindow = false
    var isEnded = false
    /// Of what is searched for a frame: bytes that were looked at, and before them bytes that are not kept any more.
    var searched = 0
    var skipped: UInt64 = 0
    /// The first of those bytes, where they are kept; see `HTTP2Layer+Guess.swift`.
    var passed: [UInt8] = []
    /// The frames that were read so far, as long as it is not proven that they are some.
    var unproven: [UnprovenFrame] = []
    /// Of what is searched: places that frames lead to which are too long to be waited for.
    var awaitedFrames: [HTTP2FrameSearch.Awaited] = []

    /// No browser has so many requests open at once that it could drop as many.
    var resets = FloodWatch(300)
    var settingsFrames = FloodWatch(100)
    var pings = FloodWatch(200)
    var emptyFrames = FloodWatch(200)
    /// Streams that this side has reset: what the other side had sent by then still comes.
    private var resetStreams: [UInt32] = []
    /// The highest of those that are not kept.
    private var forgottenReset: UInt32 = 0
    var unanswered = UnansweredHTTP2Pings()

    init(limits: Limits) { decoder = HPACKDecoder(limits: limits) }

    /// Since when its oldest SETTINGS wait to be acknowledged; nil where none do.
    ///
    /// Read as a property of this type: `layer[side].announced.waitsSince` makes the compiler of Swift 6.3 release, without optimisation, what the
    /// subscript has only lent.
    var awaitsSince: Timestamp? { announced.waitsSince }

    /// The last of the unproven frames that is about a stream. Read as `awaitsSince` is.
    var lastUnproven: HTTP2FrameHeader? {
        for one in unproven.reversed() where one.frame.stream > 0 { return one.frame }
        return nil
    }

    /// Keeps what the last of the unproven frames carries.
    mutating func keepUnproven(_ payload: RawSpan) {
        guard !unproven.isEmpty else { return }
        unproven[unproven.count - 1].payload.append(copying: payload)
    }

    var heldBytes: Int {
        buffer.capacity + passed.capacity + (block?.bytes.capacity ?? 0) + decoder.heldBytes + unanswered.heldBytes + floodBytes
            + faultBytes + 96 * unproven.capacity + 2_048
    }

    private var faultBytes: Int { frameFaults.capacity * MemoryLayout<FrameFault>.stride }

    private var floodBytes: Int { resets.heldBytes + settingsFrames.heldBytes + pings.heldBytes + emptyFrames.heldBytes }

    mutating func noteReset(_ stream: UInt32) {
        if resetStreams.count >= 128 {
            forgottenReset = max(forgottenReset, resetStreams.prefix(64).max() ?? 0)
            resetStreams.removeFirst(64)
        }
        resetStreams.append(stream)
    }

    /// Whether the side has reset a stream, or may have.
    func hasReset(_ stream: UInt32) -> Bool { stream <= forgottenReset || resetStreams.contains(stream) }

    /// Whether the side has reset a stream, and that is still known. A stream outlives many that were opened after it.
    func isKnownReset(_ stream: UInt32) -> Bool { resetStreams.contains(stream) }

    /// The frame is over.
    mutating func endFrame() {
        frame = nil
        remaining = 0
        isPayloadCut = false
        awaitsPadLength = false
        padding = 0
        paddingSoFar = .zero
        dataFault = nil
        phase = .header
        preface = nil
        if buffer.capacity > 4_096 { buffer = [] } else { buffer.removeAll(keepingCapacity: true) }
    }
}

/// Pings of one side that have no answer yet (RFC 9113, section 6.7).
struct UnansweredHTTP2Pings {
    private var waiting: [(payload: UInt64, time: Timestamp?)] = []

    var isEmpty: Bool { waiting.isEmpty }
    var count: Int { waiting.count }
    var heldBytes: Int { waiting.capacity * 32 }

    mutating func note(_ payload: UInt64, at time: Timestamp?, limit: Int) {
        if waiting.count >= max(1, limit) { waiting.removeFirst() }
        waiting.append((payload, time))
    }

    /// The answer to one of them: when it was sent. Nil where none is known.
    mutating func answer(_ payload: UInt64) -> Timestamp?? {
        for index in waiting.indices where waiting[index].payload == payload { return .some(waiting.remove(at: index).time) }
        return nil
    }
}
