internal import Dissection

/// Any bytes as a talk in HTTP/2, in the clear.
///
/// The first byte chooses bounds (bit 3), beginning (bits 4 and 5) and, in bits 0 to 2, what both sides have said before the first step; then
/// come steps as of `TalkFuzzing`.
enum HTTP2Fuzzing {
    static func complaints(about input: [UInt8]) -> [String] {
        complaints(about: talk(input), follows: input.count & 1 != 0)
    }

    /// What does not hold for a talk, whole and cut.
    static func complaints(about whole: Talk, follows: Bool) -> [String] {
        var talk = whole
        var sink = CheckingSink(limits: talk.limits, follows: follows, isHTTP2: talk.forced == .http2)
        talk.run(into: &sink)
        sink.finish()
        // How the bytes are cut may show where what waits for a decision has to be given up, and nowhere else.
        talk.limits.roleBytes = 1 << 24
        talk.limits.outOfOrderBytes = 1 << 26
        let told = talk.transcript()
        for cutting in [Talk.Cutting.bytewise, .random(seed: UInt64(told.count))] where talk.transcript(cutting) != told {
            sink.complain("\(cutting):\n\(talk.difference(from: told) ?? "")")
            break
        }
        return sink.complaints
    }

    private static func talk(_ input: [UInt8]) -> Talk {
        typealias Frames = HTTP2Frames
        var cursor = InputCursor(input)
        let choice = cursor.byte()
        var talk = Talk([], limits: choice & 8 == 0 ? Limits() : Fuzzer.tightLimits, showsFrames: true)
        if choice & 16 != 0 {
            talk.start = .midstream
            talk.knowsRoles = choice & 32 == 0
            talk.forced = .http2
        }
        let connect = Frames.headers(
            1, [(":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":path", "/"), (":authority", "x")])
        let opening: [Talk.Step] = [.client(Frames.client + Frames.accepted), .server(Frames.settings([(8, 1)]) + Frames.accepted)]
        switch choice & 7 {
        case 0: talk.steps = []
        case 1: talk.steps = opening
        case 2: talk.steps = opening + [.client(connect), .server(Frames.ok(1, [("sec-websocket-extensions", "permessage-deflate")]))]
        case 3:
            talk.steps = opening + [.client(Frames.headers(1, [(":method", "CONNECT"), (":authority", "x:80")])), .server(Frames.ok(1))]
        case 4: talk.steps = opening + [.client(Frames.post(1)), .server(Frames.ok(1, [("content-encoding", "gzip")]))]
        case 5:
            talk.steps =
                opening + [
                    .client(Frames.post(1, [("content-type", "application/grpc")])),
                    .server(Frames.ok(1, [("content-type", "application/grpc")])),
                ]
        case 6: talk.steps = opening + [.client(Frames.get(1) + Frames.get(3)), .gap(.client, 90, .missing)]
        default:
            talk.steps = [
                .client("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"),
                .server("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"),
                .client(Frames.client), .server(Frames.server),
            ]
        }
        talk.steps += TalkFuzzing.steps(&cursor)
        return talk
    }
}
