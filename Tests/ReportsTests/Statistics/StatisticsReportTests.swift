import Dissection
import Testing

@testable import Reports

/// What is counted of conversations, hosts and all.
@Suite struct StatisticsReportTests {
    /// A conversation with a WebSocket, a request with its response, and a silence of three seconds.
    private func tell(_ number: UInt64, host: String, to report: inout StatisticsReport) {
        func say(_ milliseconds: Int64, _ from: Side?, _ fact: Fact, _ content: [UInt8] = [], to report: inout StatisticsReport) {
            let time = Timestamp(nanoseconds: RecordScript.time.nanoseconds + milliseconds * 1_000_000)
            RecordScript.send(fact, content, conversation: number, from: from, at: time, to: &report)
        }
        say(0, nil, .opened(RecordScript.opening), to: &report)
        let (bytes, parts) = RecordScript.content("GET".bytes, "/a?b".bytes, "HTTP/1.1".bytes, "Host: \(host)\r\n".bytes)
        say(
            0, .client, .request(RequestHead(method: parts[0], target: parts[1], version: parts[2], fields: parts[3], exchange: 1)), bytes,
            to: &report)
        let (answer, ranges) = RecordScript.content("HTTP/1.1".bytes, "OK".bytes, "".bytes)
        say(
            20, .server,
            .response(ResponseHead(status: 200, version: ranges[0], reason: ranges[1], fields: ranges[2], latency: 20_000_000)),
            answer, to: &report)
        for (part, length) in [(1, 300), (2, 700)] as [(UInt32, UInt64)] {
            say(
                20, .server, .body(BodyPart(length: length, wireLength: length, part: part, final: part == 2, payload: ByteRange())),
                to: &report)
        }
        for index in 0..<10 as Range<Int64> {
            say(
                3_020 + index, .client,
                .message(Message(opcode: 1, length: 10, wireLength: 10, fragments: 1, compressed: false)), "0123456789".bytes, to: &report)
        }
        say(3_030, .server, .pong(Pong(roundTrip: 2_000_000, unsolicited: false)), to: &report)
        say(3_030, .client, .finding(Finding(RecordScript.badText)), to: &report)
        var closing = Closing(by: .client, how: .fin, duration: 3_030_000_000)
        (closing.client.bytes, closing.server.bytes) = (1_000, 2_000)
        say(3_030, nil, .closed(closing), to: &report)
    }

    @Test func `everything is counted once in each scope`() {
        var report = StatisticsReport()
        for number in 1...3 as ClosedRange<UInt64> { tell(number, host: number == 3 ? "b.example" : "a.example", to: &report) }
        let result = report.finish()
        #expect(result.conversations.map(\.number) == [1, 2, 3] && result.conversations.map(\.path) == ["/a", "/a", "/a"])
        #expect(result.hosts.map(\.host) == ["a.example", "b.example"] && result.hosts.map(\.statistics.conversations) == [2, 1])
        let total = result.total
        #expect(total.messages.client == 30 && total.requests == 3 && total.bytes == (3_000, 6_000))
        // Ten messages of 10 bytes and a body of 1,000.
        #expect(total.sizes.count == 33 && total.sizes.percentile(50) == 10 && total.sizes.most == 1_000)
        #expect(total.latencies.percentile(99) == 20_000_000 && total.roundTrips.count == 3)
        #expect(total.silence?.length == 3_000_000_000 && total.findingCount == 3 && total.worst == .violation)
        #expect(total.rate.values.reduce(0, +) == 36)
    }

    @Test("a conversation whose requests name several hosts is called by the first of them, with its path")
    func severalHosts() {
        var report = StatisticsReport()
        for (number, host, path) in [(1, "www.example", "/one"), (2, "cdn.example", "/two")] as [(UInt64, String, String)] {
            let (bytes, parts) = RecordScript.content("GET".bytes, path.bytes, "HTTP/1.1".bytes, "Host: \(host)\r\n".bytes)
            let head = RequestHead(method: parts[0], target: parts[1], version: parts[2], fields: parts[3], exchange: number)
            RecordScript.send(.request(head), bytes, conversation: 1, from: .client, to: &report)
        }
        let result = report.finish()
        #expect(result.conversations.map(\.host) == ["www.example"] && result.conversations.map(\.path) == ["/one"])
        #expect(result.hosts.map(\.host) == ["www.example"])
    }

