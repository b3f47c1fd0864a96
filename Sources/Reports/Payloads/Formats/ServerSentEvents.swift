import Dissection

/// Server-sent events (html.spec.whatwg.org, section 9.2): those of a body of text/event-stream, or the one that came in a part of it.
/// JSON-RPC in their data is read in turn, as in the HTTP transport of the Model Context Protocol.
enum ServerSentEvents: PayloadFormat {
    static var name: StaticString { "sse" }

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        context.carrier == .body && context.isOfType("text/event-stream") ? .typed : .no
    }

    private static let mostEvents = 256
    /// What may be in their data.
    private static let inside = PayloadTable([PayloadRow(JSONRPC.self)])

    /// The fields of one event.
    private struct Event {
        var name: [UInt8]?
        var id: [UInt8]?
        var retry: UInt64?
        var data: [UInt8]?
        var comment: [UInt8]?
        var isEmpty: Bool { name == nil && id == nil && retry == nil && data == nil && comment == nil }
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var events: [DecodedPayload] = []
        var event = Event()
        // Only the stream may begin with a byte order mark (section 9.2.5).
        var start = !context.isContinued && bytes.begins("\u{feff}") ? 3 : 0
        while start < bytes.byteCount {
            // A line ends with CR, LF or both.
            var end = start
            while end < bytes.byteCount, bytes[end] != 0x0a, bytes[end] != 0x0d { end += 1 }
            let line = bytes.extracting(start..<end)
            start = end + (end + 1 < bytes.byteCount && bytes[end] == 0x0d && bytes[end + 1] == 0x0a ? 2 : 1)
            if line.isEmpty {
                if event.isEmpty { continue }
                guard events.count < mostEvents else {
                    tell(events, into: &decoded)
                    return decoded.stop("it has more than 256 events", at: end)
                }
                events.append(told(event, in: context, memory: &memory))
                event = Event()
            } else {
                take(line, into: &event)
            }
        }
        if !event.isEmpty { events.append(told(event, in: context, memory: &memory)) }
        tell(events, into: &decoded)
    }

    private static func take(_ line: RawSpan, into event: inout Event) {
        let colon = line.position(of: UInt8(ascii: ":"))
        let name = line.extracting(0..<(colon ?? line.byteCount))
        var first = colon.map { $0 + 1 } ?? line.byteCount
        if first < line.byteCount, line[first] == 0x20 { first += 1 }
        let value = line.extracting(first..<line.byteCount)
        if colon == 0 {
            event.comment = value.copy
        } else if name.isEqual(("data" as StaticString).bytes) {
            if event.data == nil { event.data = [] } else { event.data?.append(0x0a) }
            event.data?.append(copying: value)
        } else if name.isEqual(("event" as StaticString).bytes) {
            event.name = value.copy
        } else if name.isEqual(("id" as StaticString).bytes) {
            event.id = value.copy
        } else if name.isEqual(("retry" as StaticString).bytes) {
            event.retry = value.decimal
        }
    }

    private static func told(_ event: Event, in context: PayloadContext, memory: inout PayloadMemory) -> DecodedPayload {
        var one = DecodedPayload(format: name)
        if let name = event.name {
            one.add("event", .text(name))
            one.say(name.rawBytes)
        } else if event.data != nil {
            // What an event without a name is called.
            one.say("message")
        } else {
            one.say(event.comment == nil ? "fields" : "comment ")
            one.say(event.comment ?? [])
        }
        if let id = event.id {
            one.add("id", .text(id))
            one.say(", id ")
            one.say(id.rawBytes)
        }
        if let retry = event.retry {
            one.add("retry", .number(retry))
            one.say(", retry after \(retry) ms".utf8)
        }
        if let comment = event.comment, event.data == nil { one.add("comment", .text(comment)) }
        guard let data = event.data else { return one }
        one.add("data", data.rawBytes.asContent)
        one.say("  ")
        if let inner = inside.decode(data.rawBytes, in: context, memory: &memory), !inner.hasStopped {
            one.add("message", inner.asValue)
            one.say(inner.format)
            one.say(" ")
            one.say(inner.summary)
        } else {
            one.say(data.rawBytes)
        }
        return one
    }

    private static func tell(_ events: [DecodedPayload], into decoded: inout DecodedPayload) {
        if events.count == 1 {
            decoded = events[0]
            return
        }
        decoded.add("events", .list(events.map(\.asMembers)))
        for (index, event) in events.enumerated() {
            if index > 0 { decoded.say("; ") }
            decoded.say(event.summary)
        }
        if events.isEmpty { decoded.say("no event") }
    }
}
