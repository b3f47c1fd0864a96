/// The stream that the channel that is read stands in, for sinks that take streams: that of the wire, or what is inside of a connection of TLS.
package struct StreamLevel: Sendable {
    /// In how many connections of TLS it stands; see `StreamRun.level`.
    fileprivate var depth: UInt8 = 0
    /// Where the channel begins in the stream.
    fileprivate var beginning = ChannelBeginning()
}

extension StreamLevel {
    mutating func extend(by inner: ChannelBeginning) { beginning.extend(by: inner) }
    mutating func shorten(by inner: ChannelBeginning) { beginning.shorten(by: inner) }
}

extension ConversationContext {
    /// The channel inside the TLS that is read is read from here on, which is a stream of its own.
    ///
    /// - Returns: The level of the channel around it.
    mutating func enterPlaintext(_ beginning: ChannelBeginning) -> StreamLevel {
        let outer = level
        enterInside(beginning)
        level = StreamLevel(depth: outer.depth &+ 1)
        return outer
    }

    /// The channel around it is read again from here on.
    mutating func leavePlaintext(_ beginning: ChannelBeginning, to outer: StreamLevel) {
        leaveInside(beginning)
        level = outer
    }

    /// Hands to a sink that takes streams what a side brought, or what is known of it.
    ///
    /// - Parameter offset: in the channel that is read.
    package func hand<Sink: ConversationSink & ~Copyable>(
        _ fact: StreamRun.Fact, _ bytes: RawSpan = RawSpan(), from side: Side, offset: UInt64, time: Timestamp?, sink: inout Sink
    ) {
        // The bytes of a stream of HTTP/2 do not lie side by side in those of its connection.
        guard sink.takesStreams, channel.stream == 0 else { return }
        var fact = fact
        let beginning = level.beginning
        if case .read(let sender, let peer) = fact {
            fact = .read(sender: sender &+ beginning.offset(of: side), peer: peer &+ beginning.offset(of: side.peer))
        }
        let (source, destination) = side == parties.sideOfFirst ? (parties.first, parties.second) : (parties.second, parties.first)
        sink.receive(
            stream: StreamRun(
                fact, conversation: number, level: level.depth, from: side, source: source, destination: destination,
                start: parties.start, offset: offset &+ beginning.offset(of: side), time: time, bytes: bytes))
    }
}
