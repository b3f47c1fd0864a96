/// The end of a stream, or of one side of it: whether a limit on time or size caused it.
struct StreamEnd {
    let stream: HTTP2Stream
    /// Nothing of the connection is missing.
    let knowsAll: Bool
    /// The server has sent GOAWAY: what it ends from then on, it ends because it leaves (RFC 9113, section 6.8).
    var isServerLeaving = false
    /// Where it ended.
    let arrival: Arrival

    /// The default limit of the receivers of gRPC's core, Go, Java and .NET (GRPC_DEFAULT_MAX_RECV_MESSAGE_LENGTH).
    private static let receiveLimit: UInt64 = 4_194_304

    /// A client that finds a length too long says so at once.
    private static let longestReaction: Int64 = 1_000_000_000

    /// After which silence a stream is ended, in seconds.
    private static let timeouts: [(seconds: Int64, words: StaticString, endsResponses: Bool)] = [
        (15, "15 s is the default of Envoy (timeout of a route)", false),
        (60, "60 s is the default of nginx (grpc_read_timeout, proxy_read_timeout) and of the AWS Application Load Balancer", true),
        (300, "300 s is the default of Envoy (stream_idle_timeout)", true),
    ]

    /// The head or the trailers of the server's response end the stream.
    ///
    /// - Parameters:
    ///   - status: that of a head; 0 of trailers.
    ///   - longestBefore: bytes of the longest message of the client in a call that ended on this connection before.
    ///   - bytes: of the list of fields, into which the head's ranges point.
    func reportResponse<Sink: ConversationSink & ~Copyable>(
        _ head: HTTP2Head, status: UInt16 = 0, endsStream: Bool = true, longestBefore: UInt64, _ bytes: RawSpan,
        context: inout ConversationContext, sink: inout Sink
    ) {
        if status == 504 || status == 408 || (head.callStatus == 14 || head.callStatus == 4) && !isDeadlineOver {
            reportTimeout(hasResponse: status == 0, context: &context, sink: &sink)
        }
        if stream.purpose == .exchange {
            let asked = stream.asked
            _ = EngineIOTooLarge.report(
                asked: asked.rawBytes, status, length: stream.client.content.length ?? 0, at: arrival, context: &context, sink: &sink)
        }
        guard endsStream else { return }
        reportDeadline(isGivenUp: head.callStatus == 4, context: &context, sink: &sink)
        guard head.callStatus == 8 else { return }
        reportTooBig(bytes.extracting(head.callMessage ?? 0..<0), after: longestBefore, context: &context, sink: &sink)
    }

    /// A side has reset the stream.
    ///
    /// - Parameters:
    ///   - code: that of RST_STREAM.
    ///   - open: the message that the server was in the middle of, where the client has reset the stream.
    ///   - longestBefore: bytes of the longest message of the server in a call that ended on this connection before.
    ///   - isGivenUp: the server has reset it before its response was whole.
    func reportReset<Sink: ConversationSink & ~Copyable>(
        _ code: UInt32, in open: OpenMessage?, longestBefore: UInt64, isGivenUp: Bool, context: inout ConversationContext,
        sink: inout Sink
    ) {
        if isGivenUp, code != 0, code != 7 { reportTimeout(hasResponse: stream.server.hasHead, context: &context, sink: &sink) }
        if let open, code != 0, longestBefore <= Self.receiveLimit, !isDeadlineOver {
            reportSizeLimit(open, context: &context, sink: &sink)
        }
        if code == 8 { reportDeadline(isGivenUp: true, context: &context, sink: &sink) }
    }

    // MARK: - Time

    /// What a deadline may differ from what its client says of it: libraries round it, and begin to count before they send it.
    private static func tolerance(of deadline: Int64) -> Int64 { deadline / 50 + 5_000_000 }

    /// Nanoseconds from the request to this end, where a client has set a deadline.
    private var elapsed: Int64? {
        guard stream.deadline != nil, let start = stream.requestStart, let now = arrival.place.time else { return nil }
        return now.nanoseconds(since: start)
    }

    /// `http2.call-deadline` is about what comes then.
    private var isDeadlineOver: Bool {
        guard let deadline = stream.deadline, let elapsed else { return false }
        return elapsed >= deadline - Self.tolerance(of: deadline)
    }

