/// Bounds on what the dissector keeps, whatever arrives. What is given up to stay inside them is a record.
public struct Limits: Sendable {
    /// Bytes of memory for all conversations together: the table of connections, what each of them costs, segments out of
    /// order, unfinished elements, messages being assembled, the windows of inflaters, which grow with what came up to
    /// 48 KiB a direction, and what the sink keeps for them.
    ///
    /// Over it the largest assembly is cut; then, where such buffers are most of it, windows are dropped, those of the least
    /// recently used conversations first, so that a compressed message that needs one is undecodable; then the least recently
    /// used conversations are given up. The table takes no more than a quarter of it.
    public var totalBytes = 256 << 20
    /// Bytes kept of one message, or of one part of a body; the rest is counted, checked and left out. Where no sink wants so many
    /// (`payloadDemand` of the dissectors), fewer are kept.
    public var messageBytes = 1 << 20
    /// Bytes of segments that one direction holds while it waits for a missing one.
    public var outOfOrderBytes = 1 << 20
    /// Bytes of a request's or response's head, trailers included.
    public var headBytes = 64 << 10
    /// Decoded bytes of one part of a body, each of which is an event.
    public var bodyPartBytes = 64 << 10
    /// Requests that wait for their answer on one connection.
    public var pendingRequests = 1_024
    /// Pings that wait for their pong in one direction.
    public var pendingPings = 64
    /// Bytes of a mid-stream capture that wait for the roles to be decided.
    public var roleBytes = 64 << 10
    /// Text of a mid-stream capture in which nothing known was found is shown once this many bytes of it wait, or the sides
    /// have taken so many turns.
    public var textBytes = 4 << 10
    public var textTurns = 4
    /// As `textTurns`, of bytes that are not text: many protocols need several messages to give themselves away.
    public var binaryTurns = 16
    /// Bytes of ClientHello and ServerHello.
    public var helloBytes = 64 << 10
    /// Bytes of a TLS connection that wait: for a key that may still come, and early data for the server to take it.
    public var sealedBytes = 64 << 10
    /// Inflated bytes of one message that are looked at; what is beyond is skipped with a gap.
    public var inflatedBytes: UInt64 = 256 << 20
    /// Decoded bytes that are told of one body under a coding; what is beyond is a gap. Bodies without a coding have no bound.
    public var codedBodyBytes: UInt64 = 64 << 20
    /// Conversations open at once, where `totalBytes` has room for so many; over it the least recently used is given up.
    public var conversations = 262_144

    public init() {}

    /// The same bounds where sinks show no more than so many bytes of one payload.
    func meeting(_ payloadDemand: Int) -> Limits {
        var limits = self
        limits.messageBytes = max(0, min(messageBytes, payloadDemand))
        return limits
    }
}
