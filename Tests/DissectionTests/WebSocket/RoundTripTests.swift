import Dissection
import Support
import Testing

/// How long a ping was under way, where several with one payload wait (RFC 6455, section 5.5.3).
@Suite struct RoundTripTests {
    private struct Trips: ConversationSink {
        var trips: [String] = []
        mutating func receive(_ event: borrowing ConversationEvent) {
            guard case .pong(let pong) = event.fact else { return }
            trips.append(pong.roundTrip.map { "\($0 / 1_000_000)" } ?? (pong.unsolicited ? "unsolicited" : "unknown"))
        }
    }

    /// The round trips of the pongs, in milliseconds, where the client sends a ping or the server a pong after so many.
    private func trips(_ steps: [(milliseconds: Int64, isPing: Bool, payload: [UInt8])]) -> [String] {
        var sink = Trips()
        var layer = WebSocketLayer(negotiation: WebSocketNegotiation())
        var context = ConversationContext(number: 1, limits: Limits(), startsMidstream: false)
        for step in steps {
            let bytes = step.isPing ? frame(9, step.payload, key: Talk.Step.key) : frame(10, step.payload)
            let arrival = Arrival(
                side: step.isPing ? .client : .server, offset: 0, place: Place(time: Timestamp(nanoseconds: step.milliseconds * 1_000_000)))
            _ = layer.receive(bytes.rawBytes, at: arrival, context: &context, sink: &sink)
        }
        return sink.trips
    }

    private func ping(_ milliseconds: Int64, _ payload: [UInt8] = []) -> (milliseconds: Int64, isPing: Bool, payload: [UInt8]) {
        (milliseconds, true, payload)
    }

    private func pong(_ milliseconds: Int64, _ payload: [UInt8] = []) -> (milliseconds: Int64, isPing: Bool, payload: [UInt8]) {
        (milliseconds, false, payload)
    }

    @Test func `a pong is measured from its ping, and a second one answers nothing`() {
        #expect(trips([ping(0, [7]), pong(2, [7]), pong(3, [7])]) == ["2", "unsolicited"])
    }

    @Test func `a ping that nothing answers does not delay all others`() {
        let beats = (2...5 as ClosedRange<Int64>).flatMap { [ping($0 * 20_000), pong($0 * 20_000 + 50)] }
        #expect(trips([ping(20_000)] + beats) == ["50", "50", "50", "50"])
        // Each second one.
        #expect(trips([ping(0), ping(1_000), pong(1_010), ping(2_000), ping(3_000), pong(3_010)]) == ["10", "10"])
    }

    @Test func `pings in a burst are answered in order`() {
        #expect(trips([ping(0), ping(1), ping(2), pong(30), pong(31), pong(32)]) == ["30", "30", "30"])
        // At once, by the clock.
        #expect(trips([ping(5), ping(5), pong(5), pong(6)]) == ["0", "1"])
    }

    @Test func `up to half of the time between two pings the pong is of the later one`() {
        #expect(trips([ping(0), ping(100), pong(150)]) == ["50"])
        #expect(trips([ping(0), ping(100), pong(151)]) == ["151"])
    }

    @Test func `one that was passed over may be answered late`() {
        #expect(trips([ping(0), ping(1_000), pong(1_010), pong(1_020), pong(1_030)]) == ["10", "unknown", "unsolicited"])
        // It is not waited for: the next pong is of the next ping.
        #expect(trips([ping(0), ping(1_000), pong(1_010), ping(2_000), pong(2_700)]) == ["10", "700"])
    }

    @Test func `other payloads are other pings`() {
        #expect(trips([ping(0, [1]), ping(1_000, [2]), pong(1_010, [1]), pong(1_020, [2])]) == ["1010", "20"])
    }
}
