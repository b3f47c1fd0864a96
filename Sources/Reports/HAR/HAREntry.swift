import Dissection

/// One exchange on its way into an archive: what is known of it so far.
struct HAREntry {
    /// `RequestHead.exchange`.
    let exchange: UInt64
    /// The stream of HTTP/2; 0 where there is none.
    var stream: UInt32 = 0
    private let startedAt: Timestamp?
    /// The scheme and what stands before the target, to which `ws` adds.
    private let isSecure: Bool
    private let authority: [UInt8]
    private let target: [UInt8]
    /// A request for a tunnel, whose target is a host and a port (RFC 9112, section 3.2.3).
    private let isConnect: Bool
    /// The request's members after `url`, without those of its body.
    private let request: [UInt8]
    private let requestType: [UInt8]
    /// Whether its head announces a body.
    private let expectsBody: Bool
    private var requestBody = HARBody()
    /// The response's members up to `content`; nil before it came.
    private var response: [UInt8]?
    private var responseType: [UInt8] = []
    private var responseBody = HARBody()
    private var latency: Int64?
    private var answeredAt: Timestamp?
    private var lastAt: Timestamp?
    /// Objects of `_webSocketMessages` with commas between them; nil where there is no WebSocket.
    private var messages: [UInt8]?
    private var closeFrame: [UInt8] = []
    /// What the filter makes of it so far.
    private(set) var verdict = EventVerdict.leaveOut
    /// What it does not have.
    var losses = HARLosses()

    /// Begins with a request's head.
    ///
    /// - Parameter exchange: its number, or one that no request has.
    init(_ head: RequestHead, _ event: borrowing ConversationEvent, exchange: UInt64, isSecure: Bool, server: RawSpan) {
        self.exchange = exchange
        startedAt = event.place.time
        lastAt = event.place.time
        self.isSecure = isSecure
        target = event.bytes(head.target).copy
        let host = event.host(of: head)
        var type: [UInt8] = []
        var announces = false
        var fields = HeaderFields(in: event.content, at: head.fields)
        while let field = fields.next() {
            let (name, value) = (event.bytes(field.name), event.bytes(field.value))
            if name.isWord("content-type") { type = value.copy }
            if name.isWord("transfer-encoding") { announces = true }
            if name.isWord("content-length"), !value.isWord("0") { announces = true }
        }
        authority = host.isEmpty ? server.copy : host.copy
        requestType = type
        expectsBody = announces
        var text = OutputBuffer(capacity: 1_024)
        text.append(",\"httpVersion\":", text: head.version.isEmpty ? StaticString("HTTP/0.9").bytes : event.bytes(head.version))
        text.append(",\"cookies\":")
        text.appendCookies(event.content, head.fields, areSet: false)
        text.append(",\"headers\":")
        text.appendFields(event.content, head.fields)
        text.append(",\"queryString\":")
        text.appendQuery(of: event.bytes(head.target))
        text.append(",\"headersSize\":", decimal: UInt64(event.content.byteCount))
        var method = OutputBuffer(capacity: 64)
        method.append("{\"method\":", text: event.bytes(head.method))
        method.append(",\"url\":")
        request = text.bytes.copy
        self.method = method.bytes.copy
        // The target of an extended CONNECT is a path (RFC 8441, section 4).
        isConnect = event.bytes(head.method).isEqual(StaticString("CONNECT").bytes) && target.first != 0x2f
    }

    /// Begins without a request: with a response that belongs to none that is known, or a WebSocket that had begun before.
    ///
    /// - Parameters:
    ///   - exchange: a number that no request has, or that of a request whose entry was written.
    ///   - method, target: what is known of the request.
    init(
        exchange: UInt64, method known: RawSpan = RawSpan(), target: RawSpan = RawSpan(), at time: Timestamp?, isSecure: Bool,
        server: [UInt8], notes: HARLosses.Notes
    ) {
        self.exchange = exchange
        (startedAt, lastAt) = (time, time)
        self.isSecure = isSecure
        authority = server
        self.target = target.copy
        (requestType, expectsBody) = ([], false)
        isConnect = known.isEqual(StaticString("CONNECT").bytes) && self.target.first != 0x2f
        var method = OutputBuffer(capacity: 64)
        method.append("{\"method\":", text: known)
        method.append(",\"url\":")
        self.method = method.bytes.copy
        request = StaticString(",\"httpVersion\":\"\",\"cookies\":[],\"headers\":[],\"queryString\":[],\"headersSize\":-1").bytes.copy
        losses.notes = notes
    }

