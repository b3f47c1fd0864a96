/// A request for a WebSocket, or of Engine.IO, that was refused, and what the response says about why. What its body says may be more than its
/// head, so the finding waits for the first part of that.
package final class RequestRefusal: Sendable {
    /// Of the body so much is looked at.
    package static let mostRead = 1_024

    private let arrival: Arrival
    /// The status and its phrase.
    private let status: [UInt8]
    private let isSuccess: Bool
    /// What the header fields say of the reason; empty where they say nothing.
    private let said: [UInt8]
    /// What the status alone means.
    private let meaning: [UInt8]
    private let target: [UInt8]
    /// Of a 404: the Origin of another host than the one that is asked; else empty. Action Cable answers so to an Origin that it does not allow
    /// (rails/rails issue 31524), as others do with 403.
    private let foreign: [UInt8]
    /// The request asks for no upgrade: it is Engine.IO's, or nothing is to be reported.
    private let isPolling: Bool

    /// Of a request without an upgrade: reports at once what its response says by its head alone. Returns what its body may say besides.
    ///
    /// - Parameters:
    ///   - asked: its method and target.
    ///   - length: its Content-Length; 0 where it has none, or that is not certain.
    package static func ofPlain<Sink: ConversationSink & ~Copyable>(
        _ asked: RawSpan, _ status: UInt16, length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> RequestRefusal? {
        if EngineIOTooLarge.report(asked: asked, status, length: length, at: arrival, context: &context, sink: &sink) { return nil }
        return RequestRefusal(polling: asked, status, at: arrival)
    }

    /// A request without an upgrade; nil where it is none of Engine.IO (400) or of SignalR with an id (404).
    ///
    /// - Parameters:
    ///   - asked: its target, perhaps with its method before it.
    ///   - status: of the response.
    ///   - arrival: where the head of the response begins.
    package init?(polling asked: RawSpan, _ status: UInt16, at arrival: Arrival) {
        guard status == 400 && asked.mentions("eio=") || status == 404 && asked.mentions("id=") else { return nil }
        self.arrival = arrival
        (self.status, said, meaning, foreign) = ([], [], [], [])
        (isSuccess, isPolling) = (false, true)
        var path: [UInt8] = []
        path.append(copying: asked)
        target = path
    }

    /// - Parameters:
    ///   - offer: the request.
    ///   - head: the response's head as on the wire.
    ///   - arrival: where that begins.
    package init(of offer: UpgradeOffer, head: RawSpan, response: ResponseHead, at arrival: Arrival) {
        self.arrival = arrival
        isSuccess = (200...299).contains(response.status)
        isPolling = false
        var words = FindingText()
        words.append(decimal: UInt64(response.status))
        let phrase = head.extracting(response.reason.start..<response.reason.end)
        if phrase.byteCount > 0 {
            words.append(" ")
            words.append(phrase, most: 60)
        }
        status = words.bytes
        let asking = offer.head.rawBytes
        said = Self.said(response.status, head, response.fields, asking, offer.request.fields)
        meaning = Self.meaning(response.status, asking, offer.request.fields)
        var other: [UInt8] = []
        if response.status == 404, let origin = Self.foreignOrigin(asking, offer.request.fields) { other.append(copying: origin) }
        foreign = other
        var path: [UInt8] = []
        path.append(copying: asking.extracting(offer.request.target.start..<offer.request.target.end))
        target = path
    }

    /// Emits the finding.
    ///
    /// - Parameter body: what came first of the body, its coding undone.
    package func tell<Sink: ConversationSink & ~Copyable>(body: RawSpan, context: inout ConversationContext, sink: inout Sink) {
        let read = body.extracting(0..<min(body.byteCount, Self.mostRead))
        if isPolling {
            if let words = SignalRRefusal.words(body: read, target: target) {
                return context.emit(.httpSignalRRefused, at: arrival, content: words.rawBytes, sink: &sink)
            }
            guard let refusal = EngineIORefusal(body: read, target: target) else { return }
            return context.emit(
                .httpEngineIORefused, a: UInt64(refusal.code), at: arrival, content: refusal.words.rawBytes, sink: &sink)
        }
        var text = FindingText()
        text.append(status)
        let reason = reason(read)
        if !reason.isEmpty {
            text.append("; ")
            text.append(reason, most: 400)
        }
        context.emit(.webSocketRefused, at: arrival, content: text.bytes.rawBytes, sink: &sink)
    }

    private func reason(_ body: RawSpan) -> [UInt8] {
        var text = FindingText()
        if Self.wantsTLS(body) {
            text.append("the server expects TLS on this port, so the URL has to begin with wss://")
        } else if isSuccess, body.hasPrefix("welcome to sockjs", at: 0) {
            text.append("this is the greeting of SockJS, whose WebSocket is at ")
            text.append(target)
            text.append(target.last == UInt8(ascii: "/") ? "websocket" : "/websocket")
        } else if !said.isEmpty {
            return said
        } else if let refusal = EngineIORefusal(body: body, target: target) {
            return refusal.words
        } else if let words = SignalRRefusal.words(body: body, target: target) {
            return words
        } else if isSuccess {
            return meaning
        } else if let line = Self.firstLine(of: body) {
            text.append("the response says ")
            text.append(line)
            if !foreign.isEmpty {
                text.append("; the server may not know this path, or may not allow the Origin ")
                text.append(foreign)
            }
        } else {
            return meaning
        }
        return text.bytes
    }

    /// What servers of TLS say to a request in plaintext: nginx, Apache httpd, Go's net/http, Tomcat.
    private static func wantsTLS(_ body: RawSpan) -> Bool {
        body.mentions("plain http request was sent to https port") || body.mentions("speaking plain http to an ssl-enabled server port")
            || body.mentions("client sent an http request to an https server")
            || body.mentions("combination of host and port requires tls")
    }

    /// The first line of a body that is a text for people or a program, and no page.
    @_lifetime(copy body)
    private static func firstLine(of body: RawSpan) -> RawSpan? {
        var start = 0
        while start < body.byteCount, body[start] <= 0x20 { start += 1 }
        var end = start
        while end < body.byteCount, body[end] != 0x0A, body[end] != 0x0D {
            if body[end] < 0x20 && body[end] != 0x09 { return nil }
            end += 1
        }
        guard end > start, body[start] != UInt8(ascii: "<"), body[start] < 0x80 else { return nil }
        return body.extracting(start..<end)
    }

    // MARK: - The head

    /// The value of the first field of a name in small letters.
    @_lifetime(copy head)
    private static func value(_ name: StaticString, _ head: RawSpan, _ fields: ByteRange) -> RawSpan? {
        var fields = HeaderFields(in: head, at: fields)
        while let field = fields.next() {
            if head.equals(name, in: field.name.start..<field.name.end) { return head.extracting(field.value.start..<field.value.end) }
        }
        return nil
    }

    private static func said(
        _ status: UInt16, _ head: RawSpan, _ fields: ByteRange, _ asking: RawSpan, _ asked: ByteRange
    ) -> [UInt8] {
        var text = FindingText()
        if (300...399).contains(status), let location = value("location", head, fields) {
            text.append("the server redirects to ")
            text.append(location)
            text.append(", which most WebSocket clients do not follow")
        } else if let versions = value("sec-websocket-version", head, fields), let version = value("sec-websocket-version", asking, asked),
            !isSame(versions, version)
        {
            text.append("the server speaks version ")
            text.append(versions)
            text.append(" of the protocol, the client requested ")
            text.append(version)
        } else if status == 401, let challenge = value("www-authenticate", head, fields) {
            text.append("the server requires authentication with ")
            text.append(challenge, most: 60)
        } else if status == 407, let challenge = value("proxy-authenticate", head, fields) {
            text.append("a proxy requires authentication with ")
            text.append(challenge, most: 60)
        } else if let wait = value("retry-after", head, fields) {
            let isNumber = wait.byteCount > 0 && wait.byteCount < 10 && (0..<wait.byteCount).allSatisfy { wait[$0] &- 0x30 < 10 }
            text.append("retry after ")
            text.append(wait)
            if isNumber { text.append(" s") }
        }
        return text.bytes
    }

    private static func isSame(_ one: RawSpan, _ other: RawSpan) -> Bool {
        one.byteCount == other.byteCount && (0..<one.byteCount).allSatisfy { one[$0] == other[$0] }
    }

    /// The Origin of a request, where its host is not the one of Host; nil where there is none.
    @_lifetime(copy asking)
    private static func foreignOrigin(_ asking: RawSpan, _ asked: ByteRange) -> RawSpan? {
        guard let origin = value("origin", asking, asked), let host = value("host", asking, asked) else { return nil }
        var start = 0
        while start < origin.byteCount, origin[start] != UInt8(ascii: "/") { start += 1 }
        guard start + 2 <= origin.byteCount else { return origin }
        return isSame(withoutPort(origin.extracting(start + 2..<origin.byteCount)), withoutPort(host)) ? nil : origin
    }

    /// A host without the port after it.
    @_lifetime(copy host)
    private static func withoutPort(_ host: RawSpan) -> RawSpan {
        var end = host.byteCount
        while end > 0, host[end - 1] &- 0x30 < 10 { end -= 1 }
        return end > 0 && end < host.byteCount && host[end - 1] == UInt8(ascii: ":") ? host.extracting(0..<end - 1) : host
    }

    private static func meaning(_ status: UInt16, _ asking: RawSpan, _ asked: ByteRange) -> [UInt8] {
        var text = FindingText()
        switch status {
        case 200...299: text.append("this path serves HTTP and no WebSocket")
        case 403:
            if let origin = value("origin", asking, asked) {
                text.append("the server may not allow the Origin ")
                text.append(origin)
            }
        case 404:
            text.append("the server may not know this path")
            if let origin = foreignOrigin(asking, asked) {
                text.append(", or may not allow the Origin ")
                text.append(origin)
            }
        case 429: text.append("the server limits the rate of requests")
        case 502: text.append("a gateway could not reach the server, or got no valid response from it")
        case 503: text.append("the service is overloaded or down")
        case 504: text.append("a gateway got no response from the server in time")
        default: break  // The status itself is in the row.
        }
        return text.bytes
    }
}