    @Test func `the messages and requests of the rows come to those of the total`() {
        var report = StatisticsReport()
        for number in 1...3 as ClosedRange<UInt64> { tell(number, host: "h\(number)", to: &report) }
        let lines = String(decoding: report.finish().text([.total, .host, .conversation], width: nil), as: UTF8.self).split(separator: "\n")
        #expect(lines.contains("messages   30, 30 from clients, 0 from servers") && lines.contains("exchanges  3 requests, 3 responses"))
        for heading in ["HOST", "CONVERSATION"] {
            let rows = lines.drop { !$0.hasSuffix(heading) }
            #expect(rows.first?.hasPrefix("MESSAGES REQUESTS ") == true)
            let cells = rows.dropFirst().prefix(3).map { $0.split(separator: " ").prefix(2).map(String.init) }
            #expect(cells == [["10", "1"], ["10", "1"], ["10", "1"]], "\(heading)")
        }
    }

    @Test(arguments: [
        (["a.example", "a.example:443", "A.Example:8443"], ["a.example"]), (["a.example", "b.example"], ["a.example", "b.example"]),
        (["[::1]", "[::1]:80"], ["[::1]"]), (["a.example", "a.example:x"], ["a.example", "a.example:x"]),
    ]) func `a host is one row, with its ports and in any case`(asked: [String], rows: [String]) {
        var report = StatisticsReport()
        for (index, host) in asked.enumerated() { tell(UInt64(index + 1), host: host, to: &report) }
        let result = report.finish()
        #expect(result.hosts.map(\.host) == rows && result.conversations.map(\.host) == asked)
        #expect(result.hosts.reduce(0) { $0 + $1.statistics.conversations } == UInt64(asked.count))
    }

    @Test(arguments: [(100, 0), (103, 0), (101, 1), (200, 1)]) func `an interim response is none`(status: UInt16, responses: UInt64) {
        var statistics = ConversationStatistics()
        let head = ResponseHead(status: status, version: ByteRange(), reason: ByteRange(), fields: ByteRange(), latency: 20_000_000)
        statistics.note(
            ConversationEvent(
                conversation: 1, from: .server, place: Place(time: RecordScript.time), offset: 0, fact: .response(head), content: RawSpan())
        )
        #expect(statistics.responses == responses)
    }

    @Test func `messages of gRPC count, and what ends their body does not`() {
        var statistics = ConversationStatistics()
        func note(_ length: UInt64, _ part: UInt32, element: BodyPart.Element? = nil, final: Bool = false) {
            let body = BodyPart(length: length, wireLength: length, part: part, final: final, payload: ByteRange(), element: element)
            statistics.note(
                ConversationEvent(
                    conversation: 1, from: .server, place: Place(time: RecordScript.time), offset: 0, fact: .body(body), content: RawSpan())
            )
        }
        // One in two parts, one that ends the body, and one with trailers after it.
        note(65_536, 1)
        note(4, 2, element: .message)
        note(7, 3, element: .message, final: true)
        note(7, 1, element: .message)
        note(0, 2, final: true)
        #expect(statistics.messages == (0, 3) && statistics.rate.values.reduce(0, +) == 3)
        #expect(statistics.sizes.count == 3 && statistics.sizes.least == 7 && statistics.sizes.most == 65_540)
        // A body without content is one; events count as their body.
        note(0, 1, final: true)
        note(9, 1, element: .event)
        note(9, 2, element: .event, final: true)
        #expect(statistics.messages == (0, 3) && statistics.sizes.count == 5 && statistics.sizes.sum == 65_554 + 18)
    }

    @Test func `rows without room are summed up as others`() {
        var report = StatisticsReport(mostBytes: 1)
        for number in 1...50 as ClosedRange<UInt64> { tell(number, host: "h\(number)", to: &report) }
        #expect(report.heldBytes < 1_000)
        let result = report.finish()
        #expect(result.conversations.isEmpty && result.otherConversations.conversations == 50 && result.otherHosts.messages.client == 500)
        #expect(
            String(decoding: result.text([.host], width: nil), as: UTF8.self).contains(
                "others: 50 conversations that --memory has no rows for"))
    }

    @Test(arguments: [80, 120, 200]) func `text stays within the width of the terminal`(width: Int) {
        var report = StatisticsReport()
        tell(1, host: String(repeating: "long.", count: 40), to: &report)
        let text = String(decoding: report.finish().text([.total, .host, .conversation], width: width), as: UTF8.self)
        for line in text.split(separator: "\n") { #expect(line.count <= width, "\(line)") }
        #expect(text.contains("long.long"))
    }

    @Test func `of many rows those with most bytes are shown`() {
        var report = StatisticsReport()
        for number in 1...50 as ClosedRange<UInt64> { tell(number, host: "h\(number)", to: &report) }
        let result = report.finish()
        let text = String(decoding: result.text([.total, .host, .conversation], width: nil), as: UTF8.self)
        #expect(text.contains("30 more rows with fewer bytes; --by host shows all"))
        #expect(!String(decoding: result.text([.host], width: nil), as: UTF8.self).contains("more rows"))
    }
}
