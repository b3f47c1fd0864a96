import Testing
import UnmaskConversations

/// Bytes that the test has itself: no capture, no packets.
@Suite struct LiveBytesTests {
    private func time(_ milliseconds: Int64) -> CaptureTime { CaptureTime(nanosecondsSince1970: milliseconds * 1_000_000) }

    @Test func `a response is matched with its request`() throws {
        let live = LiveConversation(client: "10.0.0.7:50312", server: "chat.example:80", openedAt: time(0))
        var events = live.receive("GET /rooms HTTP/1.1\r\nHost: chat.example\r\n\r\n".utf8, from: .client, at: time(1))
        events += live.receive(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n[\"tea\"]".utf8, from: .server, at: time(9))
        events += live.close(at: time(10))

        let responses = events.compactMap { if case .response(let response) = $0.content { response } else { nil } }
        #expect(responses.map(\.latency) == [.milliseconds(8)])
        let bodies = events.compactMap { if case .body(let body) = $0.content { body } else { nil } }
        #expect(bodies.map(\.text) == ["[\"tea\"]"])
    }

    @Test func `a payload is read by itself`() {
        let decoded = DecodedPayload([0x81, 0xA2, 0x68, 0x69, 0x05], as: "msgpack")
        #expect(decoded?.json == #"{"as":"msgpack","value":{"hi":5}}"#)
        #expect(DecodedPayload("{\"room\": 7}".utf8)?.format == "json")
        #expect(DecodedPayload("hello".utf8) == nil)
    }
}
