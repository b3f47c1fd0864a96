/// What a server says to a TLS hello that does not speak TLS: a response of HTTP, mostly a 400, or something else.
///
/// ```
/// 16 03 01 …  ClientHello  ──>
///                          <──  HTTP/1.1 400 Bad Request …
/// ```
///
/// A class, because hardly any conversation has one.
final class PlainResponse {
    /// Reads what begins as HTTP; none where it is something else.
    private var http: RunningLayer?
    private var httpBytes = 0

    /// - Parameter http: reads it, where it begins with `HTTP/`.
    init(http: RunningLayer?) { self.http = http }

    func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let outcome = http?.receive(bytes, at: arrival, held: &httpBytes, context: &context, sink: &sink)
        guard let outcome else {
            return tellData(bytes, at: arrival, context: &context, sink: &sink)
        }
        switch outcome {
        case .taken: return
        case .hold(let consumed), .release(let consumed), .handOver(let consumed, _):
            // A server that switches protocols here is understood by nobody.
            http = nil
            tellData(bytes.suffix(from: consumed), at: arrival.advanced(by: consumed), context: &context, sink: &sink)
        }
    }

    func flush<Sink: ConversationSink & ~Copyable>(at arrival: Arrival, context: inout ConversationContext, sink: inout Sink) {
        http?.flush(at: arrival, context: &context, sink: &sink)
    }

    func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if http?.skip(length, at: arrival, context: &context, sink: &sink) != nil { http = nil }
    }

    func finish<Sink: ConversationSink & ~Copyable>(at arrival: Arrival, context: inout ConversationContext, sink: inout Sink) {
        http?.finish(at: arrival, context: &context, sink: &sink)
    }

    var heldBytes: Int { http?.heldBytes ?? 0 }

    /// Frees what is kept of the body.
    func cut() { _ = http?.cutAssembly() }

    private func tellData<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard bytes.byteCount > 0 else { return }
        context.emit(.data(DataRun(length: UInt64(bytes.byteCount))), at: arrival, content: bytes, sink: &sink)
    }
}

extension TLSDirection {
    /// Whether the first five bytes with which a server responds to a client begin no record of any kind. One that speaks TLS
    /// begins with one, so that this is not a fault in its records.
    func isPlain(_ header: TLSRecordHeader, _ handshake: TLSHandshake, _ context: borrowing ConversationContext) -> Bool {
        // Where the server has shown that it speaks no TLS, the client may go on in the clear.
        if record.side == .client { return handshake.serverIsPlain && !header.isKnown }
        guard record.side == .server, !hasRecord, handshake.clientHasBegun, context.hasBeginning(.server), !context.hasGap(.server)
        else { return false }
        return !header.isKnown
    }

    /// The server does not speak TLS: it is read as what it speaks.
    mutating func beginPlain<Sink: ConversationSink & ~Copyable>(
        _ header: TLSRecordHeader, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        let first = header.bytes
        cursor.restart()
        if record.side == .client {
            state = .plain
            let talk = PlainResponse(http: nil)
            plain = talk
            return talk.receive(first.rawBytes, at: record, context: &context, sink: &sink)
        }
        handshake.serverIsPlain = true
        handshake.stopAwaiting(.server)
        handshake.tellWithoutServer(context: &context, sink: &sink)
        let isHTTP = first.elementsEqual("HTTP/".utf8)
        let response = PlainResponse(http: isHTTP ? context.layers.make(.http, LayerStart(isResponseAlone: true)) : nil)
        plain = response
        state = .plain
        context.emit(isHTTP ? .tlsHTTPResponse : .tlsOtherResponse, at: record, sink: &sink)
        response.receive(first.rawBytes, at: record, context: &context, sink: &sink)
    }
}
