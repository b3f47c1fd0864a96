// What apps say, as `unmask explain` knows it: HTTP, HTTP/2 and gRPC.

extension Symptom {
    static let http: [Symptom] = [
        Symptom(
            [
                "transfer closed with outstanding read data remaining", "curl 18", "IncompleteRead", "ERR_CONTENT_LENGTH_MISMATCH",
                "ERR_INCOMPLETE_CHUNKED_ENCODING", "body shorter than Content-Length",
            ],
            means: "The response ended before its body was whole.",
            look: "http.message-incomplete says how much is missing",
            recording: "symptoms/body-cut-off.pcap", shows: "http.message-incomplete"),
        Symptom(
            ["HPE_INVALID_CHUNK_SIZE", "Illegal or missing hexadecimal sequence in chunked-encoding", "invalid chunk size"],
            means: """
                What stands in the place of a chunk's size is none: the server writes past its chunks, or mixes two responses.
                """,
            look: "http.chunk-size-invalid",
            recording: "symptoms/chunk-invalid.pcap", shows: "http.chunk-size-invalid"),
        Symptom(
            ["Unexpected end of JSON input", "Unterminated string in JSON", "unexpected end of JSON"],
            means: """
                The body that arrived ends too early. Often its Content-Length counts the characters of a string, and not its bytes.
                """,
            look: "http.length-in-characters, and http.message-incomplete",
            recording: "symptoms/length-in-characters.pcap", shows: "counts characters; its body has 25 bytes"),
        Symptom(
            [
                "EventSource's response has a MIME type that is not \"text/event-stream\". Aborting the connection.",
                "EventSource failed MIME type",
            ],
            means: """
                The response to an EventSource is no stream of events: a page, a login or an error of a proxy in its place. The EventSource \
                does not connect again.
                """,
            look: "http.event-stream-type names the Content-Type",
            recording: "symptoms/event-source-refused.pcap", shows: "has the Content-Type text/html"),
        Symptom(
            ["408 Request Timeout"],
            means: """
                The server waited too long for the request: the client opened a connection and sent nothing, or sends slowly.
                """,
            look: "the response line, and the time before it",
            recording: "symptoms/request-refused.pcap", shows: "408 Request Timeout"),
        Symptom(
            ["413", "Payload Too Large", "Content Too Large", "client intended to send too large body"],
            means: "The body is larger than the server takes (nginx: client_max_body_size, 1 MiB).",
            look: "the response line, and the length of the request",
            recording: "symptoms/request-refused.pcap", shows: "413 Content Too Large"),
        Symptom(
            ["431", "Request Header Fields Too Large", "HPE_HEADER_OVERFLOW"],
            means: "The header fields are longer than the server takes: cookies have piled up.",
            look: "the response line, and the request's head with --headers",
            recording: "symptoms/request-refused.pcap", shows: "431 Request Header Fields Too Large"),
    ]

    static let http2AndGrpc: [Symptom] = [
        Symptom(
            ["ENHANCE_YOUR_CALM", "too_many_pings", "GOAWAY too many pings"],
            means: "The client pings more often than the server allows (gRPC: once in 5 min without calls by default).",
            look: "http2.too-many-pings",
            recording: "symptoms/http2-goaway.pcap", shows: "http2.too-many-pings"),
        Symptom(
            ["RST_STREAM CANCEL", "Received RST_STREAM with error code 8", "stream was reset: CANCEL", "NGHTTP2_CANCEL"],
            means: "One side has no more use for the stream: the app cancelled, or a time-out ran out.",
            look: "the line \"reset CANCEL\" says who",
            recording: "symptoms/http2-goaway.pcap", shows: "reset CANCEL"),
        Symptom(
            ["REFUSED_STREAM", "Received RST_STREAM with error code 7", "NGHTTP2_REFUSED_STREAM"],
            means: "The server did not begin with the request: it is safe to send it again.",
            look: "the line \"reset REFUSED_STREAM\"",
            recording: "symptoms/http2-goaway.pcap", shows: "reset REFUSED_STREAM"),
        Symptom(
            ["CANCELLED", "grpc status 1"],
            means: "The caller gave the call up.",
            look: "the status line",
            recording: "symptoms/grpc-status.pcap", shows: "grpc status 1 CANCELLED"),
        Symptom(
            ["DEADLINE_EXCEEDED", "grpc status 4", "Deadline Exceeded"],
            means: "The time that the client gave the call ran out.",
            look: "the status line; the request's grpc-timeout says how long it was",
            recording: "symptoms/grpc-status.pcap", shows: "grpc status 4 DEADLINE_EXCEEDED"),
        Symptom(
            ["PERMISSION_DENIED", "grpc status 7"],
            means: "The caller may not do this.",
            look: "the status line",
            recording: "symptoms/grpc-status.pcap", shows: "grpc status 7 PERMISSION_DENIED"),
        Symptom(
            ["RESOURCE_EXHAUSTED", "grpc status 8", "Received message larger than max"],
            means: "A message is larger than the receiver takes (gRPC: 4 MiB), or a quota is used up.",
            look: "the status line names both lengths",
            recording: "symptoms/grpc-status.pcap", shows: "Received message larger than max"),
        Symptom(
            ["UNIMPLEMENTED", "grpc status 12", "unknown method", "unknown service"],
            means: "The server has no such method: another version of the .proto, or another service at this address.",
            look: "the request's path and the status line",
            recording: "symptoms/grpc-status.pcap", shows: "grpc status 12 UNIMPLEMENTED"),
        Symptom(
            ["INTERNAL", "grpc status 13"],
            means: "The server met an error of its own, or a proxy in between broke the stream.",
            look: "the status line, and resets before it",
            recording: "symptoms/grpc-status.pcap", shows: "grpc status 13 INTERNAL"),
        Symptom(
            [
                "UNAVAILABLE", "grpc status 14", "upstream connect error", "failed to connect to all addresses", "Connection closed",
            ],
            means: "No server was reached, or the connection was lost; the call may be tried again.",
            look: "the status line; goaway, and the closing line of the conversation before",
            recording: "symptoms/grpc-status.pcap", shows: "grpc status 14 UNAVAILABLE"),
        Symptom(
            ["UNAUTHENTICATED", "grpc status 16"],
            means: "The call has no valid credentials.",
            look: "the status line, and the request's head with --headers",
            recording: "symptoms/grpc-status.pcap", shows: "grpc status 16 UNAUTHENTICATED"),
    ]
}
