import Dissection
import Support

/// What is found about the streams of HTTP/2.
extension FindingCase {
    static let http2Streams = table {
        http2(
            .http2StreamParity, fires: [.client(Frames.get(2)), .server(Frames.ok(2, end: true))],
            nearly: [.client(Frames.get(3)), .server(Frames.ok(3, end: true))])
        http2(
            .http2StreamReused, at: 92, a: 3,
            fires: [.client(Frames.get(3) + Frames.get(1)), .server(Frames.ok(3, end: true) + Frames.ok(1, end: true))],
            nearly: [.client(Frames.get(1) + Frames.get(3)), .server(Frames.ok(3, end: true) + Frames.ok(1, end: true))])
        http2(.http2StreamIdle, client: Frames.window(1, 5), nearly: Frames.frame(2, stream: 1, [0, 0, 0, 0, 1]))
        http2(
            .http2StreamOver, at: 92, fires: [.client(Frames.get(1) + Frames.data(1, "x")), .server(Frames.ok(1, end: true))],
            nearly: [.client(Frames.post(1) + Frames.data(1, "x", end: true)), .server(Frames.ok(1, end: true))])
        FindingCase(
            "http2.streams-exceeded", [line(.client, 101, .http2StreamsExceeded, a: 2, b: 1)], fires: two(Frames.accepted),
            // Without the acknowledgement the client need not know.
            nearly: two([]))
        http2(
            .http2HeadRepeated, .server, at: 31, fires: [.client(Frames.get(1)), .server(Frames.ok(1) + Frames.ok(1, end: true))],
            nearly: [.client(Frames.get(1)), .server(Frames.headers(1, [(":status", "103")]) + Frames.ok(1, end: true))])
        http2(
            .http2DataBeforeHead, .server, at: 9,
            fires: [.client(Frames.get(1)), .server(Frames.data(1, "x") + Frames.ok(1, end: true))],
            nearly: [.client(Frames.get(1)), .server(Frames.ok(1) + Frames.data(1, "x", end: true))])
        http2(
            .http2TrailersOpen, .server, at: 31,
            fires: [.client(Frames.get(1)), .server(Frames.ok(1) + Frames.headers(1, [("a", "b")]) + Frames.data(1, "", end: true))],
            nearly: [.client(Frames.get(1)), .server(Frames.ok(1) + Frames.headers(1, [("a", "b")], end: true))])
        http2(
            .http2DependsOnItself, client: Frames.frame(2, stream: 1, [0, 0, 0, 1, 1]),
            nearly: Frames.frame(2, stream: 3, [0, 0, 0, 1, 1]))
        FindingCase(
            "http2.push-by-client",
            [
                line(.client, 33, .http2StreamParity), line(.client, 33, .http2PushByClient),
                line(.server, 9, .http2RequestUnanswered, a: 1),
            ], fires: Frames.talk([.client(promise)]), nearly: Frames.talk([.client(Frames.ping())]))
        http2(
            .http2PushUnsafe, .server, at: 9, fires: [.client(Frames.get(1)), .server(promise(of: "POST") + pushed)],
            nearly: [.client(Frames.get(1)), .server(promise(of: "HEAD") + pushed)])
        http2(
            .http2BodyUnexpected, .server, at: 31,
            fires: [.client(head), .server(Frames.ok(1) + Frames.data(1, "x") + Frames.data(1, "y", end: true))],
            nearly: [.client(head), .server(Frames.ok(1, [("content-length", "1")]) + Frames.data(1, "", end: true))])
        http2(
            .http2BodyUnexpected, .server, at: 31,
            fires: [.client(Frames.get(1)), .server(Frames.headers(1, [(":status", "204")]) + Frames.data(1, "x", end: true))],
            nearly: [.client(Frames.get(1)), .server(Frames.headers(1, [(":status", "205")]) + Frames.data(1, "x", end: true))])
        FindingCase(
            "http2.stream-after-goaway", ["> #7 @101 http2.stream-after-goaway: a new stream after the peer's GOAWAY"],
            fires: after(seconds: 2, isReceived: true), nearly: after(seconds: 2, isReceived: false))
        FindingCase(
            "http2.stream-after-goaway", ["> #7 @101 http2.stream-after-goaway: a new stream after the peer's GOAWAY"],
            fires: after(seconds: 2, isReceived: true), nearly: after(seconds: 0, isReceived: true))
        FindingCase(
            "http.engineio-too-large",
            ["< @9 http.engineio-too-large: the request with messages of Engine.IO was refused with 413; the body has 5 bytes"],
            fires: polled("EIO=4&transport=polling&sid=aaaabbbb", "413"),
            // Another program's upload.
            nearly: polled("v=4&transport=polling&sid=aaaabbbb", "413"))
        http2(
            .http2CallStatusMissing, .server, at: 71, fires: called(ending: Frames.data(1, "", end: true)),
            nearly: called(ending: Frames.headers(1, [("grpc-status", "0")], end: true)))
        FindingCase(
            "http2.push-disabled", [line(.server, 18, .http2PushDisabled)],
            fires: Talk([
                .client(Frames.preface + Frames.settings([(2, 0)]) + Frames.get(1)),
                .server(Frames.server + Frames.accepted + promise + Frames.ok(1, end: true) + Frames.ok(2, end: true)),
            ]),
            // Without the acknowledgement the promise may have been under way.
            nearly: Talk([
                .client(Frames.preface + Frames.settings([(2, 0)]) + Frames.get(1)),
                .server(Frames.server + promise + Frames.ok(1, end: true) + Frames.ok(2, end: true)),
            ]))
        FindingCase(
            "http2.connect-protocol-unasked", [line(.client, 33, .http2ConnectProtocolUnasked)],
            fires: Frames.talk([.client(connect), .server(Frames.headers(1, [(":status", "400")], end: true))]),
            nearly: Talk([
                .client(Frames.client), .server(Frames.settings([(8, 1)])), .client(connect),
                .server(Frames.headers(1, [(":status", "400")], end: true)),
            ]))
        http2(
            .http2RequestUnanswered, .server, at: 9, a: 1, fires: [.client(Frames.get(1))],
            nearly: [.client(Frames.get(1)), .server(Frames.ok(1, end: true))])
        http2(
            .http2StreamError, .server, at: 9, a: 2, text: "INTERNAL_ERROR", fires: [.client(Frames.get(1)), .server(Frames.reset(1, 2))],
            nearly: [.client(Frames.get(1)), .server(Frames.reset(1, 7))])
        // curl forgets a stream with STREAM_CLOSED after both sides have ended it.
        http2(
            .http2StreamError, at: 92, a: 5, text: "STREAM_CLOSED",
            fires: [.client(Frames.get(1)), .server(Frames.ok(1)), .client(Frames.reset(1, 5))],
            nearly: [.client(Frames.get(1)), .server(Frames.ok(1, end: true)), .client(Frames.reset(1, 5))])
        // Who has reset a stream says it again of what was under way.
        http2(
            .http2StreamError, at: 92, a: 5, text: "STREAM_CLOSED",
            fires: [.client(Frames.get(1)), .server(Frames.reset(1, 8)), .client(Frames.reset(1, 5))],
            nearly: [.client(Frames.get(1) + Frames.reset(1, 8)), .server(Frames.data(1, "x")), .client(Frames.reset(1, 5))])
        // A stream stays open while more others are reset than are remembered.
        http2(
            .http2StreamError, at: 92 + 140 * 72, a: 5, text: "STREAM_CLOSED",
            fires: outlived + [.server(Frames.ok(1)), .client(Frames.reset(1, 5))],
            nearly: outlived + [.server(Frames.ok(1, end: true)), .client(Frames.reset(1, 5))])
        // The lost bytes may have the end of the request.
        http2(
            .http2StreamError, at: 93, a: 5, text: "STREAM_CLOSED",
            fires: [.client(Frames.post(1)), .server(Frames.ok(1, end: true)), .client(Frames.reset(1, 5))],
            nearly: [
                .gap(.client, 60, .missing), .server(Frames.ok(1, end: true)),
                .client(Frames.reset(1, 5) + Frames.ping() + Frames.window(0, 1) + Frames.get(3)), .server(Frames.ok(3, end: true)),
            ])
        http2(
            .http2ConnectionError, .server, at: 9, a: 11, text: "ENHANCE_YOUR_CALM", fires: [.server(Frames.goAway(last: 0, 11))],
            nearly: [.server(Frames.goAway(last: 0, 0))])
        http2(
            .http2TooManyPings, .server, at: 9, fires: [.server(Frames.goAway(last: 0, 11, "too_many_pings"))],
            nearly: [.server(Frames.goAway(last: 0, 11, "too_many_data"))])
        FindingCase(
            "http2.stream-limit", [line(.client, 33 + 4 * 59, .http2StreamLimit, a: 4)], fires: many(5, limit: 4), nearly: many(4, limit: 4)
        )
    }

