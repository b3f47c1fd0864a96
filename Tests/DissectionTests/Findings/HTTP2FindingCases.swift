import Dissection
import Reports
import Support

/// What is found about HTTP/2.
extension FindingCase {
    static let http2: [FindingCase] = http2Openings + http2Required + http2Frames + http2Windows + http2Fields + http2Streams + http2Floods

    typealias Frames = HTTP2Frames

    /// A line of what is found.
    static func line(_ side: Side, _ offset: Int, _ row: FindingRow, a: UInt64 = 0, b: UInt64 = 0, _ text: String = "") -> String {
        let words = row.pattern.replacing("{a}", with: "\(a)").replacing("{b}", with: "\(b)").replacing("{text}", with: text)
        return "\(side == .client ? ">" : "<") @\(offset) \(row.id): \(words)"
    }

    /// A case in which the openings of both sides are right: the client's have 33 bytes, the server's 9.
    static func http2(
        _ row: FindingRow, _ side: Side = .client, at offset: Int = 33, a: UInt64 = 0, b: UInt64 = 0, text: String = "",
        and more: [String] = [], fires: [Talk.Step], nearly: [Talk.Step]
    ) -> FindingCase {
        FindingCase(
            row.id, [line(side, offset, row, a: a, b: b, text)] + more, fires: Frames.talk(fires), nearly: Frames.talk(nearly))
    }

    /// The same of one frame, or several, of the client.
    static func http2(
        _ row: FindingRow, a: UInt64 = 0, b: UInt64 = 0, text: String = "", and more: [String] = [], client: [UInt8],
        nearly: [UInt8]
    ) -> FindingCase {
        http2(row, a: a, b: b, text: text, and: more, fires: [.client(client)], nearly: [.client(nearly)])
    }

    private static let http2Openings = table {
        FindingCase(
            "http2.preface-invalid", [line(.client, 62, .http2PrefaceInvalid), line(.server, 71, .http2RequestUnanswered, a: 1)],
            fires: Talk([
                .client("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"),
                .server("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"),
                .client("PRI * HTTP/1.1\r\n\r\n"),
            ]),
            nearly: Talk([
                .client("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"),
                .server("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"),
                .client(Frames.client),
            ]))
        FindingCase(
            "http2.settings-missing", [line(.client, 24, .http2SettingsMissing)],
            fires: Talk([.client(Frames.preface + Frames.get(1)), .server(Frames.server + Frames.ok(1, end: true))]),
            nearly: Frames.talk([.client(Frames.get(1)), .server(Frames.ok(1, end: true))]))
        // The port speaks TLS.
        FindingCase(
            "http.tls-alert", ["< @0 http.tls-alert: the server sent a TLS alert instead of an HTTP response"],
            fires: Talk([.client(Frames.client), .server([0x15, 3, 1, 0, 2, 2, 70]), .finish(.server), .finish(.client)]),
            // The end of a broken frame.
            nearly: Talk([.client(Frames.client), .server([0x15, 3, 1, 0, 2, 3, 70]), .finish(.server), .finish(.client)]))
        FindingCase(
            "http.tls-alert", ["< @0 http.tls-alert: the server sent a TLS alert instead of an HTTP response"],
            fires: Talk([
                .client(Frames.client), .server([0x15, 3, 3, 0, 2, 2, 70, 0x15, 3, 3, 0, 2, 1, 0]), .finish(.server), .finish(.client),
            ]),
            nearly: Talk([
                .client(Frames.client), .server(Frames.server), .server([0x15, 3, 1, 0, 2, 2, 70]), .finish(.server), .finish(.client),
            ]))
        FindingCase(
            "http2.refused", [line(.server, 0, .http2Refused)],
            fires: Talk([.client(Frames.client), .server("HTTP/1.1 400 Bad Request\r\n\r\n")]),
            nearly: Talk([.client(Frames.client), .server(Frames.server), .server(Frames.ping(Array("HTTP/1.1".utf8)))]))
    }

