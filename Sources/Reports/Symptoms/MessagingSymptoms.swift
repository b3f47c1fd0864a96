// What apps say, as `unmask explain` knows it: Socket.IO, WebSocket libraries, MQTT, STOMP, AMQP, Redis.

extension Symptom {
    static let socketIO: [Symptom] = [
        Symptom(
            ["Session ID unknown"],
            means: "The session has ended, or lives on another server: several servers need sticky sessions.",
            look: "http.engineio-refused, code 1, names the session",
            recording: "symptoms/engineio-refused.pcap", shows: "session ID unknown"),
        Symptom(
            [
                "xhr poll error", "websocket error", "Transport unknown", "Bad handshake method", "Unsupported protocol version",
            ],
            means: """
                The server refused the first request: wrong path, transport or version (client 2 speaks Engine.IO 3, clients 3 and 4 \
                speak 4), or CORS.
                """,
            look: "http.engineio-refused and http.preflight-refused",
            recording: "symptoms/engineio-refused.pcap", shows: "unsupported protocol version"),
        Symptom(
            ["ping timeout"],
            means: "A ping was not answered in time: the app was suspended, the event loop hangs, or the network is gone.",
            look: "the closing line names the ping and the time-out",
            recording: "symptoms/engineio-ping-timeout.pcap", shows: "after a ping that the client did not answer (ping timeout 20 s)"),
        Symptom(
            ["transport close", "transport error"],
            means: "The connection below was lost: the server stopped, a proxy cut it, or the network changed.",
            look: "the closing line says who ended it",
            recording: "symptoms/engineio-transport-close.pcap", shows: "cut off by the server (RST)"),
        Symptom(
            ["maxHttpBufferSize", "maxPayload"],
            means: """
                A message was longer than the server takes: 1 MB unless `maxHttpBufferSize` is set. The server announces it as `maxPayload` when it \
                opens the session.
                """,
            look: "websocket.message-too-big and websocket.size-limit name the message and the announced maxPayload",
            recording: "symptoms/engineio-max-payload.pcap", shows: "it is beyond the announced maxPayload of 100,000 bytes"),
        Symptom(
            ["xhr post error", "413 on polling"],
            means: """
                A request with messages over polling was refused for its length: a single message is beyond the server's `maxHttpBufferSize`, or a \
                proxy in between takes less (`client_max_body_size` of nginx).
                """,
            look: "http.engineio-too-large has the length of the body and the announced maxPayload",
            recording: "symptoms/engineio-too-large.pcap", shows: "it is beyond the announced maxPayload of 5,000 bytes"),
        Symptom(
            ["Invalid namespace"],
            means: "The server has no such namespace.",
            look: "the line \"connect_error\"",
            recording: "symptoms/socketio-namespace.pcap", shows: "Invalid namespace"),
    ]

    static let webSocketLibraries: [Symptom] = [
        Symptom(
            ["Phoenix socket closed after 60 seconds", "phx_close after a minute", "channel stops receiving after 60 seconds"],
            means: """
                Phoenix closes a WebSocket on which the client has sent nothing for 60 s. Clients send the event `heartbeat` to the topic `phoenix` \
                every 30 s; one of your own has to do so too.
                """,
            look: "the closing line says how long the client sent nothing",
            recording: "symptoms/phoenix-idle.pcap", shows: "no heartbeat either"),
        Symptom(
            ["keepalive ping timeout", "sent ping but didn't receive pong", "no pong received", "Heartbeat timeout"],
            means: "A ping of the library was not answered in time: the other side hangs, or does not read.",
            look: "websocket.ping-unanswered names the ping and the time that was waited",
            recording: "symptoms/pong-missing.pcap", shows: "websocket.ping-unanswered"),
        Symptom(
            ["No Connection with that ID"],
            means: """
                SignalR: the request went to a server that does not know the connection. Several servers need sticky sessions, or clients that skip \
                the negotiation.
                """,
            look: "http.signalr-refused, and websocket.refused where the client asked for a WebSocket, name the connection",
            recording: "symptoms/signalr-refused.pcap", shows: "the SignalR server does not know the connection"),
        Symptom(
            ["Subprotocol not acceptable"],
            means: "A server of GraphQL takes connections with its own subprotocol alone, and none was agreed on.",
            look: "websocket.protocol-required has what the client offered",
            recording: "symptoms/protocol-required.pcap", shows: "websocket.protocol-required"),
        Symptom(
            ["Handshake was canceled", "Server timeout elapsed without receiving a message from the server"],
            means: """
                SignalR: the client sent no handshake within 15 s, or one side was silent for longer than the other waits.
                """,
            look: "the messages before the Close frame",
            recording: "symptoms/signalr-handshake.pcap", shows: "Handshake was canceled."),
    ]