    /// A request, and 140 more that are reset at once.
    private static let outlived: [Talk.Step] = {
        var bytes = Frames.get(1)
        for stream in stride(from: UInt32(3), through: 281, by: 2) { bytes += Frames.get(stream) + Frames.reset(stream, 8) }
        return [.client(bytes)]
    }()

    /// A promise of stream 2, in stream 1.
    private static let promise = Frames.frame(
        5, flags: 4, stream: 1,
        Frames.four(2) + Frames.block([(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "x")]))

    private static func promise(of method: String) -> [UInt8] {
        Frames.frame(
            5, flags: 4, stream: 1,
            Frames.four(2) + Frames.block([(":method", method), (":scheme", "http"), (":path", "/"), (":authority", "x")]))
    }

    private static let pushed = Frames.ok(1, end: true) + Frames.ok(2, end: true)
    private static let head = Frames.headers(1, [(":method", "HEAD"), (":scheme", "http"), (":path", "/"), (":authority", "x")], end: true)

    /// A call of gRPC, and how its response ends.
    private static func called(ending end: [UInt8]) -> [Talk.Step] {
        [.client(Frames.post(1) + Frames.data(1, "", end: true)), .server(Frames.ok(1, [("content-type", "application/grpc")]) + end)]
    }

    /// A request so many seconds after a GOAWAY, which the client had received, or had not.
    private static func after(seconds: Int64, isReceived: Bool) -> Segments {
        let asks = Frames.client + Frames.accepted + Frames.get(1)
        let answer = Frames.settings() + Frames.accepted + Frames.ok(1, end: true)
        let away = Frames.goAway(last: 1, 0)
        return Segments().handshake().packet(.client, asks).packet(.server, answer, ack: asks.count)
            .packet(.server, away, at: answer.count, ack: asks.count).pause(seconds: seconds)
            .packet(.client, Frames.get(3), at: asks.count, ack: answer.count + (isReceived ? away.count : 0))
            .packet(.server, Frames.ok(3, end: true), at: answer.count + away.count, ack: asks.count + 59)
    }

