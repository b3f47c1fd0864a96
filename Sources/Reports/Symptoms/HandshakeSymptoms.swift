// What apps say, as `unmask explain` knows it: Handshakes.

extension Symptom {
    static let handshakes: [Symptom] = [
        Symptom(
            ["Unexpected response code: 200", "Unexpected server response: 200", "HTTP 200 instead of 101"],
            means: """
                The path serves pages and no WebSocket, or something before the server took the upgrade for an ordinary request.
                """,
            look: "websocket.refused and the body of the response; SockJS has its WebSocket at /websocket below the path",
            recording: "symptoms/refused-by-status.pcap", shows: "refused the WebSocket with 200 OK"),
        Symptom(
            ["Unexpected response code: 301", "Unexpected server response: 302", "Unexpected server response: 308"],
            means: """
                The server redirects, which browsers and most libraries do not follow for a WebSocket. Often http to https, or a \
                missing slash.
                """,
            look: "websocket.refused names the Location: use it in the app",
            recording: "symptoms/refused-by-status.pcap", shows: "the server redirects to https://app.example/chat"),
        Symptom(
            ["Unexpected response code: 400", "Unexpected server response: 400", "Expected HTTP 101 response but was 400"],
            means: """
                The server did not take the request for a WebSocket of its own: headers were lost on the way, the port expects TLS, or \
                Engine.IO says more in its body.
                """,
            look: "websocket.refused with the words of the body; http.upgrade-lost where a proxy removed Upgrade",
            recording: "symptoms/refused-by-status.pcap", shows: "400 Bad Request; the server expects TLS on this port"),
        Symptom(
            ["Unexpected response code: 401", "Unexpected server response: 401"],
            means: """
                The server wants the client to log in first. Browsers cannot send an Authorization header with a WebSocket: use a \
                cookie, a subprotocol or the first message.
                """,
            look: "websocket.refused names the scheme of WWW-Authenticate",
            recording: "symptoms/refused-by-status.pcap", shows: "401 Unauthorized; the server requires authentication"),
        Symptom(
            [
                "Unexpected response code: 403", "Unexpected server response: 403",
                "Expected HTTP 101 response but was 403 Forbidden", "server rejected WebSocket connection: HTTP 403",
                "WebSocketBadStatusException: Handshake status 403 Forbidden",
            ],
            means: "The server refuses this client: most often its Origin is not on the list, else a token is missing.",
            look: "websocket.refused, and the line \"asked with\" that has Origin and Host",
            recording: "symptoms/refused-by-status.pcap", shows: "may not allow the Origin https://other.example"),
        Symptom(
            ["Unexpected response code: 404", "Unexpected server response: 404", "websocket: bad handshake"],
            means: """
                No WebSocket is served at this path, or its host, or (Action Cable) the Origin is not allowed. Gorilla says "bad \
                handshake" for every status.
                """,
            look: "websocket.refused; compare path and Host with those of a client that works",
            recording: "symptoms/refused-by-status.pcap", shows: "refused the WebSocket with 404 Not Found"),
        Symptom(
            ["Unexpected response code: 429", "Unexpected server response: 429"],
            means: """
                The server limits how often a client may connect. A reconnect loop without back-off does this to itself.
                """,
            look: "websocket.refused names Retry-After; `unmask list` shows how often the client came",
            recording: "symptoms/refused-by-status.pcap", shows: "429 Too Many Requests; retry after 30 s"),
        Symptom(
            [
                "Unexpected response code: 502", "Unexpected server response: 502",
                "connect() failed (111: Connection refused) while connecting to upstream",
            ],
            means: """
                A proxy or load balancer answered: the server behind it is down, listens elsewhere, or closed the connection.
                """,
            look: "websocket.refused; look at the leg behind the proxy with a second capture",
            recording: "symptoms/refused-by-status.pcap", shows: "502 Bad Gateway; a gateway could not reach the server"),
        Symptom(
            ["Unexpected response code: 503", "Unexpected server response: 503"],
            means: "The service is overloaded, has no healthy instance, or is being deployed.",
            look: "websocket.refused",
            recording: "symptoms/refused-by-status.pcap", shows: "503 Service Unavailable"),
        Symptom(
            [
                "Unexpected response code: 504", "Unexpected server response: 504", "upstream timed out (110: Connection timed out)",
            ],
            means: "A proxy got no response of the server in time.",
            look: "websocket.refused, and how long after the request the response came",
            recording: "symptoms/refused-by-status.pcap", shows: "504 Gateway Timeout"),
        Symptom(
            [
                "NSURLErrorDomain -1011", "There was a bad response from the server", "SRWebSocketErrorDomain 2132",
                "Received bad response code from server",
            ],
            means: "URLSession and SocketRocket say this for any response to the upgrade but 101.",
            look: "websocket.refused has the status that the app does not show",
            recording: "symptoms/refused-by-status.pcap", shows: "websocket.refused"),
        Symptom(
            ["The plain HTTP request was sent to HTTPS port", "Client sent an HTTP request to an HTTPS server"],
            means: "The URL begins with ws: or http:, and the port expects TLS.",
            look: "websocket.refused; use wss: or https:",
            recording: "symptoms/refused-by-status.pcap", shows: "the URL has to begin with wss://"),
        Symptom(
            ["Sec-WebSocket-Version", "426 Upgrade Required", "Unsupported WebSocket version"],
            means: "The client and the server speak other versions of the WebSocket protocol; 13 is the one of RFC 6455.",
            look: "websocket.refused names both versions",
            recording: "symptoms/refused-by-status.pcap", shows: "426 Upgrade Required"),
        Symptom(
            [
                "Incorrect 'Sec-WebSocket-Accept' header value", "Invalid Sec-WebSocket-Accept header",
                "Sec-WebSocket-Accept mismatch", "Invalid Sec-WebSocket-Accept response",
            ],
            means: """
                The response belongs to another request, was cached, or comes of a server that computes the value wrongly.
                """,
            look: "websocket.accept-wrong",
            recording: "bad-accept/capture.pcap", shows: "websocket.accept-wrong"),
        Symptom(
            [
                "'Sec-WebSocket-Protocol' header value in response does not match any of sent values",
                "Server sent an invalid subprotocol",
            ],
            means: "The server chose a subprotocol that the client did not offer.",
            look: "websocket.protocol-not-offered",
            recording: "bad-accept/capture.pcap", shows: "websocket.protocol-not-offered"),
        Symptom(
            [
                "Sent non-empty 'Sec-WebSocket-Protocol' header but no response was received", "Server sent no subprotocol",
                "no matching subprotocol",
            ],
            means: "The client offered subprotocols and the server chose none; browsers end the connection then.",
            look: "websocket.protocol-none names what was offered",
            recording: "symptoms/subprotocol-not-chosen.pcap", shows: "websocket.protocol-none"),
        Symptom(
            ["Found an unsupported extension in 'Sec-WebSocket-Extensions' header", "Server sent an unexpected extension"],
            means: "The server agreed to an extension that the client did not offer.",
            look: "websocket.extension-not-offered",
            recording: "bad-accept/capture.pcap", shows: "websocket.extension-not-offered"),
        Symptom(
            [
                "WebSocket opening handshake timed out", "Opening handshake has timed out", "timed out during opening handshake",
            ],
            means: """
                The request arrived and no response came: the handler hangs, or something on the way drops the upgrade.
                """,
            look: "websocket.upgrade-unanswered, with the time that the client waited",
            recording: "symptoms/upgrade-without-an-answer.pcap", shows: "websocket.upgrade-unanswered"),
        Symptom(
            [
                "WebSocket is closed before the connection is established",
                "WebSocket was closed before the connection was established",
            ],
            means: """
                The app closed its own WebSocket before the server had answered: a component that is unmounted, or a second connect.
                """,
            look: "websocket.upgrade-unanswered with a short time, and a FIN of the client",
            recording: "symptoms/client-leaves-the-upgrade.pcap", shows: "the client closed the connection after 300 ms"),
    ]
}