    /// Nothing, in the place of one that was taken out.
    static let vacant = HAREntry(exchange: 0, at: nil, isSecure: false, server: [], notes: [])

    /// `{"method":…,"url":`
    private let method: [UInt8]

    /// Bytes of memory that it takes.
    var heldBytes: Int {
        MemoryLayout<HAREntry>.stride + authority.capacity + target.capacity + request.capacity + requestType.capacity + method.capacity
            + requestBody.kept.capacity + (response?.capacity ?? 0) + responseType.capacity + responseBody.kept.capacity
            + (messages?.capacity ?? 0) + closeFrame.capacity + Self.arrays * 32
    }

    /// Takes what the filter makes of something that belongs to it: the most counts.
    mutating func note(_ verdict: EventVerdict) { self.verdict = max(self.verdict, verdict) }

    /// Whether it may turn out to be picked by something that comes later.
    var mayBePicked: Bool { verdict == .keep || verdict == .keepAsMessage }

    /// Arrays that it may have, each with a header.
    private static let arrays = 10

    var isAnswered: Bool { response != nil }

    var isWebSocket: Bool { messages != nil }

    /// Whether nothing more of it is to come.
    var isOver: Bool { responseBody.isFinal && messages == nil && (!expectsBody || requestBody.isFinal) }

    /// Whether the body of a side has begun or will, and has not ended.
    func awaitsBody(from side: Side) -> Bool {
        side == .client ? expectsBody && !requestBody.isFinal : isAnswered && !responseBody.isFinal
    }

    /// Takes note of bytes that nobody saw.
    mutating func note(_ gap: Gap, from side: Side) {
        if side == .client {
            losses.client.add(gap.length, afterBody: requestBody.length)
        } else {
            losses.server.add(gap.length, afterBody: responseBody.length)
        }
    }

    /// Takes note of the end of its conversation, where that came before its own.
    mutating func note(_ closing: Closing) {
        if closing.how == .evicted, !isOver { losses.notes.insert(.evicted) }
    }

    /// Takes note of bodies that have begun and will not end.
    mutating func noteOpenBodies() {
        if requestBody.isOpen || responseBody.isOpen { losses.notes.insert(.openBody) }
    }

    /// Takes the final answer.
    mutating func take(_ head: ResponseHead, _ event: borrowing ConversationEvent) {
        answeredAt = event.place.time
        lastAt = event.place.time ?? lastAt
        latency = head.latency
        var text = OutputBuffer(capacity: 1_024)
        text.append("{\"status\":", decimal: UInt64(head.status))
        text.append(",\"statusText\":", text: event.bytes(head.reason))
        text.append(",\"httpVersion\":", text: event.bytes(head.version))
        text.append(",\"cookies\":")
        text.appendCookies(event.content, head.fields, areSet: true)
        text.append(",\"headers\":")
        text.appendFields(event.content, head.fields)
        var place: [UInt8] = []
        var fields = HeaderFields(in: event.content, at: head.fields)
        while let field = fields.next() {
            let name = event.bytes(field.name)
            if name.isWord("location") { place = event.bytes(field.value).copy }
            if name.isWord("content-type") { responseType = event.bytes(field.value).copy }
        }
        text.append(",\"redirectURL\":", text: place.rawBytes)
        text.append(",\"headersSize\":", decimal: UInt64(event.content.byteCount))
        response = text.bytes.copy
    }

    /// Takes a part of a body.
    ///
    /// - Parameters:
    ///   - most: bytes of the whole body that are kept.
    ///   - room: bytes that there is room for.
    mutating func take(_ part: BodyPart, _ event: borrowing ConversationEvent, most: Int, room: Int) {
        if event.from == .client {
            requestBody.take(part, event.bytes(part.payload), most: most, room: room)
        } else {
            lastAt = event.place.time ?? lastAt
            responseBody.take(part, event.bytes(part.payload), most: most, room: room)
        }
    }