    private static let connect = Frames.headers(
        1, [(":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":path", "/"), (":authority", "x")])

    /// Two requests at once, of which the server allows one.
    private static func two(_ accepted: [UInt8]) -> Talk {
        Talk([
            .client(Frames.client), .server(Frames.settings([(3, 1)])), .client(accepted + Frames.get(1) + Frames.get(3)),
            .server(Frames.ok(1, end: true) + Frames.ok(3, end: true)),
        ])
    }

    /// So many requests, of which each gets its response in the end.
    private static func many(_ count: UInt32, limit: Int) -> Talk {
        var talk = Frames.talk([
            .client((0..<count).flatMap { Frames.get(2 * $0 + 1) }),
            .server((0..<count).flatMap { Frames.ok(2 * $0 + 1, end: true) }),
        ])
        talk.limits.pendingRequests = limit
        return talk
    }

    private static func repeated(_ frame: [UInt8], _ count: Int) -> [UInt8] { [[UInt8]](repeating: frame, count: count).flatMap(\.self) }

    private static func cancelled(_ count: UInt32) -> [UInt8] {
        (0..<count).flatMap { (index: UInt32) -> [UInt8] in Frames.get(2 * index + 1) + Frames.reset(2 * index + 1, 8) }
    }

    /// A block in one HEADERS frame and so many others.
    private static func continued(_ count: Int) -> [UInt8] {
        Frames.frame(1, flags: 1, stream: 1) + repeated(Frames.frame(9, stream: 1), count)
    }

    private static let answer = Talk.Step.server(Frames.ok(1, end: true))

    static let http2Floods = table {
        http2(
            .http2RapidReset, at: 33 + 300 * 72 - 13, a: 300, fires: [.client(cancelled(300))], nearly: [.client(cancelled(299))])
        http2(.http2ContinuationFlood, at: 42 + 62 * 9, a: 64, fires: [.client(continued(63))], nearly: [.client(continued(62))])
        http2(
            .http2SettingsFlood, at: 33 + 98 * 9, a: 100, fires: [.client(repeated(Frames.settings(), 99))],
            nearly: [.client(repeated(Frames.settings(), 98))])
        http2(
            .http2PingFlood, at: 33 + 215 * 17, a: 200, fires: [.client(repeated(Frames.ping(), 216))],
            nearly: [.client(repeated(Frames.ping(), 215))])
        http2(
            .http2EmptyFlood, at: 93 + 199 * 9, a: 200, fires: [.client(Frames.post(1) + repeated(Frames.data(1, ""), 200)), answer],
            nearly: [
                .client(Frames.post(1) + repeated(Frames.data(1, ""), 199) + Frames.data(1, "x") + repeated(Frames.data(1, ""), 199)),
                answer,
            ])
    }

    /// A message of Engine.IO over polling, and the status that it gets.
    private static func polled(_ query: String, _ status: String) -> Talk {
        let head = [
            (":method", "POST"), (":scheme", "https"), (":authority", "x"), (":path", "/socket.io/?\(query)"), ("content-length", "5"),
        ]
        return Frames.talk([
            .client(Frames.headers(1, head) + Frames.data(1, "4haha", end: true)),
            .server(Frames.headers(1, [(":status", status)], end: true)),
        ])
    }
}
