import Testing

@testable import Reports

/// What is a heartbeat of protocols whose messages are for channels.
@Suite struct ChannelHeartbeatTests {
    @Test func `heartbeats of channels, and what answers them`() {
        func phoenix(_ topic: String, _ event: String, _ payload: String) -> HeartbeatPart? {
            var decoded = DecodedPayload(of: "phoenix")
            decoded.note("topic", .json("\"\(topic)\"".bytes))
            decoded.note("event", .json("\"\(event)\"".bytes))
            decoded.note("payload", .json(payload.bytes))
            return decoded.heartbeat
        }
        #expect(phoenix("phoenix", "heartbeat", "{}") == .beat)
        #expect(phoenix("phoenix", "phx_reply", "{}") == .answer)
        #expect(phoenix("room:1", "ping", #"{"body":"wake up"}"#) == .claim)
        #expect(phoenix("room:1", "phx_reply", "{}") == nil)
        func cable(_ format: StaticString, _ type: String, _ data: String?) -> HeartbeatPart? {
            var decoded = DecodedPayload(of: format)
            decoded.note("type", .json("\"\(type)\"".bytes))
            if let data { decoded.note("data", .json(data.bytes)) }
            return decoded.heartbeat
        }
        #expect(cable("actioncable", "ping", "1700000003") == .beat)
        #expect(cable("actioncable", "ping", #"{"m":"hi"}"#) == nil)
        #expect(cable("graphql-ws", "ka", nil) == .beat)
        #expect(cable("actioncable", "ka", nil) == nil)
    }
}