    static let mqtt: [Symptom] = [
        Symptom(
            ["Connection Refused: unacceptable protocol version", "CONNACK 1", "rc 1"],
            means: "The broker does not speak this version of MQTT (level 3, 4 or 5).",
            look: "the CONNACK line",
            recording: "symptoms/mqtt-refused.pcap", shows: "refused: unacceptable protocol version"),
        Symptom(
            ["Connection Refused: identifier rejected", "CONNACK 2", "rc 2"],
            means: "The broker does not take this client id: empty with a session that is to be kept, or too long.",
            look: "the CONNECT and CONNACK lines",
            recording: "symptoms/mqtt-refused.pcap", shows: "refused: identifier rejected"),
        Symptom(
            ["Connection Refused: bad user name or password", "CONNACK 4", "rc 4"],
            means: "User or password are wrong.",
            look: "the CONNACK line",
            recording: "symptoms/mqtt-refused.pcap", shows: "refused: bad user name or password"),
        Symptom(
            ["Connection Refused: not authorised", "CONNACK 5", "rc 5", "not authorized"],
            means: "The client may not connect; mosquitto says so for a wrong password too.",
            look: "the CONNACK line",
            recording: "symptoms/mqtt-refused.pcap", shows: "refused: not authorized"),
        Symptom(
            ["malformed packet", "Invalid topic", "topic name invalid", "Publish topic cannot contain wildcards"],
            means: "A message was published to a topic with + or #, which only subscriptions have. The broker closes the connection.",
            look: "mqtt.topic-wildcard names the topic",
            recording: "symptoms/mqtt-violations.pcap", shows: "the topic of a PUBLISH has a wildcard: home/+"),
        Symptom(
            ["rc 7", "The connection was lost", "Client is already connected, closing old connection", "session taken over"],
            means: """
                Another client connected with the same client id: the broker ends the first, which comes back, and so on.
                """,
            look: "the closing line names the other conversation",
            recording: "symptoms/mqtt-client-taken-over.pcap", shows: "the same client id connected again on conversation 2"),
        Symptom(
            ["has exceeded timeout, disconnecting", "keep alive timeout"],
            means: "The client sent nothing for one and a half times its keep-alive.",
            look: "the closing line",
            recording: "symptoms/mqtt-keep-alive.pcap", shows: "1.5 times its keep-alive of 10 s"),
    ]

    static let stomp: [Symptom] = [
        Symptom(
            ["detected missed client heartbeat(s)", "did not receive server activity", "heartbeat missed"],
            means: "A side promised heartbeats and did not send them in time.",
            look: "the closing line names the side and the promise",
            recording: "symptoms/stomp-heartbeat.pcap", shows: "2.1 times its keep-alive of 10 s"),
        Symptom(
            ["Bad CONNECT", "Access refused for user"],
            means: "The broker refused the login.",
            look: "the ERROR line",
            recording: "symptoms/stomp-error.pcap", shows: "stomp ERROR Bad CONNECT"),
    ]

    static let amqp: [Symptom] = [
        Symptom(
            ["bad_header", "AMQP protocol version mismatch"],
            means: "The client does not begin as the server does: TLS, HTTP, another protocol or another version of AMQP at this port.",
            look: "amqp.header-alone has what the client began with",
            recording: "symptoms/amqp-header.pcap", shows: "it does not take what the client began with"),
        Symptom(
            ["missed heartbeats from client", "AMQPHeartbeatTimeout", "AMQP heartbeats are missing"],
            means: "A side sent nothing for longer than the heartbeat that both agreed on: the app blocks, or the network is gone.",
            look: "the closing line names the side and the time; the lines of tune and tune-ok have what was agreed",
            recording: "symptoms/amqp-heartbeat.pcap", shows: "times its keep-alive of 30 s"),
        Symptom(
            ["ACCESS_REFUSED", "403 ACCESS_REFUSED"],
            means: "User, password or virtual host are not those of the broker.",
            look: "the close line",
            recording: "symptoms/amqp-closed.pcap", shows: "ACCESS_REFUSED"),
        Symptom(
            ["CONNECTION_FORCED", "320 CONNECTION_FORCED"],
            means: "The broker stops, or somebody closed the connection there.",
            look: "the close line",
            recording: "symptoms/amqp-closed.pcap", shows: "CONNECTION_FORCED"),
        Symptom(
            ["PRECONDITION_FAILED", "inequivalent arg", "406 PRECONDITION_FAILED"],
            means: "A queue or exchange exists with other properties than the client declares.",
            look: "the close line names the property",
            recording: "symptoms/amqp-closed.pcap", shows: "PRECONDITION_FAILED"),
        Symptom(
            ["NOT_FOUND - no queue", "404 NOT_FOUND"],
            means: "The queue or exchange does not exist in this virtual host.",
            look: "the close line",
            recording: "symptoms/amqp-closed.pcap", shows: "NOT_FOUND"),
        Symptom(
            ["FRAME_ERROR", "501 FRAME_ERROR"],
            means: "A frame was not as agreed: too long, or bytes of two threads mixed.",
            look: "the close line",
            recording: "symptoms/amqp-closed.pcap", shows: "FRAME_ERROR"),
    ]

    static let xmpp: [Symptom] = [
        Symptom(
            ["stream:error conflict", "Replaced by new connection", "resource conflict"],
            means: "The server ended the stream with an error: here another client of the same account took its resource.",
            look: "the line of the stream's error, with its condition and text",
            recording: "symptoms/xmpp-stream-error.pcap", shows: "Replaced by new connection")
    ]

    static let redis: [Symptom] = [
        Symptom(
            ["NOAUTH Authentication required"],
            means: "The server wants AUTH first.",
            look: "the error line, with its command",
            recording: "symptoms/redis-refused.pcap", shows: "NOAUTH"),
        Symptom(
            ["WRONGPASS"],
            means: "User or password are wrong.",
            look: "the error line",
            recording: "symptoms/redis-refused.pcap", shows: "WRONGPASS"),
        Symptom(
            ["MOVED"],
            means: "The key is on another server of the cluster: the client is not one for clusters.",
            look: "the error line names the server",
            recording: "symptoms/redis-refused.pcap", shows: "MOVED"),
    ]
}
