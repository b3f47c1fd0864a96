/// One thing that happened in a conversation, with the bytes that it is about.
///
/// An event is lent to a sink for the length of one call; `content` points into buffers that are reused after it. A
/// sink copies what it keeps. The fact says what `content` holds and where in it the parts lie.
public struct ConversationEvent: ~Escapable {
    /// The number of the conversation, from 1 in order of first sight; 0 for what concerns the input itself.
    public let conversation: UInt64
    /// Who sent it; only where somebody did.
    public let from: Side?
    /// When, and in which packets.
    public let place: Place
    /// The first byte of the element in its direction of its channel; 0 is the byte after SYN, or the first byte seen.
    public let offset: UInt64?
    /// The channel that it came through.
    public let channel: ByteChannel
    /// What happened.
    public let fact: Fact
    /// Which kind of fact that is: sinks and filters ask for each event, and a fact is large to copy.
    public let kind: FactKind
    /// What was taken out of the content and out of `asked`, to be hidden from who reads it.
    public let redaction: Redaction
    /// The bytes it is about, valid for the call.
    public let content: RawSpan
    /// Of a response whose request is known: the method and the target of the request (`AskedRequest`). Otherwise empty.
    public let asked: RawSpan

    @_lifetime(copy content, copy asked)
    public init(
        conversation: UInt64, from: Side?, place: Place, offset: UInt64?, channel: ByteChannel = ByteChannel(), fact: Fact,
        content: RawSpan,
        asked: RawSpan = RawSpan(), redaction: Redaction = Redaction()
    ) {
        self.asked = asked
        self.redaction = redaction
        self.conversation = conversation
        self.from = from
        self.place = place
        self.offset = offset
        self.channel = channel
        self.fact = fact
        self.content = content
        kind = fact.kind
    }

    /// Whether that is one frame of a message.
    @inlinable
    public var isFrame: Bool { kind == .frame }

    /// Whether totals count it as a message: one of WebSocket, one that was cut out of raw bytes, or the part of a body that ends one of gRPC.
    public var isMessage: Bool {
        if kind == .message { return true }
        guard kind == .body, case .body(let part) = fact else { return false }
        return part.element == .message
    }

    /// The bytes of one part of the content.
    @_lifetime(copy self)
    public func bytes(_ range: ByteRange) -> RawSpan {
        content.extracting(range.start..<range.end)
    }
}

/// What was replaced in an event by marks that say that something was there.
public struct Redaction: Sendable, Hashable {
    /// How many places were replaced.
    public var places: UInt32
    /// How many bytes longer the payload is than what came; negative where it is shorter.
    public var growth: Int32

    @inlinable
    public init(places: UInt32 = 0, growth: Int32 = 0) {
        self.places = places
        self.growth = growth
    }
}

/// Takes events in order of release. Every output is a sink.
public protocol ConversationSink: ~Copyable {
    /// Takes one event, which is only valid until this returns.
    mutating func receive(_ event: borrowing ConversationEvent)

    /// Whether it takes the `frame` of each WebSocket frame beside the message that it belongs to; true unless said
    /// otherwise. A sink that leaves them out says so, because making them costs as much as the messages.
    var takesFrames: Bool { get }

    /// Bytes of memory that it keeps for the conversations that are open, which count against `Limits.totalBytes`; 0 unless
    /// said otherwise.
    var heldBytes: Int { get }

    /// Takes what a direction brought, before the events that are made of it.
    mutating func receive(stream: borrowing StreamRun)

    /// Whether it takes what the directions bring as well; false unless said otherwise.
    var takesStreams: Bool { get }
}

extension ConversationSink where Self: ~Copyable {
    public mutating func receive(stream: borrowing StreamRun) {}
    public var takesStreams: Bool { false }
    public var takesFrames: Bool { true }
    public var heldBytes: Int { 0 }
}
