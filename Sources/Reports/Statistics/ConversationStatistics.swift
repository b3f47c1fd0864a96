import Dissection

/// What is counted of a conversation, of all conversations with a host, or of all.
package struct ConversationStatistics: Sendable {
    /// The longest time without anything from either side, in nanoseconds.
    package struct Silence: Sendable {
        package var length: Int64
        /// When it began, and in which conversation.
        package var begin: Timestamp
        package var conversation: UInt64
    }

    package var conversations: UInt64 = 0
    package var requests: UInt64 = 0
    package var responses: UInt64 = 0
    /// Messages of WebSocket and gRPC, and those cut out of raw TCP, by side.
    package var messages: (client: UInt64, server: UInt64) = (0, 0)
    /// Bytes on the wire by side, as conversations say when they close.
    package var bytes: (client: UInt64, server: UInt64) = (0, 0)
    /// Bytes of messages and of whole bodies.
    package var sizes = ValueHistogram()
    /// Nanoseconds from the end of a request to its response.
    package var latencies = ValueHistogram()
    /// Nanoseconds from a ping to its pong.
    package var roundTrips = ValueHistogram()
    /// Nanoseconds from the beginning of a conversation to its last packet.
    package var durations = ValueHistogram()
    package var silence: Silence?
    /// Messages, requests and responses.
    package var rate = RateSeries()
    package private(set) var findings: [String: (severity: Severity, count: UInt64)] = [:]
    /// Bytes of a body of each side that is not whole yet.
    private var bodies = BodyLengths()
    private var lastHeard: Timestamp?

    package init() {}

    /// Findings of the worst severity that there are: the severity.
    package var worst: Severity? { findings.values.map(\.severity).max { $0.rawValue < $1.rawValue } }

    package var findingCount: UInt64 { findings.values.reduce(0) { $0.clampedSum($1.count) } }

    package var heldBytes: Int {
        MemoryLayout<ConversationStatistics>.stride + sizes.heldBytes + latencies.heldBytes + roundTrips.heldBytes + durations.heldBytes
            + rate.heldBytes + findings.count * 96 + bodies.heldBytes
    }

    /// Takes note of an event of a conversation.
    mutating func note(_ event: borrowing ConversationEvent) {
        let time = event.place.time
        switch event.fact {
        case .message(let message):
            sizes.add(message.length)
            countMessage(event)
        case .request:
            requests &+= 1
            if let time { rate.add(at: time) }
        // An interim response answers nothing yet (RFC 9110, section 15.2); the one to an upgrade is the last that HTTP says.
        case .response(let head) where 100...199 ~= head.status && head.status != 101: break
        case .response(let head):
            responses &+= 1
            if let latency = head.latency, latency >= 0 { latencies.add(UInt64(latency)) }
            if let time { rate.add(at: time) }
        case .body(let part):
            let endsMessage = part.element == .message
            let length = bodies.add(part, of: event, isEnd: endsMessage || part.final)
            if endsMessage { countMessage(event) }
            // What ends a body after its last message of gRPC is neither.
            if endsMessage || part.final && (length > 0 || part.part == 1) { sizes.add(length) }
        case .pong(let pong):
            if let roundTrip = pong.roundTrip, roundTrip >= 0 { roundTrips.add(UInt64(roundTrip)) }
        case .control(let frame):
            if let roundTrip = frame.roundTrip, roundTrip >= 0 { roundTrips.add(UInt64(roundTrip)) }
        case .finding(let finding):
            findings[finding.row.id, default: (finding.row.severity, 0)].count &+= 1
            return
        case .closed(let closing):
            conversations &+= 1
            bodies = BodyLengths()
            bytes.client = bytes.client.clampedSum(closing.client.bytes)
            bytes.server = bytes.server.clampedSum(closing.server.bytes)
            if let duration = closing.duration, duration >= 0 { durations.add(UInt64(duration)) }
            return
        case .gap, .opened, .frame, .ping, .close, .data, .tls, .upgrade: break
        }
        // Where a time steps back there is no silence.
        guard let time, event.from != nil else { return }
        if let lastHeard {
            let length = time.nanoseconds(since: lastHeard)
            if length > silence?.length ?? 0 { silence = Silence(length: length, begin: lastHeard, conversation: event.conversation) }
        }
        lastHeard = max(time, lastHeard ?? time)
    }

    private mutating func countMessage(_ event: borrowing ConversationEvent) {
        if event.from == .client { messages.client &+= 1 } else { messages.server &+= 1 }
        if let time = event.place.time { rate.add(at: time) }
    }

    /// Takes in what another one has.
    mutating func add(_ other: ConversationStatistics) {
        conversations &+= other.conversations
        requests &+= other.requests
        responses &+= other.responses
        messages = (messages.client &+ other.messages.client, messages.server &+ other.messages.server)
        bytes = (bytes.client.clampedSum(other.bytes.client), bytes.server.clampedSum(other.bytes.server))
        sizes.add(other.sizes)
        latencies.add(other.latencies)
        roundTrips.add(other.roundTrips)
        durations.add(other.durations)
        if let theirs = other.silence, theirs.length > silence?.length ?? 0 { silence = theirs }
        rate.add(other.rate)
        for (id, finding) in other.findings { findings[id, default: (finding.severity, 0)].count &+= finding.count }
    }
}
