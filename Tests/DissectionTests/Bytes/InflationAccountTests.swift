import Dissection
import Support
import Testing

/// What all compressed bodies and messages of a conversation may become together.
@Suite struct InflationAccountTests {
    /// Counts instead of showing.
    private struct Counts: ConversationSink, ~Copyable {
        var told = 0
        var records = 0
        var length: UInt64 = 0
        var limitGaps: UInt64 = 0
        var findings: [String] = []

        mutating func receive(_ event: borrowing ConversationEvent) {
            switch event.fact {
            case .body(let body) where !body.encoding.isEmpty:
                told += body.payload.count
                length += body.length
                records += 1
            case .message(let message) where message.compressed:
                told += event.content.byteCount
                length += message.length
                records += 1
            case .gap(let gap) where gap.cause == .limit: limitGaps += gap.length
            case .finding(let finding): findings.append(finding.row.id)
            default: break
            }
        }
    }

    private func counts(_ steps: [Talk.Step]) -> Counts {
        var sink = Counts()
        let client = Endpoint(address: IPAddress(ipv4: 1), port: 50_000)
        let server = Endpoint(address: IPAddress(ipv4: 2), port: 80)
        let place = Place(time: Timestamp(nanoseconds: 0))
        var conversation = Conversation(
            number: 1, first: client, second: server, sideOfFirst: .client, start: .handshake, forced: nil, limits: Limits(), place: place)
        conversation.open(sink: &sink)
        for case .bytes(let side, let bytes) in steps {
            conversation.receive(.bytes(bytes.rawBytes), direction: side == .client ? .first : .second, place: place, sink: &sink)
        }
        conversation.close(.endOfCapture, sink: &sink)
        return sink
    }

    private func compressed(_ bytes: [UInt8]) -> [UInt8] { InflaterTests.deflate([bytes], windowBits: 15)[0] }

