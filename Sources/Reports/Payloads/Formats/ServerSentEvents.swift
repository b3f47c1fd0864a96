import Dissection

/// Server-sent events (html.spec.whatwg.org, section 9.2): those of a body of text/event-stream, or the one that came in a part of it.
/// JSON-RPC in their data is read in turn, as in the HTTP transport of the Model Context Protocol.
enum ServerSentEvents: PayloadFormat {
    static var name: StaticString { "sse" }
    static var keys: [StaticString] { ["event", "id", "data", "retry", "comment", "message", "events"] }

    static let occasions: PayloadOccasions = [.body]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        context.carrier == .body && context.isOfType("text/event-stream") ? .typed : .no
    }

    private static let mostEvents = 256
    /// What may be in their data.
    private static let inside = PayloadTable([PayloadRow(JSONRPC.self)])

    /// What a field says, and where that stands: of data in several lines from the first to the last, with what is between them.
    private struct Told<Value> {
        var value: Value
        var range: Range<Int>
    }

    /// The fields of one event.
    private struct Event {
        var name: Told<[UInt8]>?
        var id: Told<[UInt8]>?
        var retry: Told<UInt64>?
        var data: Told<[UInt8]>?
        var comment: Told<[UInt8]>?
        /// Where its lines stand.
        var lines: Range<Int>?
        var isEmpty: Bool { name == nil && id == nil && retry == nil && data == nil && comment == nil }
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var events: [(said: DecodedPayload, lines: Range<Int>)] = []
        var event = Event()
        // Only the stream may begin with a byte order mark (section 9.2.5).
        var start = !context.isContinued && bytes.begins("\u{feff}") ? 3 : 0
        while start < bytes.byteCount {
            // A line ends with CR, LF or both.
            var end = start
            while end < bytes.byteCount, bytes[end] != 0x0a, bytes[end] != 0x0d { end += 1 }
            let line = start..<end
            start = end + (end + 1 < bytes.byteCount && bytes[end] == 0x0d && bytes[end + 1] == 0x0a ? 2 : 1)
            if line.isEmpty {
                if event.isEmpty { continue }
                guard events.count < mostEvents else {
                    tell(events, into: &decoded)
                    return decoded.stop("it has more than 256 events", at: end)
                }
                events.append((told(event, in: context, memory: &memory), event.lines ?? line))
                event = Event()
            } else {
                take(line, of: bytes, into: &event)
            }
        }
        if !event.isEmpty { events.append((told(event, in: context, memory: &memory), event.lines ?? 0..<bytes.byteCount)) }
        tell(events, into: &decoded)
    }

    private static func take(_ line: Range<Int>, of bytes: RawSpan, into event: inout Event) {
        event.lines = (event.lines?.lowerBound ?? line.lowerBound)..<line.upperBound
        let colon = bytes.extracting(line).position(of: UInt8(ascii: ":")).map { line.lowerBound + $0 }
        let name = bytes.extracting(line.lowerBound..<(colon ?? line.upperBound))
        var first = colon.map { $0 + 1 } ?? line.upperBound
        if first < line.upperBound, bytes[first] == 0x20 { first += 1 }
        let range = first..<line.upperBound
        let value = bytes.extracting(range)
        if colon == line.lowerBound {
            event.comment = Told(value: value.copy, range: range)
        } else if name.isEqual(("data" as StaticString).bytes) {
            if event.data == nil { event.data = Told(value: [], range: range) } else { event.data?.value.append(0x0a) }
            event.data?.value.append(copying: value)
            if let data = event.data { event.data?.range = data.range.lowerBound..<range.upperBound }
        } else if name.isEqual(("event" as StaticString).bytes) {
            event.name = Told(value: value.copy, range: range)
        } else if name.isEqual(("id" as StaticString).bytes) {
            event.id = Told(value: value.copy, range: range)
        } else if name.isEqual(("retry" as StaticString).bytes) {
            event.retry = value.decimal.map { Told(value: $0, range: range) }
        }
    }

    private static func told(_ event: Event, in context: PayloadContext, memory: inout PayloadMemory) -> DecodedPayload {
        var one = DecodedPayload(format: name)
        if let name = event.name {
            one.add("event", .text(name.value), at: name.range)
            one.say(name.value.rawBytes)
        } else if event.data != nil {
            // What an event without a name is called.
            one.say("message")
        } else {
            one.say(event.comment == nil ? "fields" : "comment ", event.comment?.value ?? [])
        }
        if let id = event.id {
            one.add("id", .text(id.value), at: id.range)
            one.say(", id ", id.value.rawBytes)
        }
        if let retry = event.retry {
            one.add("retry", .number(retry.value), at: retry.range)
            one.say(", retry after \(retry.value) ms".utf8)
        }
        if let comment = event.comment, event.data == nil { one.add("comment", .text(comment.value), at: comment.range) }
        guard let data = event.data else { return one }
        one.add("data", data.value.rawBytes.asContent, at: data.range)
        one.say("  ")
        if let inner = inside.decode(data.value.rawBytes, in: context, memory: &memory), !inner.hasStopped {
            one.add("message", inner.asValue.inside(data.range, ofCount: data.value.count), at: data.range)
            one.say(inner.format)
            one.say(" ", inner.summary)
        } else {
            one.say(data.value.rawBytes)
        }
        return one
    }

    private static func tell(_ events: [(said: DecodedPayload, lines: Range<Int>)], into decoded: inout DecodedPayload) {
        if events.count == 1 {
            decoded = events[0].said
            return
        }
        let members: [DecodedPayload.Value.Member] = events.map { .init([], $0.said.asMembers, at: $0.lines) }
        decoded.add("events", .items(members), at: members.place)
        for (index, event) in events.enumerated() {
            if index > 0 { decoded.say("; ") }
            decoded.say(event.said.summary)
        }
        if events.isEmpty { decoded.say("no event") }
    }
}
