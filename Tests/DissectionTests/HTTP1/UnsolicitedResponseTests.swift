import Dissection
import Support
import Testing

/// A response that comes before any request belongs to none that comes later (RFC 9110, section 15.5.9; RFC 9112, section 9.2).
@Suite struct UnsolicitedResponseTests {
    private static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let timeout = "HTTP/1.1 408 T\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    private static let busy = "HTTP/1.1 503 B\r\nContent-Length: 0\r\n\r\n"

    /// What is told of texts that come at times, in milliseconds.
    ///
    /// - Parameter received: how much of the client's the server had when it spoke, as its acknowledgement says.
    private func told(_ steps: [(at: Int64, from: Side, text: String)], received: UInt32 = 0) -> [String] {
        var sink = Latencies()
        let (client, server) = (Endpoint(address: IPAddress(ipv4: 1), port: 50_000), Endpoint(address: IPAddress(ipv4: 2), port: 80))
        var conversation = Conversation(
            number: 1, first: client, second: server, sideOfFirst: .client, start: .handshake, forced: nil, limits: Limits(), place: Place()
        )
        conversation.open(sink: &sink)
        for step in steps {
            let bytes = Array(step.text.utf8)
            var place = Place(time: Timestamp(nanoseconds: step.at * 1_000_000))
            if step.from == .server { place.received = received }
            conversation.receive(.bytes(bytes.rawBytes), direction: step.from == .client ? .first : .second, place: place, sink: &sink)
        }
        conversation.close(.endOfCapture, sink: &sink)
        return sink.told
    }

    @Test func aTimeoutIsNoResponseToALaterRequest() {
        for delay: Int64 in [1, 60_000] {
            let lines = told([(0, .server, Self.timeout), (delay, .client, Self.get)])
            #expect(!lines.contains { $0.hasPrefix("408 after") }, "\(lines)")
            #expect(lines.contains("http.request-unanswered"), "\(lines)")
            #expect(!lines.contains("http.response-unasked"), "\(lines)")
        }
        let talk = Talk([.server(Self.timeout), .client(Self.get), .finish(.server)])
        #expect(talk.difference(from: talk.transcript()) == nil)
        // Nearly: it is what the client is told while it asks.
        let slow = told([(0, .client, "GET / HT"), (5, .server, Self.timeout), (6, .client, "TP/1.1\r\nHost: x\r\n\r\n")])
        #expect(!slow.contains("http.request-unanswered"), "\(slow)")
    }

    @Test func whatComesLongBeforeARequestIsNoResponseToIt() {
        let early = told([(0, .server, Self.busy), (1_500, .client, Self.get), (1_510, .server, Self.busy)])
        #expect(early == ["503", "http.response-unasked", "request", "503 after 10"])
        // Nearly: packets of a capture that have changed places.
        let swapped = told([(0, .server, Self.busy), (3, .client, Self.get)], received: UInt32(Self.get.utf8.count))
        #expect(swapped == ["request", "503"])
    }

    @Test func whatTheServerSaidBeforeItHadARequestIsNoResponseToIt() {
        for early in [told([(0, .server, Self.busy), (3, .client, Self.get)]), told([(0, .server, Self.busy), (0, .client, Self.get)])] {
            #expect(early.prefix(3) == ["503", "http.response-unasked", "request"], "\(early)")
        }
        let both = told([(0, .server, Self.busy), (3, .client, Self.get), (5, .server, Self.busy)])
        #expect(both == ["503", "http.response-unasked", "request", "503 after 2"])
    }
}

/// Requests, responses with their latency in milliseconds, and findings.
private struct Latencies: ConversationSink {
    var told: [String] = []

    mutating func receive(_ event: borrowing ConversationEvent) {
        switch event.fact {
        case .request: told.append("request")
        case .response(let head): told.append("\(head.status)" + (head.latency.map { " after \($0 / 1_000_000)" } ?? ""))
        case .finding(let finding): told.append(finding.row.id)
        default: break
        }
    }
}