    /// The same body again and again.
    private func bodies(_ content: [UInt8], times: Int) -> [Talk.Step] {
        // The flush that ends a message of a WebSocket, and the end of the stream.
        let body = compressed(content) + [0, 0, 0xFF, 0xFF, 3, 0]
        let head = Array("HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
        return (0..<times).flatMap { _ in [.client("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), .server(head + body)] as [Talk.Step] }
    }

    private func messages(_ content: [UInt8], times: Int) -> [Talk.Step] {
        let offer =
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
        let answer =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
            + "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover\r\n\r\n"
        let frame = frame(2, compressed(content), rsv: 4)
        return [.client(offer), .server(answer)] + (0..<times).map { _ in .server(frame) }
    }

    private let zeros = [UInt8](repeating: 0, count: 60_000)

    /// Rows of JSON as a service sends them, which become 20 to 60 times as long.
    private let rows: [UInt8] = {
        var random = SplitMix(seed: 9)
        var text = "["
        for index in 0..<2_600 {
            text += "{\"id\":\(index),\"state\":\"delivered\",\"warehouse\":\"north\",\"carrier\":null,\"items\":[],\"weight\":0,\"n\":"
            text += "\(random.next() % 10)},"
        }
        return Array(text.utf8)
    }()

    @Test func manySmallBodiesAreHeldTogether() {
        let counts = counts(bodies(zeros, times: 80))
        #expect(counts.told <= Int(InflationAccount.freeBytes))
        #expect(counts.told > Int(InflationAccount.freeBytes) - 100_000)
        #expect(counts.findings == ["http.content-limit"])
        #expect(counts.records == 80 && counts.length == 4_800_000)
    }

    @Test func messagesAreHeldTogetherWithTheBodiesBeforeThem() {
        let counts = counts(bodies(zeros, times: 69) + messages(zeros, times: 4))
        #expect(counts.told <= Int(InflationAccount.freeBytes))
        #expect(counts.told > Int(InflationAccount.freeBytes) - 1_000)
        #expect(counts.findings == ["websocket.content-limit"])
        // Each has its record, with its true length.
        #expect(counts.records == 73 && counts.length == 73 * 60_000)
    }

    @Test func aLargeBodyBehindManySmallOnesBecomesAGap() {
        let large = [UInt8](repeating: 0, count: 400_000)
        let counts = counts(bodies(zeros, times: 70) + bodies(large, times: 2))
        #expect(counts.told <= Int(InflationAccount.freeBytes))
        #expect(counts.limitGaps > 0)
        #expect(counts.findings == ["http.content-limit"])
    }

    @Test func whatServicesSendIsNeverCut() {
        let ratio = rows.count / compressed(rows).count
        #expect((15...70).contains(ratio), "\(ratio)")
        let counts = counts(bodies(rows, times: 18) + messages(rows, times: 1))
        #expect(counts.told == 19 * rows.count && counts.told > Int(InflationAccount.freeBytes))
        #expect(counts.findings.isEmpty && counts.limitGaps == 0, "\(counts.findings)")
    }

    /// A body that a server sends bit by bit.
    private func stream(_ type: String, _ content: String) -> [Talk.Step] {
        let body = compressed(Array(content.utf8)) + [0, 0, 0xFF, 0xFF, 3, 0]
        let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Encoding: deflate\r\nTransfer-Encoding: chunked\r\n\r\n"
        let chunk = Array("\(String(body.count, radix: 16))\r\n".utf8) + body + Array("\r\n0\r\n\r\n".utf8)
        return [.client("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), .server(Array(head.utf8) + chunk)]
    }

    @Test(arguments: [("application/x-ndjson", "1\n"), ("text/event-stream", ":\n\n"), ("text/event-stream", "data: 1\r\n\r\n")])
    func elementsCountAsRecords(type: String, element: String) {
        let body = stream(type, String(repeating: element, count: 200_000))
        #expect(body.reduce(0) { if case .bytes(_, let bytes) = $1 { $0 + bytes.count } else { $0 } } < 6_000)
        let counts = counts(body + body + body)
        // Of the later bodies what comes before the bound is noticed.
        #expect(counts.records <= Int(InflationAccount.freeRecordBytes / InflationAccount.recordBytes) + 20, "\(counts.records)")
        #expect(counts.records >= 4_096)
        #expect(counts.findings == ["http.content-limit"] && counts.limitGaps > 1_000, "\(counts.limitGaps)")
    }

    @Test func elementsThatServicesSendAreNeverCut() {
        var random = SplitMix(seed: 4)
        var (events, lines) = ("", "")
        for index in 0..<20_000 {
            events += "data: {\"id\":\(index),\"delta\":\"\(random.next() % 10)\"}\n\n"
            lines += "\(random.next() % 1_000)\n"
        }
        for (type, content) in [("text/event-stream", events), ("application/x-ndjson", lines)] {
            let counts = counts(stream(type, content))
            #expect(counts.records == 20_001 && counts.told == content.utf8.count, "\(counts.records)")
            #expect(counts.findings.isEmpty && counts.limitGaps == 0, "\(counts.findings)")
        }
    }

    @Test func aBodyWithoutElementsIsToldAfterThoseWithTooMany() {
        let flood = stream("application/x-ndjson", String(repeating: "1\n", count: 200_000))
        let counts = counts(flood + bodies(rows, times: 1) + stream("text/event-stream", "data: a\n\ndata: b\n\n"))
        #expect(counts.told > rows.count + 18 && counts.findings == ["http.content-limit"])
    }

    @Test func theAccountGrowsWithWhatComes() {
        var account = InflationAccount()
        #expect(account.room(for: 0) == InflationAccount.freeBytes)
        account.add(InflationAccount.freeBytes, for: 1_000)
        #expect(account.room(for: 0) == 0)
        #expect(account.room(for: 100_000) == 101_000 * 100 - InflationAccount.freeBytes)
        account.add(.max, for: .max)
        #expect(account.room(for: .max) == 0)
    }
}
