import Foundation
import Support
import Testing

/// Causes of ends and failures, as a whole: each recording has what shows one, and beside it what nearly does and stays silent.
@Suite("Causes in recordings") struct CauseFixtureTests {
    /// Words that text has of a recording, and how often.
    private static let expected: [(recording: String, words: String, count: Int)] = [
        ("message-too-big", "closed with 1009 (message too big) after the client's message 2 of 131,088 bytes", 1),
        ("message-too-big", "websocket.message-too-big", 1),
        ("message-too-big", "in the middle of the server's message 2 of 1,200,345 bytes, the longest that it had received", 1),
        ("message-too-big", "websocket.size-limit", 1),
        ("life-limit", "connection.life-limit note: ended 60 s after it was opened, as 1 other to this server", 1),
        ("life-limit", "connection.life-limit", 1),
        ("mqtt-violations", "mqtt.topic-wildcard", 1),
        ("mqtt-violations", "mqtt.protocol-level", 1),
        ("mqtt-violations", "no response to 1 call of the client: CONNECT", 1),
        ("mqtt-refused", "mqtt.refused warning: the server refused the connection with CONNACK 5: not authorized", 1),
        ("engineio-max-payload", "message 2 of 131,088 bytes; it is beyond the announced maxPayload of 100,000 bytes", 1),
        (
            "engineio-max-payload",
            "message 3 of 6,500 bytes, the longest that it had received; it is beyond the announced maxPayload of 5,000 bytes", 1
        ),
        ("engineio-max-payload", "announced maxPayload", 2),
        ("engineio-max-payload", "the limit of Socket.IO", 0),
        ("engineio-too-large", "refused with 413; the body has 6,015 bytes; it is beyond the announced maxPayload of 5,000 bytes", 1),
        ("engineio-too-large", "the body has 2,015 bytes, no more than the announced maxPayload of 5,000", 1),
        ("engineio-too-large", "http.engineio-too-large", 2),
        ("phoenix-idle", "60 s is the default of Phoenix and Cowboy where the client sends nothing, no heartbeat either", 1),
        ("phoenix-idle", "no heartbeat either; Phoenix closes after 1 min 0 s unless its timeout is set", 2),
        ("raw-waiting", "the server ends its lines with CR LF, the client's 5 bytes of text have no line end, and no response came", 1),
        ("raw-waiting", "framing.line-end-missing", 1),
        (
            "raw-waiting",
            "messages begin with their length as 8 bytes, little-endian, that does not count itself (1 of 1), in a segment of its own", 1
        ),
        ("raw-waiting", "framing.length-seen", 1),
        ("raw-waiting", "the server 4 bytes, big-endian, that does not count itself (1 of 1), in a segment of its own", 1),
        ("raw-waiting", "framing.lengths-differ", 1),
        ("raw-waiting", "the text of the client begins with a byte order mark (EF BB BF)", 1),
        ("raw-waiting", "framing.byte-order-mark", 1),
        ("mqtt-over-websocket", "mqtt.topic-wildcard violation: the topic of a PUBLISH has a wildcard: home/+", 1),
        ("mqtt-over-websocket", "mqtt.topic-wildcard", 1),
        ("mqtt-over-websocket", "mqtt.refused warning: the server refused the connection with CONNACK 5: not authorized", 1),
        ("mqtt-over-websocket", "mqtt.refused", 1),
        ("http-inside", "websocket.http-inside violation: an HTTP request where a WebSocket frame has to begin", 1),
        ("http-inside", "websocket.http-inside violation: the end of a chunked HTTP body where a WebSocket frame has to begin", 1),
        ("http-inside", "violation", 2),
        (
            "protocol-required",
            "closed with 4406 right after a handshake without a subprotocol, which it may require; the server chose none of those offered (graphql-ws)",
            1
        ),
        (
            "protocol-required",
            "closed with 1002 right after a handshake without a subprotocol, which it may require; the client offered none",
            1
        ),
        ("protocol-required", "websocket.protocol-required", 2),
        ("signalr-refused", "with 404 Not Found; the SignalR server does not know the connection d0fc384a-14f0-4436-aaaf-e5d50502399f", 1),
        ("signalr-refused", "http.signalr-refused warning: the SignalR server does not know the connection Vg4Mieg0ya3aD17-f8kMxw", 1),
        ("signalr-refused", "several servers need sticky sessions", 2),
        ("amqp-header", "it does not take what the client began with, 00 00 00 36 00 11 00 01", 1),
        ("amqp-header", "it does not take what the client began with, a PROXY protocol header", 1),
        ("amqp-header", #"it does not take what the client began with, an HTTP request ("PUT ")"#, 1),
        ("amqp-header", "amqp.header-alone", 3),
        ("tls-mismatch", "http.tls-alert", 1),
        ("tls-mismatch", "tls.hello-unanswered", 1),
        ("tls-mismatch", "http2.frame-incomplete", 0),
        ("close-code-digits", "close code 12592, codes are 1000 to 4999; the payload is the text 1001", 1),
        ("event-source-refused", "http.event-stream-type", 1),
        ("amqp-heartbeat", "heartbeat 30 s (the server offered 60 s)", 2),
        ("amqp-heartbeat", "times its keep-alive of 30 s", 1),
        ("amqp-closed", "amqp connection.close 403 ACCESS_REFUSED", 1),
        ("xmpp-stream-error", "Replaced by new connection", 1),
        ("ocpp-calls", "ocpp call BootNotification", 1),
        ("ocpp-calls", "ocpp result, of BootNotification, after", 1),
        ("ocpp-calls", "ocpp error NotSupported: no such action, of RemoteStartTransaction, after", 1),
        ("ocpp-calls", "no response to 1 call of the client: Heartbeat (id 20)", 1),
        ("pusher-events", "pusher said room", 1),
        ("pusher-events", "pusher_internal:subscription_succeeded room {}, after", 1),
        ("pusher-events", "no response to 1 call of the client: subscribe \"private-desk\"", 1),
        ("centrifugo-refused", "centrifugo error 103 permission denied, of subscribe news, after", 1),
        ("centrifugo-refused", "no response to 1 call of the client: subscribe desk", 1),
        ("centrifugo-refused", "with a Close frame: 3500 invalid token", 1),
        ("length-in-characters", "counts characters; its body has 25 bytes", 1),
        ("length-in-characters", "http.length-in-characters", 1),
    ]

    @Test("a recording has its cause as often as it is shown there, and no more", arguments: Set(expected.map(\.recording)).sorted())
    func shown(recording: String) throws {
        let outcome = try UnmaskProcess.run(["read", "fixtures/symptoms/\(recording).pcap"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let text = outcome.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for one in Self.expected where one.recording == recording {
            #expect(text.components(separatedBy: one.words).count - 1 == one.count, "\(one.words)\n\(outcome.text)")
        }
    }
}
