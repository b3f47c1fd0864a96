import Dissection

/// How long the bodies of a conversation are so far, which come in parts: one of each side at a time, and of HTTP/2 in each stream.
package struct BodyLengths {
    private typealias Lengths = (client: UInt64, server: UInt64)

    /// Streams with a body that is not done. Where there are more, those before are forgotten: their ends were never sent.
    private static let mostStreams = 1_024

    private var connection: Lengths = (0, 0)
    private var streams: [UInt32: Lengths] = [:]

    package init() {}

    /// Bytes of memory beside its own.
    package var heldBytes: Int { streams.capacity * 32 }

    /// Adds a part. Returns how long its body is so far.
    ///
    /// - Parameter isEnd: the next part begins another one.
    package mutating func add(_ part: BodyPart, of event: borrowing ConversationEvent, isEnd: Bool) -> UInt64 {
        let stream = event.channel.stream
        guard stream != 0 else { return Self.add(part, from: event.from, isEnd: isEnd, to: &connection) }
        var lengths = streams[stream] ?? (0, 0)
        let length = Self.add(part, from: event.from, isEnd: isEnd, to: &lengths)
        streams[stream] = lengths == (0, 0) ? nil : lengths
        if streams.count > Self.mostStreams { streams = [stream: lengths] }
        return length
    }

    private static func add(_ part: BodyPart, from side: Side?, isEnd: Bool, to lengths: inout Lengths) -> UInt64 {
        let (sum, overflow) = (side == .client ? lengths.client : lengths.server).addingReportingOverflow(part.length)
        let length = overflow ? UInt64.max : sum
        let rest = isEnd ? 0 : length
        if side == .client { lengths.client = rest } else { lengths.server = rest }
        return length
    }
}
