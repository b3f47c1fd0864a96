/// A request with which a browser asks whether a script of another origin may send one (Fetch, section 4.8), kept until its response.
final class CORSPreflight: Sendable {
    fileprivate let exchange: UInt64
    /// The method and the origin.
    fileprivate let words: [UInt8]

    fileprivate init(exchange: UInt64, words: [UInt8]) {
        self.exchange = exchange
        self.words = words
    }
}

extension HTTP1Layer {
    /// Keeps what an OPTIONS asks for that is a preflight.
    mutating func notePreflight(_ head: RawSpan, _ request: RequestHead) {
        guard request.exchange > 0, head.equals("options", in: request.method.start..<request.method.end) else { return }
        var (origin, method) = (ByteRange(), ByteRange())
        var fields = HeaderFields(in: head, at: request.fields)
        while let field = fields.next() {
            let name = field.name.start..<field.name.end
            if head.equals("origin", in: name) { origin = field.value }
            if head.equals("access-control-request-method", in: name) { method = field.value }
        }
        guard !origin.isEmpty, !method.isEmpty else { return }
        var text = FindingText()
        text.append(head.extracting(method.start..<method.end), most: 32)
        text.append(" from ")
        text.append(head.extracting(origin.start..<origin.end))
        preflight = CORSPreflight(exchange: request.exchange, words: text.bytes)
    }

    /// Reports a preflight whose response does not allow what it asks for.
    mutating func tellPreflight<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, _ response: ResponseHead, _ asked: AskedRequest?, isCut: Bool, at arrival: Arrival,
        context: inout ConversationContext, sink: inout Sink
    ) {
        guard let preflight, response.status >= 200, asked?.exchange == preflight.exchange else { return }
        self.preflight = nil
        guard !isCut else { return }
        var allowed = false
        var fields = HeaderFields(in: head, at: response.fields)
        while let field = fields.next() {
            if head.equals("access-control-allow-origin", in: field.name.start..<field.name.end) { allowed = true }
        }
        let isSuccess = (200...299).contains(response.status)
        guard !allowed || !isSuccess else { return }
        var text = FindingText()
        text.append(preflight.words, most: 200)
        text.append(" with ")
        text.append(decimal: UInt64(response.status))
        if !allowed { text.append(", and without Access-Control-Allow-Origin") }
        context.emit(.httpPreflightRefused, at: arrival, content: text.bytes.rawBytes, sink: &sink)
    }
}
