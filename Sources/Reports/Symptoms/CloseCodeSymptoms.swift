// What apps say, as `unmask explain` knows it: Close codes.

extension Symptom {
    static let closeCodes: [Symptom] = [
        Symptom(
            ["1000", "normal closure"],
            means: "The side that closed was done. An app that did not expect it was told to leave by the other.",
            look: "the closing line says who closed",
            recording: "websockets-close-codes/capture.pcapng", shows: "1000 normal closure"),
        Symptom(
            ["1001", "going away"],
            means: "The server stops or is deployed, or a page was left.",
            look: "the closing line; `unmask list` shows whether all conversations ended at once",
            recording: "symptoms/close-codes.pcap", shows: "1001 going away"),
        Symptom(
            ["1002", "protocol error"],
            means: "The side that closed says that the other broke the protocol.",
            look: "the violation before the Close frame; where there is none, its reason",
            recording: "symptoms/close-codes.pcap", shows: "1002 protocol error"),
        Symptom(
            ["1003", "unsupported data"],
            means: "The side that closed does not take this kind of message: binary where it expects text, or the reverse.",
            look: "the last message before the Close frame",
            recording: "symptoms/close-codes.pcap", shows: "1003 unsupported data"),
        Symptom(
            ["1005", "no status received", "No Status Rcvd"],
            means: "The Close frame has no code: `close()` without arguments. It is no fault.",
            look: "the closing line says \"no status\"",
            recording: "symptoms/close-codes.pcap", shows: "without a code"),
        Symptom(
            ["1006", "abnormal closure", "close 1006", "unexpected EOF websocket", "no close frame received or sent"],
            means: """
                The connection ended without a Close frame: FIN, RST, a time-out of something between, or a failed handshake. The app \
                cannot know which; the wire does.
                """,
            look: """
                the closing line: who ended it, how, and after what silence; connection.idle-closed names time-outs that fit
                """,
            recording: "symptoms/idle-for-a-minute.pcap", shows: "which apps see as code 1006"),
        Symptom(
            ["1007", "invalid frame payload data"],
            means: "A text message was not UTF-8, or compressed data could not be undone.",
            look: "websocket.utf8-invalid and websocket.deflate-invalid before the Close frame",
            recording: "symptoms/close-codes.pcap", shows: "1007 invalid frame payload data"),
        Symptom(
            ["1008", "policy violation"],
            means: "The server closed by a rule of its own: login, rate, origin, size.",
            look: "the reason in the Close frame",
            recording: "symptoms/close-codes.pcap", shows: "1008 policy violation"),
        Symptom(
            ["1009", "message too big", "Message too long", "Max payload size exceeded", "POSIX 40", "EMSGSIZE"],
            means: """
                A message was longer than the side that closed takes: 1 MiB in URLSessionWebSocketTask and Python's websockets, 100 \
                MiB in ws, 4 MiB in aiohttp.
                """,
            look: "websocket.message-too-big names the message, its length and whose limit it is beyond",
            recording: "symptoms/message-too-big.pcap",
            shows: "after the client's message 2 of 131,088 bytes; 128 KiB is the limit of AWS API Gateway"),
        Symptom(
            ["closed after a long message", "code 1006 after a large message", "The operation couldn’t be completed. Message too long"],
            means: "A side may end the connection without a Close frame, or reset it, where a message is longer than it takes.",
            look: "websocket.size-limit names the message and whose limit it is beyond",
            recording: "symptoms/message-too-big.pcap", shows: "in the middle of the server's message 2 of 1,200,345 bytes"),
        Symptom(
            ["1010", "mandatory extension"],
            means: "The client needs an extension that the server did not agree to.",
            look: "the request and the 101",
            recording: "symptoms/close-codes.pcap", shows: "1010 mandatory extension missing"),
        Symptom(
            ["1011", "internal server error", "internal error"],
            means: """
                The server met an error of its own; Python's websockets also close so when a ping is not answered ("keepalive ping \
                timeout").
                """,
            look: "the reason in the Close frame, and the message before it",
            recording: "symptoms/close-codes.pcap", shows: "1011 internal server error"),
        Symptom(
            ["1012", "service restart"],
            means: "The server restarts; the client may reconnect after some seconds.",
            look: "the closing line",
            recording: "symptoms/close-codes.pcap", shows: "1012 service restart"),
        Symptom(
            ["1013", "try again later"],
            means: "The server is overloaded.",
            look: "the closing line",
            recording: "symptoms/close-codes.pcap", shows: "1013 try again later"),
        Symptom(
            ["1014", "bad gateway websocket"],
            means: "A gateway got no valid answer of the server behind it.",
            look: "the closing line",
            recording: "symptoms/close-codes.pcap", shows: "1014 bad gateway"),
        Symptom(
            ["1015", "TLS handshake failure"],
            means: "Code 1015 is never sent: a library says so when TLS failed.",
            look: "tls.alert-fatal names the alert and who sent it",
            recording: "symptoms/tls-alerts-of-clients.pcap", shows: "unknown CA (48)"),
        Symptom(
            ["3000", "close code of a library"],
            means: "Codes from 3000 to 3999 are registered by libraries and frameworks.",
            look: "the closing line",
            recording: "symptoms/close-codes.pcap", shows: "3000 unauthorized"),
        Symptom(
            ["4000 to 4999", "4001", "close code of the app"],
            means: """
                Codes from 4000 to 4999 are the app's own: its documentation has them. Where the subprotocol is known, the line names \
                them.
                """,
            look: "the closing line and the reason",
            recording: "symptoms/close-codes.pcap", shows: "4001"),
        Symptom(
            [
                "4400", "4401", "4403", "4406", "4408", "4409", "4429", "Connection initialisation timeout",
                "Too many initialisation requests", "Subscriber already exists",
            ],
            means: """
                Codes of graphql-transport-ws: a bad message, an operation before connection_ack, no connection_init in time (3 s), an \
                id that is in use.
                """,
            look: "the closing line has their meaning",
            recording: "symptoms/graphql-close-codes.pcap", shows: "no connection_init in time"),
    ]
}