    /// Goes on as a WebSocket.
    mutating func becomeWebSocket() { messages = messages ?? [] }

    /// Takes a WebSocket message, as Chromium writes it.
    ///
    /// - Parameters:
    ///   - most: bytes of its payload that are kept.
    ///   - room: bytes that there is room for, with what stands around the payload.
    mutating func take(_ message: Message, _ event: borrowing ConversationEvent, most: Int, room: Int) {
        lastAt = event.place.time ?? lastAt
        let payload = event.content.prefix(most)
        guard (messages ?? []).hasRoom(for: payload.byteCount + 64, room) else { return losses.leftOutMessages &+= 1 }
        var text = OutputBuffer(capacity: payload.byteCount + 160)
        text.append(messages?.isEmpty == false ? ",{\"type\":" : "{\"type\":")
        text.append(event.from == .client ? "\"send\"" : "\"receive\"")
        text.append(",\"time\":")
        text.append(secondsOf: max(0, event.place.time?.nanoseconds ?? 0))
        text.append(",\"opcode\":", decimal: UInt64(message.opcode))
        text.append(",\"data\":\"")
        let isCut = UInt64(payload.byteCount) < message.length
        // What calls itself text and is none is base64 like binary messages, and says so.
        let isText = message.opcode == 1 && text.appendJSON(utf8: payload, isCut: isCut)
        if !isText { text.append(base64: payload) }
        text.append(0x22)
        if message.opcode == 1, !isText { text.append(",\"_encoding\":\"base64\"") }
        if isCut {
            text.append(",\"_length\":", decimal: message.length)
        }
        text.append(0x7d)
        // Control characters become six bytes each.
        guard (messages ?? []).hasRoom(for: text.count, room) else { return losses.leftOutMessages &+= 1 }
        messages?.append(copying: text.bytes, room: room)
    }

    /// Takes a Close frame: the first one says why.
    mutating func take(_ close: CloseFrame, _ event: borrowing ConversationEvent) {
        guard closeFrame.isEmpty else { return }
        var text = OutputBuffer(capacity: 128)
        text.append(event.from == .client ? "{\"type\":\"send\"" : "{\"type\":\"receive\"")
        if let code = close.code {
            text.append(",\"code\":", decimal: UInt64(code))
        }
        text.append(",\"reason\":", text: event.content)
        text.append(0x7d)
        closeFrame = text.bytes.copy
    }

    /// Writes it as an object of `entries`.
    ///
    /// - Parameters:
    ///   - number: the conversation's.
    ///   - address: the server's.
    ///   - hasStrays: whether the conversation has responses that could not be matched.
    func write(to output: inout OutputBuffer, conversation number: UInt64, address: IPAddress, hasStrays: Bool) {
        let started = startedAt ?? Timestamp(nanoseconds: 0)
        let wait = latency ?? answeredAt.map { $0.nanoseconds(since: started) } ?? 0
        let received = answeredAt.flatMap { answered in lastAt.map { $0.nanoseconds(since: answered) } } ?? 0
        output.append("{\"_resourceType\":")
        output.append(isWebSocket ? "\"websocket\"" : "\"other\"")
        output.append(",\"startedDateTime\":")
        output.append(archived: startedAt)
        output.append(",\"time\":")
        output.append(millisecondsOf: max(0, wait).clampedSum(max(0, received)))
        output.append(",\"request\":")
        writeRequest(to: &output)
        output.append(",\"response\":")
        writeResponse(to: &output, hasStrays: hasStrays)
        output.append(",\"cache\":{},\"timings\":{\"blocked\":-1,\"dns\":-1,\"connect\":-1,\"ssl\":-1,\"send\":0,\"wait\":")
        output.append(millisecondsOf: wait)
        output.append(",\"receive\":")
        output.append(millisecondsOf: received)
        output.append("},")
        if address.family != .none {
            output.append("\"serverIPAddress\":\"")
            output.append(address)
            output.append("\",")
        }
        output.append("\"connection\":\"", decimal: number)
        output.append(0x22)
        if let messages {
            output.append(",\"_webSocketMessages\":[")
            output.append(messages.rawBytes)
            output.append(0x5d)
        }
        if !closeFrame.isEmpty {
            output.append(",\"_webSocketClose\":")
            output.append(closeFrame.rawBytes)
        }
        writeComment(to: &output)
        output.append(0x7d)
    }

