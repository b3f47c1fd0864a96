/// How a stream of HTTP/2 ended before its response was whole, or a call of gRPC without success, where that shows a limit.
extension FindingRow {
    package static let http2CallTooBig = FindingRow(
        id: "http2.call-too-big", severity: .warning, reference: "",
        detail: "a gRPC call failed with RESOURCE_EXHAUSTED because of a message's size{text}",
        explanation: """
            A receiver of gRPC takes messages of up to 4 MiB (4,194,304 bytes) unless its app sets another limit; a server ends the call with the \
            status 8, RESOURCE_EXHAUSTED. That status has other reasons too, such as a quota: reported where `grpc-message` says so, or is empty and \
            a message of the call was longer, none as long went through before, and the server had replied nothing. Raise the limit of the receiver (`grpc.max_receive_message_length`; MaxRecvMsgSize and MaxCallRecvMsgSize \
            in Go, `maxInboundMessageSize` in Java, MaxReceiveMessageSize in .NET), or send the content as a stream of smaller messages.
            """)

    package static let http2CallSizeLimit = FindingRow(
        id: "http2.call-size-limit", severity: .note, reference: "",
        detail:
            "the client reset the call in the middle of the server's message of {text} bytes; 4 MiB is the default limit of gRPC clients",
        explanation: """
            A gRPC client that takes no message of this length ends the call as soon as it has read the length, with RST_STREAM, and reports \
            RESOURCE_EXHAUSTED to its app alone. That is a guess from the size: an app may have cancelled the call for another reason. Not reported \
            where the client had received a message beyond 4 MiB (4,194,304 bytes) on the connection before, where it reset the call more \
            than 1 s after the last frame, and where the deadline of the call was over. What to do: see http2.call-too-big.
            """)

    package static let http2StreamTimeout = FindingRow(
        id: "http2.stream-timeout", severity: .note, reference: "",
        detail: "the server ended the stream after {a} s without a frame on it; {text}",
        explanation: """
            The server reset the stream, sent 504 or 408, or ended a gRPC call with UNAVAILABLE or DEADLINE_EXCEEDED before its deadline, and the \
            time since the last frame of the stream is a default, or up to 1 s more. That is a guess from the time alone. A stream on which \
            little is sent needs messages of its own to stay open: pings of the connection do not count. The defaults: \
            15 s, `timeout` of a route in Envoy (envoyproxy.io/docs, "How do I configure timeouts?"), without a response; \
            60 s, `grpc_read_timeout` and `proxy_read_timeout` of nginx (nginx.org/en/docs/http/ngx_http_grpc_module.html); \
            60 s, the idle timeout of the AWS Application Load Balancer \
            (docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-load-balancer-attributes.html); \
            300 s, `stream_idle_timeout` of Envoy (the same page). Not reported where bytes may be missing, a longer silence of the stream \
            passed before, or the server had sent GOAWAY.
            """)

    /// The rows of this file.
    package static let http2StreamEndRows: [FindingRow] = [http2CallTooBig, http2CallSizeLimit, http2StreamTimeout]
}
