/// What is worth knowing about a connection as a whole, whatever is spoken in it.
extension FindingRow {
    package static let connectionIdleClosed = FindingRow(
        id: "connection.idle-closed", severity: .note, reference: "",
        detail: "after {a} s without a byte from either side, the {text}",
        explanation: """
            One side closed the connection (Close frame, FIN or RST) after neither side had sent anything for 49 s or longer, or for 10 s \
            where a request had no response or a ping no pong. Where that time is within 2 % of a usual default, the sentence names whose it \
            is. That is a guess from the time alone: a proxy or load balancer on the way may have closed the connection, and not the program \
            at the other end. Pings that come more often than the timeout keep a connection open. Only what may have closed such a connection \
            is named: after a Close frame, which no proxy sends, Phoenix alone, and nothing where the side that closed had sent a ping that was not answered. \
            A connection of HTTP without an open request is reported only where a default is named; all others are in the closing line \
            with their silence. Not reported where bytes may be missing, nor of TLS that is not decrypted and ends with an alert. \
            The defaults: \
            50 s, `timeout client` and `timeout server` in the examples of haproxy (docs.haproxy.org/3.0/configuration.html, section 2.7), \
            of any protocol; \
            60 s, and 54 s or longer in Cowboy 2.13 and later, which looks ten times in it: `timeout` of a Phoenix socket \
            (hexdocs.pm/phoenix/Phoenix.Endpoint.html, "Websocket configuration") and `idle_timeout` of Cowboy \
            (ninenines.eu/docs/en/cowboy/2.13/manual/cowboy_websocket), where the client sends nothing; clients of Phoenix send a heartbeat every \
            30 s (hexdocs.pm/phoenix/writing_a_channels_client.html); of WebSockets whose path is `/websocket` and whose query has `vsn=`; \
            60 s, `proxy_read_timeout` of nginx (nginx.org/en/docs/http/ngx_http_proxy_module.html), of WebSockets and responses under way, and \
            of requests to a server behind it; \
            60 s, `keepalive_timeout` of nginx to a server behind it (nginx.org/en/docs/http/ngx_http_upstream_module.html), without a request; \
            60 s, the idle timeout of the AWS Application Load Balancer \
            (docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-load-balancer-attributes.html), of HTTP and WebSockets; \
            75 s, `keepalive_timeout` of nginx (nginx.org/en/docs/http/ngx_http_core_module.html), as a server without a request; \
            120 s, and for many years 100 s, the proxy read timeout of Cloudflare \
            (developers.cloudflare.com/fundamentals/reference/connection-limits), of HTTP and WebSockets; 400 s, its idle timeout without a \
            request (the same page); \
            240 s, the Azure Load Balancer (learn.microsoft.com/azure/load-balancer/load-balancer-tcp-reset), of any protocol and with RST; \
            350 s, the AWS Network Load Balancer (docs.aws.amazon.com/elasticloadbalancing/latest/network/update-idle-timeout.html), of any \
            protocol.
            """)

    package static let connectionLifeLimit = FindingRow(
        id: "connection.life-limit", severity: .note, reference: "",
        detail: "ended {text}, as {a} {a|other|others} to this server: probably a limit on the life of connections",
        explanation: """
            The server ended the connection 30 s, 60 s, 1 h or 2 h (within 1 %) after it had been opened, although bytes had gone through just before \
            (within 5 s, or after a silence no longer than one that it had survived), and conversations with the same server that were opened at \
            other times lasted as long. No timeout for idle connections does so: a proxy, a load balancer, a serverless function or the server \
            limits how long a connection may last. Pings do not help; clients have to connect again, or the limit has to be raised. Reported from \
            the second such conversation on, of WebSockets and of protocols that are not HTTP, and not where bytes may be missing, another \
            conversation with the server lasted longer, the server said goodbye with a Close frame, or, but for WebSockets, the client had sent something \
            in the last 0.5 s, which may have been its goodbye.
            """)

    package static let connectionFindingsOmitted = FindingRow(
        id: "connection.findings-omitted", severity: .note, reference: "",
        detail: "{text} was found {a} more {a|time|times}; the first 100 of each side are reported one by one",
        explanation: """
            A side that breaks the same rule again and again would fill the log with it. Reported at the end of the conversation, for each \
            rule and side, with the place of the last time. The messages themselves are shown all the same.
            """)

    package static let connectionTentativeBytes = FindingRow(
        id: "connection.doubtful-bytes", severity: .note, reference: "RFC 9293 3.8.4",
        detail: "{a} {a|byte|bytes} of an acknowledgement may be filling or a keep-alive probe: shown as data, and not read",
        explanation: """
            The bytes look like something that is no part of the stream: a few zeros that fill a bare acknowledgement up to the least \
            length of a frame, last of all; or a single byte, first of all, as a keep-alive probe has it, which repeats a byte with any \
            content. Nothing that was captured tells whether they are. They stand in a record, and what is read goes on behind them.
            """)

    /// The rows of this file.
    package static let connectionRows: [FindingRow] = [
        connectionIdleClosed, connectionLifeLimit, connectionFindingsOmitted, connectionTentativeBytes,
    ]
}