    private func writeRequest(to output: inout OutputBuffer) {
        output.append(method.rawBytes)
        output.append(0x22)
        // The absolute form (RFC 9112, section 3.2.2) is a URL by itself.
        if isConnect {
            output.append("http://")
            output.appendInside(target.rawBytes)
            output.append(0x2f)
        } else if !target.rawBytes.isAbsoluteURL {
            output.append(isWebSocket ? (isSecure ? "wss://" : "ws://") : (isSecure ? "https://" : "http://"))
            output.appendInside(authority.rawBytes)
            if target.first != 0x2f { output.append(0x2f) }
        }
        if !isConnect { output.appendInside(target.rawBytes) }
        output.append(0x22)
        output.append(request.rawBytes)
        output.append(",\"bodySize\":", decimal: requestBody.wireLength)
        if requestBody.length > 0 {
            output.append(",\"postData\":{\"mimeType\":", text: requestType.rawBytes)
            output.append(",\"params\":[],\"text\":\"")
            if !output.appendJSON(utf8: requestBody.kept.rawBytes, isCut: UInt64(requestBody.kept.count) < requestBody.length) {
                // The form has no other place for binary bodies: `_encoding` is what tells.
                output.append(base64: requestBody.kept.rawBytes)
                output.append("\",\"_encoding\":\"base64")
            }
            output.append("\"}")
        }
        output.append(0x7d)
    }

    private func writeResponse(to output: inout OutputBuffer, hasStrays: Bool) {
        guard let response else {
            // As browsers write what had no answer.
            output.append(
                """
                {"status":0,"statusText":"","httpVersion":"","cookies":[],"headers":[],"redirectURL":"","headersSize":-1,"bodySize":-1,\
                "content":{"size":0,"mimeType":"x-unknown"},"_error":"
                """)
            let isEarly = losses.notes.contains(.writtenEarly)
            output.append(isEarly ? "no answer was waited for" : hasStrays ? "no answer was matched" : "no answer was seen")
            return output.append("\"}")
        }
        output.append(response.rawBytes)
        output.append(",\"bodySize\":", decimal: responseBody.wireLength)
        output.append(",\"content\":{\"size\":", decimal: responseBody.length)
        output.append(",\"mimeType\":", text: responseType.isEmpty ? StaticString("x-unknown").bytes : responseType.rawBytes)
        if responseBody.length > responseBody.wireLength {
            output.append(",\"compression\":", decimal: responseBody.length - responseBody.wireLength)
        }
        if !responseBody.kept.isEmpty {
            output.append(",\"text\":\"")
            if !output.appendJSON(utf8: responseBody.kept.rawBytes, isCut: UInt64(responseBody.kept.count) < responseBody.length) {
                output.append(base64: responseBody.kept.rawBytes)
                output.append("\",\"encoding\":\"base64")
            }
            output.append(0x22)
        }
        output.append("}}")
    }

    /// Says what is not there.
    private func writeComment(to output: inout OutputBuffer) {
        var losses = losses
        losses.leftOutBytes = (responseBody.length - min(responseBody.length, UInt64(responseBody.kept.count)))
            .clampedSum(requestBody.length - min(requestBody.length, UInt64(requestBody.kept.count)))
        losses.write(to: &output)
    }
}

extension OutputBuffer {
    /// Appends the inside of a JSON string: UTF-8, or else Latin-1.
    fileprivate mutating func appendInside(_ bytes: RawSpan) {
        if !appendJSON(utf8: bytes) { appendJSON(latin1: bytes) }
    }
}

extension RawSpan {
    /// Whether a target begins with a scheme and an authority.
    fileprivate var isAbsoluteURL: Bool {
        guard let colon = position(of: 0x3a), colon > 0, byteCount > colon + 2 else { return false }
        return self[0] != 0x2f && self[colon + 1] == 0x2f && self[colon + 2] == 0x2f
    }
}
