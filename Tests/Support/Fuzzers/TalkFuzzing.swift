internal import Dissection

/// Any bytes as a talk between two sides, without packets.
///
/// The first byte chooses bounds, beginning and, for WebSocket, what was agreed to. Then for each step one byte (0 the
/// client's bytes, 1 the server's, 2 and 3 a gap, 4 and 5 the end, 6 and 7 a reset, in bits 0 to 2), a length in two
/// bytes, most significant first, and that many bytes.
enum TalkFuzzing {
    /// What the server agreed to; scripts/fuzz_seeds.py knows the numbers.
    private static let agreements = [
        "", "permessage-deflate", "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
        "permessage-deflate; server_max_window_bits=9; client_max_window_bits=9", "x-other", "permessage-deflate; nonsense=1",
        "x-other, permessage-deflate", "permessage-deflate; client_max_window_bits=8",
    ]

    static func complaints(about input: [UInt8], isWebSocket: Bool) -> [String] {
        var talk = talk(input, isWebSocket)
        var sink = CheckingSink(limits: talk.limits, follows: input.count & 1 != 0)
        talk.run(into: &sink)
        sink.finish()

        // How the bytes are cut may show where what waits for a decision has to be given up, and nowhere else.
        talk.limits.roleBytes = 1 << 24
        talk.limits.outOfOrderBytes = 1 << 26
        let told = talk.transcript()
        let length = UInt64(input.count)
        for cutting in [Talk.Cutting.bytewise, .random(seed: length)] where talk.transcript(cutting) != told {
            sink.complain("\(cutting):\n\(talk.difference(from: told) ?? "")")
            break
        }
        return sink.complaints
    }

    /// The talk that the bytes stand for.
    static func talk(_ input: [UInt8], _ isWebSocket: Bool) -> Talk {
        var cursor = InputCursor(input)
        let choice = cursor.byte()
        var talk = Talk([], limits: choice & 8 == 0 ? Limits() : Fuzzer.tightLimits, showsFrames: true)
        if choice & 16 != 0 {
            talk.start = .midstream
            talk.knowsRoles = choice & 32 == 0
        }
        if isWebSocket {
            if choice & 16 == 0 { talk.steps = handshake(agreements[Int(choice & 7)]) } else { talk.forced = .webSocket }
        } else {
            talk.forced = choice & 64 == 0 ? .http : nil
        }
        talk.steps += steps(&cursor)
        return talk
    }

    private static func handshake(_ agreement: String) -> [Talk.Step] {
        let offer = "permessage-deflate; client_max_window_bits, x-other"
        let extensions = agreement.isEmpty ? "" : "Sec-WebSocket-Extensions: \(agreement)\r\n"
        return [
            .client(
                "GET /chat HTTP/1.1\r\nHost: a.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Extensions: \(offer)\r\n\r\n"),
            .server(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\(extensions)\r\n"),
        ]
    }

    /// Steps as TCP gives them: nothing comes from a side behind its end.
    static func steps(_ cursor: inout InputCursor) -> [Talk.Step] {
        var steps: [Talk.Step] = []
        var ended: [Side] = []
        while !cursor.isAtEnd, ended.count < 2 {
            let head = cursor.byte()
            let length = cursor.length()
            let side: Side = head & 1 == 0 ? .client : .server
            if ended.contains(side) {
                _ = cursor.run(length)
                continue
            }
            switch head >> 1 & 3 {
            case 0: if case let run = cursor.run(length), !run.isEmpty { steps.append(.bytes(side, run)) }
            case 1:
                if length > 0 { steps.append(.gap(side, head & 16 == 0 ? length : length << 13, head & 8 == 0 ? .missing : .truncated)) }
            case 2:
                steps.append(.finish(side))
                ended.append(side)
            default:
                steps.append(.reset(side))
                ended = [.client, .server]
            }
        }
        return steps
    }
}

extension Talk {
    /// Runs it whole into a sink that also looks at what is held.
    func run(into sink: inout CheckingSink) {
        let place = Place(time: Timestamp(nanoseconds: 0), packets: PacketRange(1))
        let first: Side = knowsRoles ? .client : steps.first.map(\.side) ?? .client
        var conversation = Conversation(
            number: 1, first: Endpoint(address: IPAddress(ipv4: 0x0A00_0001), port: 50_000),
            second: Endpoint(address: IPAddress(ipv4: 0x0A00_0002), port: 8_080), sideOfFirst: knowsRoles ? .client : nil, start: start,
            forced: framing.map { DecodeRule(port: 80, framing: $0) } ?? forced.map { DecodeRule(port: 80, layer: $0) }, layers: layers,
            limits: limits, place: place)
        conversation.open(sink: &sink)
        for step in steps {
            let direction: Direction = step.side == first ? .first : .second
            switch step {
            case .bytes(_, let bytes): conversation.receive(.bytes(bytes.rawBytes), direction: direction, place: place, sink: &sink)
            case .gap(_, let length, let cause):
                conversation.receive(.gap(length: UInt64(length), cause: cause), direction: direction, place: place, sink: &sink)
            case .finish: conversation.receive(.finished, direction: direction, place: place, sink: &sink)
            case .reset: conversation.receive(.reset, direction: direction, place: place, sink: &sink)
            }
            if conversation.heldBytes < 0 || conversation.heldBytes > 8 << 20 { sink.complain("\(conversation.heldBytes) bytes are held") }
        }
        conversation.close(.endOfCapture, sink: &sink)
        if conversation.heldBytes != 0 { sink.complain("\(conversation.heldBytes) bytes are held after the end") }
    }
}
