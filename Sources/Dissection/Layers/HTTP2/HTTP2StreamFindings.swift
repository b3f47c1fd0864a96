/// What may be wrong with the streams of HTTP/2.
extension FindingRow {
    package static let http2StreamParity = FindingRow(
        id: "http2.stream-parity", severity: .violation, reference: "RFC 9113 5.1.1",
        detail: "a stream whose number is one of the other side's",
        explanation: "Clients open streams with odd numbers, servers promise streams with even numbers.", needs: .sender)
    package static let http2StreamReused = FindingRow(
        id: "http2.stream-reused", severity: .violation, reference: "RFC 9113 5.1.1",
        detail: "a new stream with a number that is not higher than {a}, the highest so far",
        explanation: "The number of a new stream is higher than all that its side has opened before.")
    package static let http2StreamIdle = FindingRow(
        id: "http2.stream-idle", severity: .violation, reference: "RFC 9113 5.1",
        detail: "a frame on a stream that was not opened",
        explanation: "A client's HEADERS open a stream, or a server's PUSH_PROMISE. Before that it has no other frames but PRIORITY.")
    package static let http2StreamOver = FindingRow(
        id: "http2.stream-over", severity: .violation, reference: "RFC 9113 5.1",
        detail: "a frame on a stream that its sender had ended",
        explanation:
            "After END_STREAM a side sends nothing on a stream but WINDOW_UPDATE, PRIORITY and RST_STREAM. Bytes are shown as `data`.")
    package static let http2StreamsExceeded = FindingRow(
        id: "http2.streams-exceeded", severity: .violation, reference: "RFC 9113 5.1.2",
        detail: "{a} {a|stream is|streams are} open, and the server allows {b}",
        explanation: """
            A server says with SETTINGS_MAX_CONCURRENT_STREAMS how many requests may be open at once. What it said holds from the client's \
            acknowledgement on; a stream is open until both sides have ended it, or one has reset it.
            """)
    package static let http2HeadRepeated = FindingRow(
        id: "http2.head-repeated", severity: .violation, reference: "RFC 9113 8.1",
        detail: "a second request or final response on the same stream",
        explanation: "A stream carries one request and one final response.")
    package static let http2DataBeforeHead = FindingRow(
        id: "http2.data-before-head", severity: .violation, reference: "RFC 9113 8.1",
        detail: "a DATA frame before the final response",
        explanation: "A body follows its head.")
    package static let http2TrailersOpen = FindingRow(
        id: "http2.trailers-open", severity: .violation, reference: "RFC 9113 8.1",
        detail: "trailers that do not end the stream",
        explanation: "The HEADERS frame that carries trailers has END_STREAM.")
    package static let http2DependsOnItself = FindingRow(
        id: "http2.depends-on-itself", severity: .violation, reference: "RFC 7540 5.3.1",
        detail: "a stream that depends on itself",
        explanation:
            "Priorities of RFC 7540 name the stream that another one depends on. They are deprecated; many clients still send them.",
        needs: .sender)
    package static let http2PushByClient = FindingRow(
        id: "http2.push-by-client", severity: .violation, reference: "RFC 9113 8.4",
        detail: "a PUSH_PROMISE frame of the client",
        explanation: "Only a server may promise a response that nobody asked for.", needs: .sender)
    package static let http2PushDisabled = FindingRow(
        id: "http2.push-disabled", severity: .violation, reference: "RFC 9113 6.6",
        detail: "a PUSH_PROMISE frame, and the client has disabled server push",
        explanation: "A client that wants no pushes says so with SETTINGS_ENABLE_PUSH 0, as all browsers do today.")
    package static let http2PushUnsafe = FindingRow(
        id: "http2.push-unsafe", severity: .violation, reference: "RFC 9113 8.4",
        detail: "a promised request whose method is not GET or HEAD",
        explanation: "A promised request is safe and cacheable, and has no content.", needs: .sender)
    package static let http2BodyUnexpected = FindingRow(
        id: "http2.body-unexpected", severity: .violation, reference: "RFC 9110 6.4.1",
        detail: "a DATA frame with content after a response that has none",
        explanation: """
            A response to HEAD has no content, and neither has one with the status 204 or 304. Reported once for each stream. The bytes are \
            shown as a body.
            """)
    package static let http2StreamAfterGoAway = FindingRow(
        id: "http2.stream-after-goaway", severity: .violation, reference: "RFC 9113 6.8",
        detail: "a new stream after the peer's GOAWAY",
        explanation: """
            Who has received a GOAWAY opens no more streams on the connection. Reported where the client had acknowledged the packet with the \
            GOAWAY more than a second before, or, without packets, where it was sent as long before: requests that cross it are allowed.
            """)
    package static let http2CallStatusMissing = FindingRow(
        id: "http2.call-status-missing", severity: .warning, reference: "",
        detail: "a gRPC call ended without grpc-status",
        explanation: """
            The server ended the stream without trailers that say how the call ended. A client takes that for the status UNKNOWN. Servers \
            that stop in the middle of a call do so, and proxies that drop trailers.
            """)
    package static let http2ConnectProtocolUnasked = FindingRow(
        id: "http2.connect-protocol-unasked", severity: .violation, reference: "RFC 8441 3",
        detail: "a CONNECT with :protocol, which the server has not enabled",
        explanation: "A client asks for a protocol only after the server has sent SETTINGS_ENABLE_CONNECT_PROTOCOL with the value 1.")
    package static let http2RequestUnanswered = FindingRow(
        id: "http2.request-unanswered", severity: .note, reference: "",
        detail: "requests without a response at the end: {a}",
        explanation: "The connection ended before the server had responded.")
    package static let http2StreamError = FindingRow(
        id: "http2.stream-error", severity: .warning, reference: "RFC 9113 5.4.2",
        detail: "the stream was reset because of an error: {text} ({a})",
        explanation: """
            The sender of RST_STREAM says what it holds against the other side, or that it failed itself (INTERNAL_ERROR). Resets without an \
            error (NO_ERROR, CANCEL, REFUSED_STREAM) are records of kind `control` only. So is STREAM_CLOSED for a stream that both sides had \
            ended, or may have ended in what was not captured: curl forgets a stream with it. So is STREAM_CLOSED after a reset by the same side, \
            which is how h2 of Python takes what was still under way.
            """, isCounted: true)
    package static let http2ConnectionError = FindingRow(
        id: "http2.connection-error", severity: .warning, reference: "RFC 9113 5.4.1",
        detail: "the connection is given up because of an error: {text} ({a})",
        explanation:
            "The sender of GOAWAY says what it holds against the other side. ENHANCE_YOUR_CALM: too many requests, pings or resets.")
    package static let http2TooManyPings = FindingRow(
        id: "http2.too-many-pings", severity: .warning, reference: "gRFC A8",
        detail: "the connection is given up because of too many pings (ENHANCE_YOUR_CALM); a gRPC server allows one in 5 min by default",
        explanation: """
            A gRPC server counts a ping that comes earlier than it allows, and gives the connection up at the third. Without data in between it allows one \
            in 5 min (GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, GRPC_ARG_HTTP2_MAX_PING_STRIKES 2; \
            grpc.github.io/grpc/core/md_doc_keepalive.html). Calls fail as UNAVAILABLE. Let the client send keep-alive pings less often, or let the \
            server allow more: `permit_keepalive_time` and `permit_keepalive_without_calls`, or EnforcementPolicy in Go.
            """)
    package static let http2WindowStall = FindingRow(
        id: "http2.window-stall", severity: .note, reference: "RFC 9113 5.2",
        detail: "stream {a} waited {text} for the window of the {b|connection|stream}",
        explanation: """
            The sender had used up the window of the stream or of the connection, and could go on only with the WINDOW_UPDATE before this \
            finding. A receiver that reads slowly holds its sender up so; one with a small window makes every transfer slow over a long way. \
            The sentence names the window that was given at last. Waits below 100 ms are not reported. If more than 32 streams wait at once, only the first 32 are.
            """)
    package static let http2WindowStarved = FindingRow(
        id: "http2.window-starved", severity: .note, reference: "RFC 9113 5.2",
        detail: "stream {a} waited {text} for the window of the {b|connection|stream}, and ended without it",
        explanation: """
            As `http2.window-stall`, where no WINDOW_UPDATE came until the stream was reset or the connection ended: the receiver has ceased \
            to read, or both sides count the window differently. A browser that pauses a download looks the same.
            """)
    package static let http2CallDeadline = FindingRow(
        id: "http2.call-deadline", severity: .warning, reference: "",
        detail: "a gRPC call ended {text} after its request; its deadline was {a} ms",
        explanation: """
            The client says in `grpc-timeout` how long it waits for a call. Reported where the response ended later than that, and where \
            the server ended the call with DEADLINE_EXCEEDED or a side cancelled it at that time, up to 2 % and 5 ms sooner: libraries round \
            what they send.
            """)
    package static let http2RapidReset = FindingRow(
        id: "http2.rapid-reset", severity: .warning, reference: "CVE-2023-44487",
        detail: "rapid reset: the client reset {a} {a|request|requests} within a second, before any response",
        explanation: """
            Each request costs the server work, and a reset lets the client send the next one at once: a few clients can keep a server busy \
            with it. Servers that are up to date close such connections. Counted are requests that are reset within a second of their \
            beginning; a browser that leaves a page drops some dozen, and has no more than 256 open.
            """)
    package static let http2ContinuationFlood = FindingRow(
        id: "http2.continuation-flood", severity: .warning, reference: "CVE-2024-27316",
        detail: "CONTINUATION flood: one header block in {a} {a|frame|frames} and more",
        explanation: "A block that does not end makes servers collect it without bound. No program needs so many frames.")
    package static let http2SettingsFlood = FindingRow(
        id: "http2.settings-flood", severity: .warning, reference: "CVE-2019-9515",
        detail: "settings flood: {a} SETTINGS {a|frame|frames} within a second",
        explanation: "Each of them has to be acknowledged, which may fill the memory of who does.")
    package static let http2PingFlood = FindingRow(
        id: "http2.ping-flood", severity: .warning, reference: "CVE-2019-9512",
        detail: "ping flood: {a} PING {a|frame|frames} within a second, without waiting for the responses",
        explanation: """
            Each of them has to be answered, which may fill the memory of who does. Counted are those that are sent while 16 others and more \
            have no response yet: a side that measures the round trip or the bandwidth, as gRPC does, waits for the response before it \
            sends the next one, however often that is.
            """)
    package static let http2EmptyFlood = FindingRow(
        id: "http2.empty-frames-flood", severity: .warning, reference: "CVE-2019-9518",
        detail: "empty frames flood: {a} DATA {a|frame|frames} without content in a row, within a second",
        explanation: """
            They cost the receiver time, and no window holds them back. A program that flushes what it has not written sends a few between \
            others; those are not counted.
            """)
    package static let http2StreamLimit = FindingRow(
        id: "http2.stream-limit", severity: .note, reference: "",
        detail: "{a} {a|stream is|streams are} open at once, the oldest are given up",
        explanation: """
            More streams are not kept. Responses on those that were given up are shown without their request. After lost bytes streams may \
            seem open whose end was not seen.
            """)

    /// The rows of this file.
    package static let http2StreamRows: [FindingRow] =
        [
            http2StreamParity, http2StreamReused, http2StreamIdle, http2StreamOver, http2StreamsExceeded, http2HeadRepeated,
            http2DataBeforeHead, http2TrailersOpen, http2DependsOnItself, http2PushByClient, http2PushDisabled, http2ConnectProtocolUnasked,
            http2RequestUnanswered, http2StreamError,
            http2PushUnsafe, http2BodyUnexpected, http2StreamAfterGoAway, http2CallStatusMissing, http2ConnectionError, http2TooManyPings,
            http2WindowStall,
            http2WindowStarved, http2CallDeadline, http2RapidReset, http2ContinuationFlood, http2SettingsFlood,
            http2PingFlood, http2EmptyFlood, http2StreamLimit,
        ] + http2StreamEndRows
}
