/// What follows a request that asked to wait for 100 (Continue) before its body and got its final response instead: the
/// client may send the body, or leave it out and go on with its next request (RFC 9110, section 10.1.1). What it sends
/// says which.
///
/// ```
/// POST … Expect: 100-continue ──┬─ 100 ── body
///                               ├─ (the client has waited long enough) ── body
///                               └─ 417, 401, 200 … ──┬─ POST … Host: …   the next request
///                                                    └─ anything else    body
/// ```
extension HTTP1Layer {
    /// More is not kept before it is known what it is: a line, and the name of a header.
    private static let mostUndecided = HTTP1Lines.longestStartLine + 512

    /// Takes the first bytes after the head of such a request; returns where reading goes on in the run.
    mutating func readExpected<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, from start: Int, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Int {
        guard exchange.expectation == .answered else {
            // The body comes unasked for: no response so far.
            if exchange.expectation == .awaited { tellContinueMissing(at: arrival, context: &context, sink: &sink) }
            exchange.endExpectation()
            return start
        }
        let search = client.search ?? LostAlignment(.client)
        client.search = search
        let before = client.buffer.count
        if before == 0 { client.begin(at: arrival.advanced(by: start)) }
        let count = min(bytes.byteCount - start, HTTP1Layer.mostUndecided - before)
        client.buffer.append(copying: bytes.extracting(start..<start + count))
        let found = search.lines.advance(over: client.buffer.rawBytes, base: 0)
        let lead = emptyLead
        if found == nil, search.lines.pending <= lead, lead <= HTTP1Lines.mostEmptyBytes, client.buffer.count < HTTP1Layer.mostUndecided {
            client.place.extend(by: arrival.place)
            return start + count
        }
        decideExpected(isRequest: isRequest(found), held: before, context: &context, sink: &sink)
        return start
    }

    /// No more comes that could say what the bytes are that wait: a gap follows, the end, or another protocol.
    mutating func concludeExpected<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, isEnd: Bool, context: inout ConversationContext, sink: inout Sink
    ) {
        guard arrival.side == .client, exchange.expectation == .answered else { return }
        guard client.buffer.isEmpty else {
            let found = client.search?.lines.conclude()
            return decideExpected(isRequest: isRequest(found), held: client.buffer.count, context: &context, sink: &sink)
        }
        client.search = nil
        exchange.endExpectation()
        // What is lost is the body, as far as anyone knows.
        if isEnd { omitBody(at: arrival, context: &context, sink: &sink) }
    }

    /// Whether a line that was found is the first thing that came, and a request line without a fault: a body may have much that
    /// is like one.
    private func isRequest(_ found: StartLineSearch.Found?) -> Bool {
        guard let found, found.start == emptyLead, found.start <= HTTP1Lines.mostEmptyBytes else { return false }
        let bytes = client.buffer.rawBytes
        guard let lineFeed = bytes.firstIndex(of: 0x0A, from: found.start, to: bytes.byteCount) else { return false }
        let line = RequestLine(bytes, from: found.start, lineFeed: lineFeed)
        return HTTP1Methods.isRegistered(bytes, line.method) && !line.hasSpaceInTarget && HTTP1Version(bytes, line.version).isWellFormed
    }

    /// Bytes of empty lines before what may be a request.
    private var emptyLead: Int {
        client.buffer.prefix { $0 == 0x0D || $0 == 0x0A }.count
    }

    /// It is known what comes instead of the body, or as it; the first `held` of the bytes that wait were not read yet.
    private mutating func decideExpected<Sink: ConversationSink & ~Copyable>(
        isRequest: Bool, held count: Int, context: inout ConversationContext, sink: inout Sink
    ) {
        var held: [UInt8] = []
        swap(&held, &client.buffer)
        held.removeLast(held.count - count)
        client.search = nil
        exchange.endExpectation()
        let start = Arrival(side: .client, offset: client.start, place: client.place)
        if isRequest { omitBody(at: start, context: &context, sink: &sink) }
        guard !held.isEmpty else { return }
        // They hold no whole head, so that nothing can come of them but a part of one, or of the body.
        let end = client.end
        _ = receive(held.rawBytes, at: start, context: &context, sink: &sink)
        client.end = end
    }

    /// The message ends with its head.
    private mutating func omitBody<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        client.body.release()
        endMessage(.client, at: nil)
        if !context.endIsUnseen { context.emit(.httpBodyOmitted, at: arrival, sink: &sink) }
    }
}
