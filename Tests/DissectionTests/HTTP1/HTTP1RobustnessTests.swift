import Dissection
import Support
import Testing

/// Random talks: no bytes trap, cutting changes nothing, and every byte is accounted for.
@Suite struct HTTP1RobustnessTests {
    private static let requests = [
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
        "GET /w HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: foo\r\n\r\n", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", "\r\n",
        "GET /old\r\n", "garbage\n", "OPTIONS * HTTP/1.0\r\n\r\n",
    ]
    private static let answers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nHTTP/1.", "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil close", "HTTP/1.1 304 N\r\nContent-Length: 9\r\n\r\n", "junk HTTP/1.1 2",
        "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: foo\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n",
    ]
    private static let chunked = [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "3\r\nabc\r\n", "a;x=y\r\n0123456789\r\n", "0\r\n\r\n",
        "0\r\nX: y\r\n\r\n", "1\nz\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    ]

    private static func talk(seed: UInt64, chunks: Bool) -> Talk {
        var random = SplitMix(seed: seed)
        var limits = Limits()
        if random.next() % 3 == 0 { limits.headBytes = 48 }
        if random.next() % 3 == 0 { limits.bodyPartBytes = 3 }
        if random.next() % 3 == 0 { limits.messageBytes = 2 }
        if random.next() % 4 == 0 { limits.pendingRequests = 1 }
        var steps: [Talk.Step] = []
        for _ in 0..<(1 + random.next() % 12) {
            let side: Side = random.next() % 2 == 0 ? .client : .server
            let texts = side == .client ? requests : chunks && random.next() % 3 != 0 ? chunked : answers
            switch random.next() % 10 {
            case 0: steps.append(.gap(side, Int(random.next() % 40) + 1, random.next() % 2 == 0 ? .missing : .truncated))
            case 1: steps.append(.bytes(side, (0..<random.next() % 20).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
            default:
                var bytes = Array(texts[Int(random.next() % UInt64(texts.count))].utf8)
                if random.next() % 4 == 0 { bytes.removeLast(min(bytes.count, Int(random.next() % 9))) }
                if random.next() % 4 == 0, !bytes.isEmpty {
                    bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
                }
                steps.append(.bytes(side, bytes))
            }
        }
        if random.next() % 2 == 0 { steps.append(.finish(random.next() % 2 == 0 ? .client : .server)) }
        let isMidstream = random.next() % 3 == 0
        return Talk(steps, start: isMidstream ? .midstream : .handshake, forced: .http, limits: limits)
    }

    @Test(arguments: 0..<40) func cuttingChangesNothing(_ block: UInt64) {
        for seed in block * 50..<(block + 1) * 50 {
            let talk = Self.talk(seed: seed, chunks: true)
            let told = talk.transcript()
            for cutting in [Talk.Cutting.bytewise, .random(seed: seed)] where talk.transcript(cutting) != told {
                Issue.record("seed \(seed)\n\(talk.steps)\n\(talk.difference(from: told) ?? "")")
                return
            }
        }
    }

    @Test(arguments: 0..<20) func everyByteIsAccountedForOnce(_ block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            let talk = Self.talk(seed: seed, chunks: true)
            var sink = Accounts()
            Self.run(talk, into: &sink)
            if !sink.faults.isEmpty {
                Issue.record("seed \(seed) \(sink.faults)\n\(talk.steps)\n\(talk.transcript().joined(separator: "\n"))")
                return
            }
        }
    }

    private static func run<Sink: ConversationSink & ~Copyable>(_ talk: Talk, into sink: inout Sink) {
        let place = Place(time: Timestamp(nanoseconds: 0))
        var conversation = Conversation(
            number: 1, first: Endpoint(address: IPAddress(ipv4: 1), port: 50_000), second: Endpoint(address: IPAddress(ipv4: 2), port: 80),
            sideOfFirst: .client, start: talk.start, forced: talk.forced.map { DecodeRule(port: 80, layer: $0) }, limits: talk.limits,
            place: place)
        conversation.open(sink: &sink)
        for step in talk.steps {
            let direction: Direction = step.side == .client ? .first : .second
            switch step {
            case .bytes(_, let bytes): conversation.receive(.bytes(bytes.rawBytes), direction: direction, place: place, sink: &sink)
            case .gap(_, let length, let cause):
                conversation.receive(.gap(length: UInt64(length), cause: cause), direction: direction, place: place, sink: &sink)
            case .finish: conversation.receive(.finished, direction: direction, place: place, sink: &sink)
            case .reset: conversation.receive(.reset, direction: direction, place: place, sink: &sink)
            }
        }
        conversation.close(.endOfCapture, sink: &sink)
    }

    /// Notes where each element lies.
    struct Accounts: ConversationSink {
        var bytes = ByteAccounts()
        var faults: [String] = []

        mutating func receive(_ event: borrowing ConversationEvent) {
            if case .closed(let closing) = event.fact, let fault = bytes.fault(closing) { faults.append(fault) }
            if let fault = bytes.take(event) { faults.append(fault) }
        }
    }
}
