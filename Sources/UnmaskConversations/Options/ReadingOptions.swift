import Dissection

/// Bounds on what a reading keeps in memory, whatever arrives. What is given up to stay inside them is an event: a ``ConversationEvent/Gap``
/// with the cause `limit`, a finding, or a conversation that is closed as `evicted`.
public struct ReadingLimits: Sendable {
    /// Bytes of memory for all open conversations together, events that wait to be taken included. 256 MiB unless set.
    public var memoryBytes = 256 << 20
    /// Bytes that are kept of one message, of one part of a body or of one run of data; the rest is counted and left out. 1 MiB unless set.
    public var payloadBytes = 1 << 20
    /// Conversations that are open at the same time; over it the one that was silent for longest is given up. 262,144 unless set.
    public var conversations = 262_144
    /// Bytes that the window of a compressed capture (zstd) may take; a capture that needs more is an error. 128 MiB unless set.
    public var windowBytes = 128 << 20

    /// The default bounds.
    public init() {}

    var limits: Limits {
        var limits = Limits()
        limits.totalBytes = max(0, memoryBytes)
        limits.messageBytes = max(0, payloadBytes)
        limits.conversations = max(1, conversations)
        return limits
    }
}

/// How input is read.
public struct ReadingOptions: Sendable {
    /// Bounds on memory.
    public var limits = ReadingLimits()
    /// Whether messages, bodies and data have what their payload says (``DecodedPayload``). On unless set.
    public var decodesPayloads = true
    /// Keys that decrypt TLS; nil leaves it encrypted. The module `UnmaskDecryption` makes them.
    public var keyLog: TLSKeyLog?

    /// The default options.
    public init() {}

    /// The layers to read, with the keys of one reading.
    func layers(_ keys: (any CaptureKeySource)?) -> LayerTable { keys?.layers ?? .standard }
}
