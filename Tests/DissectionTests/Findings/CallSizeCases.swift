import Dissection
import Support

/// What is found where a gRPC call failed because of the size of a message, or may have.
extension FindingCase {
    private static let type = ("content-type", "application/grpc")

    /// A DATA frame with the prefix of a message of so many bytes, and its first three.
    private static func begun(_ length: UInt32) -> [UInt8] { HTTP2Frames.frame(0, stream: 1, [0] + HTTP2Frames.four(length) + [1, 2, 3]) }

    /// A call whose request has a message of so many bytes, and that the server ends with RESOURCE_EXHAUSTED.
    private static func refused(_ length: UInt32, _ words: String) -> Talk {
        HTTP2Frames.talk([
            .client(HTTP2Frames.post(1, [type]) + begun(length)),
            .server(HTTP2Frames.headers(1, [(":status", "200"), type, ("grpc-status", "8"), ("grpc-message", words)], end: true)),
        ])
    }

    /// A call that the client resets in the middle of a response of so many bytes.
    private static func reset(_ length: UInt32) -> Talk {
        HTTP2Frames.talk([
            .client(HTTP2Frames.post(1, [type]) + HTTP2Frames.data(1, "", end: true)), .server(HTTP2Frames.ok(1, [type]) + begun(length)),
            .client(HTTP2Frames.reset(1, 8)),
        ])
    }

    /// A stream that the server ends so many seconds after its last frame.
    private static func silent(seconds: Int64, answered: Bool = true, _ end: [UInt8]) -> Segments {
        let asks = HTTP2Frames.client + HTTP2Frames.accepted + HTTP2Frames.get(1)
        let answer = HTTP2Frames.settings() + HTTP2Frames.accepted + (answered ? HTTP2Frames.ok(1) + HTTP2Frames.data(1, "x") : [])
        return Segments().handshake().packet(.client, asks).packet(.server, answer, ack: asks.count).pause(seconds: seconds)
            .packet(.server, end, at: answer.count, ack: asks.count).packet(.client, ack: answer.count + end.count)
    }

    static let streamTimeouts: [FindingCase] = table {
        FindingCase(
            "http2.stream-timeout",
            [
                "< #6 @50 http2.stream-error: the stream was reset because of an error: INTERNAL_ERROR (2)",
                "< #6 @50 http2.stream-timeout: the server ended the stream after 60 s without a frame on it; 60 s is the default of nginx "
                    + "(grpc_read_timeout, proxy_read_timeout) and of the AWS Application Load Balancer",
            ],
            fires: silent(seconds: 60, HTTP2Frames.reset(1, 2)), nearly: silent(seconds: 55, HTTP2Frames.reset(1, 2)))
        // A response that has begun is not of a route's timeout.
        FindingCase(
            "http2.stream-timeout",
            [
                "< #6 @18 http2.stream-timeout: the server ended the stream after 15 s without a frame on it; 15 s is the default of Envoy "
                    + "(timeout of a route)"
            ],
            fires: silent(seconds: 15, answered: false, HTTP2Frames.headers(1, [(":status", "504")], end: true)),
            nearly: silent(seconds: 15, answered: false, HTTP2Frames.ok(1, end: true)))
        FindingCase(
            "http2.stream-timeout",
            [
                "< #6 @50 http2.stream-timeout: the server ended the stream after 60 s without a frame on it; 60 s is the default of nginx "
                    + "(grpc_read_timeout, proxy_read_timeout) and of the AWS Application Load Balancer"
            ],
            fires: silent(seconds: 60, HTTP2Frames.headers(1, [("grpc-status", "14")], end: true)),
            nearly: silent(seconds: 60, HTTP2Frames.headers(1, [("grpc-status", "5")], end: true)))
        // A server that leaves ends its streams, whenever they began.
        FindingCase(
            "http2.stream-timeout",
            [
                "< #6 @50 http2.stream-timeout: the server ended the stream after 60 s without a frame on it; 60 s is the default of nginx "
                    + "(grpc_read_timeout, proxy_read_timeout) and of the AWS Application Load Balancer"
            ],
            fires: silent(seconds: 60, HTTP2Frames.headers(1, [("grpc-status", "14")], end: true)),
            nearly: silent(
                seconds: 60,
                HTTP2Frames.goAway(last: 1, 0, "Server shutdown") + HTTP2Frames.headers(1, [("grpc-status", "14")], end: true)))
    }

    static let callSizes: [FindingCase] = table {
        FindingCase(
            "http2.call-too-big",
            [
                "< @9 http2.call-too-big: a gRPC call failed with RESOURCE_EXHAUSTED because of a message's size; the client's longest message "
                    + "had 5,000,000 bytes, and 4,194,304 is the default limit of a receiver"
            ],
            fires: refused(5_000_000, ""),
            // RESOURCE_EXHAUSTED has other reasons.
            nearly: refused(4_194_304, "quota exceeded"))
        // The limit is another one, and the server says so.
        FindingCase(
            "http2.call-too-big",
            [
                "< @9 http2.call-too-big: a gRPC call failed with RESOURCE_EXHAUSTED because of a message's size; the client's longest message "
                    + "had 2,000 bytes; the server says \"grpc: received message larger than max (2000 vs. 1000)\""
            ],
            fires: refused(2_000, "grpc: received message larger than max (2000 vs. 1000)"),
            nearly: refused(2_000, "queue exceeds maximum size, retry later"))
        FindingCase(
            "http2.call-too-big",
            [
                "< @9 http2.call-too-big: a gRPC call failed with RESOURCE_EXHAUSTED because of a message's size; the client's longest message "
                    + "had 5,000,000 bytes, and 4,194,304 is the default limit of a receiver"
            ],
            fires: refused(5_000_000, ""), nearly: refused(5_000_000, "quota exceeded"))
        FindingCase(
            "http2.call-size-limit",
            [
                "> @133 http2.call-size-limit: the client reset the call in the middle of the server's message of 5,000,000 bytes; 4 MiB is the "
                    + "default limit of gRPC clients"
            ],
            fires: reset(5_000_000), nearly: reset(4_194_304))
    }
}