    /// Whether a call ended in time (grpc/grpc, PROTOCOL-HTTP2.md, "Timeout").
    ///
    /// - Parameter isGivenUp: It ended because its time was over, by what its end says (status 4, DEADLINE_EXCEEDED), or it was cancelled.
    func reportDeadline<Sink: ConversationSink & ~Copyable>(isGivenUp: Bool, context: inout ConversationContext, sink: inout Sink) {
        guard let deadline = stream.deadline, let elapsed, elapsed >= 0, isGivenUp ? isDeadlineOver : elapsed > deadline else { return }
        // Once; a client may cancel what has just ended.
        stream.deadline = nil
        var words = FindingText()
        words.append(span: elapsed)
        let milliseconds = max(0, deadline / 1_000_000) + (deadline % 1_000_000 >= 500_000 ? 1 : 0)
        context.emit(.http2CallDeadline, a: UInt64(milliseconds), at: arrival, content: words.bytes.rawBytes, sink: &sink)
    }

    /// Names whose default the silence of the stream is.
    ///
    /// - Parameter hasResponse: the head of the final response came before.
    private func reportTimeout<Sink: ConversationSink & ~Copyable>(
        hasResponse: Bool, context: inout ConversationContext, sink: inout Sink
    ) {
        guard knowsAll, !isServerLeaving, !stream.client.hasGap, !stream.server.hasGap, let last = stream.lastFrame,
            let now = arrival.place.time
        else { return }
        let silence = now.nanoseconds(since: last)
        guard silence > stream.survivedSilence else { return }
        for known in Self.timeouts where (known.seconds * 1_000_000_000...(known.seconds + 1) * 1_000_000_000).contains(silence) {
            guard known.endsResponses || !hasResponse else { continue }
            let words = Array(known.words.description.utf8)
            return context.emit(.http2StreamTimeout, a: UInt64(known.seconds), at: arrival, content: words.rawBytes, sink: &sink)
        }
    }

    /// The server has ended its side of a call: it says how the call has ended in the trailers, or in the head of a response without messages.
    func reportStatusMissing<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard stream.awaitsCallStatus else { return }
        stream.awaitsCallStatus = false
        guard knowsAll, !stream.server.hasGap else { return }
        context.emit(.http2CallStatusMissing, at: arrival, sink: &sink)
    }

    // MARK: - Size

    /// The server has ended a call with RESOURCE_EXHAUSTED: reports that it found a message of the client too long.
    ///
    /// Its words decide. Where there are none, the message does: unless one as long went through before, or the server had replied to it.
    ///
    /// - Parameter said: its `grpc-message`.
    private func reportTooBig<Sink: ConversationSink & ~Copyable>(
        _ said: RawSpan, after longestBefore: UInt64, context: inout ConversationContext, sink: inout Sink
    ) {
        let longest = stream.client.body.longestMessage
        // Of gRPC's core and Go, of Java, of .NET.
        let namesSize =
            said.mentions("message larger than max") || said.mentions("message exceeds maximum size")
            || said.mentions("message exceeds the maximum configured message size")
        let isBeyond = said.isEmpty && longest > Self.receiveLimit && longestBefore <= Self.receiveLimit && stream.server.dataBytes == 0
        guard isBeyond || namesSize else { return }
        var text = FindingText()
        if longest > 0 {
            text.append("; the client's longest message had ")
            text.append(grouped: longest)
            text.append(longest == 1 ? " byte" : " bytes")
        }
        if longest > Self.receiveLimit { text.append(", and 4,194,304 is the default limit of a receiver") }
        if namesSize {
            text.append("; the server says \"")
            text.append(said)
            text.append("\"")
        }
        context.emit(.http2CallTooBig, at: arrival, content: text.bytes.rawBytes, sink: &sink)
    }

    /// The client has reset a stream in the middle of a message of the server: reports that this message is beyond the default limit.
    ///
    /// A client reads the length first: one that takes more of the message than it would take of any has another reason.
    private func reportSizeLimit<Sink: ConversationSink & ~Copyable>(
        _ open: OpenMessage, context: inout ConversationContext, sink: inout Sink
    ) {
        guard knowsAll, !stream.server.hasGap, stream.server.content.isCall, open.length > Self.receiveLimit,
            open.came <= Self.receiveLimit, open.longestBefore <= Self.receiveLimit, let last = stream.lastFrame,
            let now = arrival.place.time, now.nanoseconds(since: last) <= Self.longestReaction
        else { return }
        var text = FindingText()
        text.append(grouped: open.length)
        context.emit(.http2CallSizeLimit, at: arrival, content: text.bytes.rawBytes, sink: &sink)
    }
}