    private static let http2Required = table {
        // Its frame comes after the request, or before it.
        FindingCase(
            "http2.required", [line(.server, 0, .http2Required)],
            fires: Talk([.client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), .server(Frames.server), .finish(.client), .finish(.server)]),
            nearly: Talk([.client(Frames.client), .server(Frames.server), .finish(.client), .finish(.server)]))
        FindingCase(
            "http2.required", [line(.server, 0, .http2Required), line(.server, 9, .http2ConnectionError, a: 1, "PROTOCOL_ERROR")],
            fires: Talk([
                .server(Frames.server), .client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), .server(Frames.goAway(last: 0, 1)), .finish(.server),
            ]),
            nearly: Talk([.server(Frames.server), .client(Frames.client), .finish(.client), .finish(.server)]))
        // A refusal without settings.
        FindingCase(
            "http2.required", [line(.server, 0, .http2ConnectionError, a: 1, "PROTOCOL_ERROR"), line(.server, 0, .http2Required)],
            fires: Talk([.client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), .server(Frames.goAway(last: 0, 1)), .finish(.server)]),
            // The file that HTTP/0.9 asks for begins with anything.
            nearly: Talk([.client("GET /x\r\n"), .server(Frames.server), .finish(.server)]))
    }

    private static let http2Frames = table {
        http2(
            .http2FrameTooLarge, a: 16_385, b: 16_384, client: Frames.frame(10, [UInt8](repeating: 0, count: 16_385)),
            nearly: Frames.frame(10, [UInt8](repeating: 0, count: 16_384)))
        http2(.http2FrameLength, a: 7, text: "PING", client: Frames.ping([1, 2, 3, 4, 5, 6, 7]), nearly: Frames.ping())
        http2(
            .http2FrameImplausible, client: [0x48, 0x54, 0x54, 0x50, 0x2F, 0x31, 0x2E, 0x31, 0x20],
            nearly: [0, 0, 1, 0x50, 0x2F, 0x31, 0x2E, 0x31, 0x20, 0])
        http2(
            .http2FrameIncomplete, at: 38, fires: [.client(Array(Frames.ping().prefix(5))), .finish(.client)],
            nearly: [.client(Frames.ping()), .server(Frames.ping(answers: true)), .finish(.client)])
        http2(
            .http2FrameCut, at: 38, fires: [.client(Array(Frames.ping().prefix(5)))],
            nearly: [.client(Frames.ping()), .server(Frames.ping(answers: true))])
        http2(
            .http2StreamMissing, text: "RST_STREAM", client: Frames.reset(0, 8), nearly: Frames.get(1) + Frames.reset(1, 8))
        http2(
            .http2StreamUnexpected, text: "PING", client: Frames.frame(6, flags: 1, stream: 1, [1, 2, 3, 4, 5, 6, 7, 8]),
            nearly: Frames.ping())
        http2(
            .http2PaddingTooLong, at: 93,
            fires: [.client(Frames.post(1) + Frames.frame(0, flags: 9, stream: 1, [4, 0, 0, 0])), .server(Frames.ok(1, end: true))],
            nearly: [.client(Frames.post(1) + Frames.frame(0, flags: 9, stream: 1, [3, 0, 0, 0])), .server(Frames.ok(1, end: true))])
        http2(
            .http2PaddingFilled, at: 93,
            fires: [.client(Frames.post(1) + Frames.frame(0, flags: 9, stream: 1, [2, 9, 0, 1])), .server(Frames.ok(1, end: true))],
            nearly: [.client(Frames.post(1) + Frames.frame(0, flags: 9, stream: 1, [2, 9, 0, 0])), .server(Frames.ok(1, end: true))])
        http2(
            .http2ContinuationMissing, at: 42, fires: [.client(Frames.frame(1, flags: 1, stream: 1) + Frames.ping())],
            nearly: [.client(Frames.get(1) + Frames.ping()), .server(Frames.ok(1, end: true))])
        http2(
            .http2ContinuationUnexpected, client: Frames.frame(9, flags: 4, stream: 1, [0x82]),
            nearly: Frames.frame(1, flags: 1, stream: 1, Frames.block([(":method", "OPTIONS"), (":scheme", "http")]))
                + Frames.frame(9, flags: 4, stream: 1, Frames.block([(":path", "*")])))
        http2(
            .http2SettingWithdrawn, .server, at: 24, fires: [.server(Frames.settings([(8, 1)]) + Frames.settings([(8, 0)]))],
            nearly: [.server(Frames.settings([(8, 0)]) + Frames.settings([(8, 1)]))])
        http2(
            .http2GoAwayIncreased, .server, at: 26, a: 5, b: 3, fires: [.server(Frames.goAway(last: 3, 0) + Frames.goAway(last: 5, 0))],
            nearly: [.server(Frames.goAway(last: 0x7FFF_FFFF, 0) + Frames.goAway(last: 3, 0) + Frames.goAway(last: 3, 0))])
        http2(.http2SettingInvalid, a: 2, text: "ENABLE_PUSH", client: Frames.settings([(2, 2)]), nearly: Frames.settings([(2, 1)]))
    }

    private static let http2Windows = table {
        http2(.http2WindowZero, client: Frames.window(0, 0), nearly: Frames.window(0, 1))
        http2(
            .http2WindowOverflow, a: 2_147_549_182, client: Frames.window(0, 0x7FFF_FFFF), nearly: Frames.window(0, 0x7FFF_0000))
        FindingCase(
            "http2.window-exceeded", [line(.client, 102, .http2WindowExceeded, a: 5, b: 4)],
            fires: Talk([
                .client(Frames.client), .server(Frames.settings([(4, 4)])),
                .client(Frames.accepted + Frames.post(1) + Frames.data(1, "Hello", end: true)),
                .server(Frames.ok(1, end: true)),
            ]),
            nearly: Talk([
                .client(Frames.client), .server(Frames.settings([(4, 5)])),
                .client(Frames.accepted + Frames.post(1) + Frames.data(1, "Hello", end: true)),
                .server(Frames.ok(1, end: true)),
            ]))
        FindingCase(
            "http2.window-stall", ["> #11 @116 http2.window-stall: stream 1 waited 1.0 s for the window of the stream"],
            fires: stall(seconds: 1, Frames.window(1, 10)), nearly: stall(seconds: 0, Frames.window(1, 10)))
        FindingCase(
            "http2.window-stall", ["> #11 @65673 http2.window-stall: stream 1 waited 1.0 s for the window of the connection"],
            fires: stall(seconds: 1, Frames.window(0, 10), first: 100_000, body: 65_535),
            nearly: stall(seconds: 0, Frames.window(0, 10), first: 100_000, body: 65_535))
        // A side that had nothing left to send has not waited.
        FindingCase(
            "http2.window-stall", ["> #11 @116 http2.window-stall: stream 1 waited 1.0 s for the window of the stream"],
            fires: stall(seconds: 1, Frames.window(1, 10)), nearly: stall(seconds: 1, Frames.window(1, 10), last: ""))
        FindingCase(
            "http2.settings-unacknowledged",
            [
                "> #7 @98 http2.settings-unacknowledged: the client did not acknowledge its peer's SETTINGS, and sent 5 frames up to 7.0 s after them"
            ],
            fires: unacknowledged(seconds: 7), nearly: unacknowledged(seconds: 2))
        FindingCase(
            "http2.window-starved",
            ["< #10 @37 http2.window-starved: stream 1 waited 35.0 s for the window of the stream, and ended without it"],
            fires: stall(seconds: 35, Frames.reset(1, 8)), nearly: stall(seconds: 35, Frames.window(1, 10)))
        FindingCase(
            "http2.initial-window-overflow",
            [line(.server, 46, .http2InitialWindowOverflow, a: 2_147_488_112, b: 1)], fires: widened(to: 70_000), nearly: widened(to: 5_000)
        )
        FindingCase(
            "http2.call-deadline",
            ["< #6 @40 http2.call-deadline: a gRPC call ended 2.0 s after its request; its deadline was 1500 ms"],
            fires: call("1500m", seconds: 2, Frames.headers(1, [("grpc-status", "0")], end: true)),
            nearly: call("2100m", seconds: 2, Frames.headers(1, [("grpc-status", "0")], end: true)))
        // gRPC-Web has its trailers in the body.
        FindingCase(
            "http2.call-deadline",
            ["< #6 @50 http2.call-deadline: a gRPC call ended 2.0 s after its request; its deadline was 1501 ms"],
            fires: call("1500600u", seconds: 2, Frames.data(1, "!", end: true)),
            nearly: call("2100m", seconds: 2, Frames.data(1, "!", end: true)))
    }

    /// A call whose response ends so many seconds later.
    static func call(_ timeout: String, seconds: Int64, _ end: [UInt8]) -> Segments {
        let asks = Frames.client + Frames.accepted + Frames.get(1, "/a.B/C", [("grpc-timeout", timeout)])
        let answer = Frames.settings() + Frames.accepted + Frames.ok(1)
        return Segments().handshake().packet(.client, asks).packet(.server, answer, ack: asks.count).pause(seconds: seconds)
            .packet(.server, end, at: answer.count, ack: asks.count).packet(.client, ack: answer.count + end.count)
    }

    /// A stream has nearly all the window that it may have when the server changes the first one.
    private static func widened(to first: UInt32) -> Talk {
        let more: UInt32 = 0x7FFF_FFFF - 65_535
        return Frames.talk([
            .client(Frames.post(1)),
            .server(Frames.window(1, more) + Frames.accepted + Frames.settings([(4, 0)]) + Frames.settings([(4, first)])),
            .client(Frames.accepted + Frames.accepted + Frames.data(1, "", end: true)), .server(Frames.ok(1, end: true)),
        ])
    }

    /// The client has used its window up, and so many seconds later the server sends something.
    /// A client that does not acknowledge, and goes on for so long.
    private static func unacknowledged(seconds: Int64) -> Segments {
        let frames = (0..<5).flatMap { _ in Frames.window(0, 1) }
        let count = Frames.client.count
        return Segments().handshake().packet(.client, Frames.client).packet(.server, Frames.server + Frames.accepted, ack: count)
            .pause(seconds: seconds).packet(.client, frames, at: count, ack: 18)
            .fin(.client, at: count + frames.count, ack: 18).fin(.server, at: 18, ack: count + frames.count + 1)
    }

    private static func stall(seconds: Int64, _ given: [UInt8], first: UInt32 = 5, body: Int = 5, last: String = "!") -> Segments {
        var content = String(repeating: "x", count: body)
        var asks = Frames.client + Frames.accepted + Frames.post(1)
        while !content.isEmpty {
            asks += Frames.data(1, String(content.prefix(16_384)))
            content.removeFirst(min(16_384, content.count))
        }
        let rest = Frames.data(1, last, end: true)
        let opening = Frames.settings([(4, first)])
        let answer = Frames.ok(1)
        let told = opening.count + answer.count
        // No packet has so much.
        let half = (asks.count - 33) / 2
        return Segments().handshake().packet(.client, Frames.client).packet(.server, opening, ack: 33)
            .packet(.client, Array(asks.dropFirst(33).prefix(half)), at: 33, ack: 15)
            .packet(.client, Array(asks.dropFirst(33 + half)), at: 33 + half, ack: 15)
            .packet(.server, answer, at: 15, ack: asks.count).packet(.client, ack: told).pause(seconds: seconds)
            .packet(.server, given, at: told, ack: asks.count)
            .packet(.client, rest, at: asks.count, ack: told + 13)
    }
}
