import Dissection
import Support
import Testing

@testable import Reports

/// Logs that are told again: whose numbers they go on from, what they amount to, and what is given up for memory.
@Suite struct LogTellerTests {
    /// A sink that remembers who spoke and who was closed, and holds a number of bytes for each that is open.
    private struct Listener: ConversationSink {
        var seen: [UInt64] = []
        var closings: [(number: UInt64, closing: Closing)] = []
        var open: Set<UInt64> = []
        var bytesOfOne = 0

        var heldBytes: Int { open.count * bytesOfOne }

        mutating func receive(_ event: borrowing ConversationEvent) {
            seen.append(event.conversation)
            open.insert(event.conversation)
            guard case .closed(let closing) = event.fact else { return }
            open.remove(event.conversation)
            closings.append((event.conversation, closing))
        }
    }

    private static let most = UInt64.max

    private static func opened(_ number: UInt64) -> String {
        """
        {"kind":"opened","conversation":\(number),"time":"2026-11-20T21:48:00.000000000Z","client":{"address":"10.0.0.5","port":40000},\
        "server":{"address":"10.0.0.9","port":80},"transport":"tcp","start":"handshake","roles":"handshake"}
        """
    }

    private static func message(_ number: UInt64, second: Int = 1, packet: UInt64? = nil) -> String {
        """
        {"kind":"message","conversation":\(number),"time":"2026-11-20T21:48:0\(second).000000000Z","from":"client",\
        \(packet.map { "\"packets\":[\($0),\($0)]," } ?? "")"offset":100,"opcode":"text","length":2,"wireLength":2,"fragments":1,\
        "compressed":false,"text":"hi"}
        """
    }

    private static func closed(_ number: UInt64, bytes: UInt64 = 10) -> String {
        """
        {"kind":"closed","conversation":\(number),"by":"client","how":"fin","ends":{"client":"fin","server":"fin"},\
        "client":{"bytes":\(bytes),"messages":1,"frames":1,"missing":0},"server":{"bytes":0,"messages":0,"frames":0,"missing":0}}
        """
    }

    private static func end(_ counts: String) -> String { "{\"kind\":\"end\",\(counts),\"skipped\":{}}" }

    /// Tells logs, each as its lines, to one sink. Returns what the run amounts to, and what was wrong with lines.
    private static func tell(
        _ logs: [[String]], mostBytes: Int = .max, into listener: inout Listener
    ) -> (totals: Totals, problems: [String], numbers: Totals) {
        var teller = LogTeller(mostBytes: mostBytes)
        var dissected = Totals()
        var problems: [String] = []
        for log in logs {
            teller.begin(CaptureSource(kind: .file, name: "log", tool: "test"), after: dissected)
            for line in log {
                let outcome = teller.tell(Array(line.utf8).rawBytes, into: &listener) { _, _ in }
                if case .problem(let words) = outcome { problems.append(words) }
            }
            dissected.add(teller.finish())
        }
        return (teller.totals(with: dissected), problems, dissected)
    }

    /// A sink that remembers what was not finished.
    private struct MarkListener: ConversationSink {
        var marks: [String] = []

        mutating func receive(_ event: borrowing ConversationEvent) {
            switch event.fact {
            case .message(let message): marks.append("\(message.isUnfinished) \(message.announced.map { "\($0)" } ?? "-")")
            case .body(let part): marks.append("\(part.isUnfinished) \(part.announced.map { "\($0)" } ?? "-")")
            default: return
            }
        }
    }

    @Test(arguments: [
        ("", "false -"), (#","unfinished":true"#, "true -"),
        (#","unfinished":true,"announced":18446744073709551615"#, "true \(UInt64.max)"),
        (#","unfinished":false,"announced":3"#, "false -"), (#","unfinished":1"#, nil), (#","unfinished":true,"announced":"x""#, nil),
    ]) func `what was not finished is told so again`(keys: String, mark: String?) {
        let records = [
            #"{"kind":"message","conversation":1,"opcode":"text","length":2,"wireLength":2,"fragments":1,"compressed":false\#(keys),"text":"hi"}"#,
            #"{"kind":"message","conversation":1,"length":2,"wireLength":2,"framing":{"by":"lines"}\#(keys),"text":"hi"}"#,
            #"{"kind":"body","conversation":1,"length":2,"wireLength":2,"part":1,"final":true\#(keys),"text":"hi"}"#,
        ]
        for record in records {
            var listener = MarkListener()
            var teller = LogTeller(mostBytes: .max)
            teller.begin(CaptureSource(kind: .file, name: "log", tool: "test"), after: Totals())
            var isRefused = false
            let outcome = teller.tell(Array(record.utf8).rawBytes, into: &listener) { _, _ in }
            if case .problem = outcome { isRefused = true }
            #expect(isRefused == (mark == nil) && listener.marks == (mark.map { [$0] } ?? []), "\(record)")
        }
    }

    /// Of the log of a proxy that was killed, or still runs, what its records say; of one with an end, which has a part of its run, nothing.
    @Test func `conversations that are open at the end of a log are closed with what was said`() {
        func ends(_ logs: [[String]]) -> (numbers: [UInt64], messages: [UInt64], bytes: UInt64) {
            var (teller, listener, dissected) = (LogTeller(), Listener(), Totals())
            for log in logs {
                teller.begin(CaptureSource(kind: .file, name: "log", tool: "test"), after: dissected)
                for line in log { _ = teller.tell(Array(line.utf8).rawBytes, into: &listener) { _, _ in } }
                dissected.add(teller.finish())
            }
            teller.closeOpen(into: &listener)
            return (listener.closings.map(\.number), listener.closings.map(\.closing.client.messages), teller.totals(with: dissected).bytes)
        }
        let killed = [Self.capture(), Self.opened(1), Self.message(1), Self.opened(2), Self.message(2), Self.message(2), Self.closed(1)]
        #expect(ends([killed]) == ([1, 2], [1, 2], 112))
        // Another run follows in the same log, or in the next one, whose numbers go on after it.
        let appended = Self.capture(",\"appended\":true")
        let next = [appended, Self.opened(1), Self.message(1), Self.closed(1)]
        #expect(ends([killed + next]) == ([1, 2, 3], [1, 2, 1], 122))
        #expect(ends([killed, [Self.capture(), Self.opened(1), Self.closed(1)]]) == ([1, 2, 3], [1, 2, 1], 122))
        // The run goes on in the next log.
        let rotated = [Self.capture(",\"continued\":true"), Self.message(2), Self.closed(2, bytes: 200)]
        #expect(ends([killed, rotated]) == ([1, 2], [1, 1], 210))
        let end = Self.end("\"packets\":0,\"conversations\":2,\"messages\":3,\"findings\":0,\"bytes\":112")
        #expect(ends([killed + [end]]).numbers == [1])
        // What comes after an end opens nothing.
        #expect(ends([killed + [Self.message(1)]]).numbers == [1, 2])
    }

    @Test func `the totals of logs that claim the most there is stay there`() {
        var listener = Listener()
        let claim = Self.end("\"packets\":3,\"conversations\":1,\"messages\":\(Self.most),\"findings\":\(Self.most),\"bytes\":\(Self.most)")
        let log = [Self.opened(1), Self.message(1), claim]
        let (totals, problems, numbers) = Self.tell([log + log, log], into: &listener)
        #expect(problems.isEmpty)
        #expect(totals.messages == Self.most && totals.findings == Self.most && totals.bytes == Self.most)
        #expect(totals.conversations == 3 && totals.packets == 9 && numbers.conversations == 3)
        #expect(listener.seen == [1, 1, 2, 2, 3, 3])
    }

    @Test func `bytes of closings that are more than a number holds stay at the most`() {
        var listener = Listener()
        let log = [Self.opened(1), Self.closed(1, bytes: Self.most), Self.opened(2), Self.closed(2, bytes: 7)]
        #expect(Self.tell([log], into: &listener).totals.bytes == Self.most)
    }

    @Test func `a number after which nothing could be counted on is refused with its line`() {
        var listener = Listener()
        let log = [
            Self.message(Self.most), Self.message(1 << 63), Self.message(1), Self.message(2, packet: Self.most),
            Self.message(2).replacing("\"offset\"", with: "\"packets\":[9,3],\"offset\""),
            Self.end("\"packets\":1,\"conversations\":\(Self.most)"), Self.end("\"packets\":\(Self.most),\"conversations\":1"),
        ]
        let (totals, problems, numbers) = Self.tell([log, [Self.message(1 << 63 - 1), Self.message(5)]], into: &listener)
        #expect(
            problems == [
                "its \"conversation\" is too large", "its \"conversation\" is too large", "its \"packets\" is too large",
                "its \"packets\" end before they begin", "its \"conversations\" is too large", "its \"packets\" is too large",
                "its \"conversation\" is too large",
            ])
        #expect(listener.seen == [1, 6])
        #expect(totals.conversations == 2 && totals.messages == 2 && numbers.conversations == 6)
    }

    @Test func `the ignored conversations of a log are counted again`() {
        var listener = Listener()
        let log = [
            Self.opened(2), Self.closed(2),
            Self.end("\"packets\":9,\"conversations\":3,\"ignored\":2,\"messages\":4,\"findings\":0,\"bytes\":70"),
        ]
        let (totals, _, numbers) = Self.tell([log, log], into: &listener)
        #expect(totals.ignored == 4 && totals.conversations == 6 && totals.messages == 8 && totals.bytes == 140)
        #expect(numbers.conversations == 6 && listener.seen == [2, 2, 5, 5])
    }

    private static func capture(_ more: String = "") -> String {
        "{\"kind\":\"capture\",\"version\":1,\"tool\":\"t\",\"source\":{\"type\":\"proxy\",\"name\":\"p\"}\(more)}"
    }

    @Test func `runs that were joined without an end keep what is theirs`() {
        // Two were open when the first was killed; of the second one the conversations have the same numbers.
        let killed = [Self.capture(), Self.opened(1), Self.opened(2), Self.message(1), Self.message(2)]
        for joint in [[Self.capture()], [Self.capture(",\"appended\":true")], []] {
            var listener = Listener()
            let log = killed + joint + [Self.opened(1), Self.message(1), Self.opened(2), Self.message(2), Self.closed(2), Self.closed(1)]
            let (totals, problems, _) = Self.tell([log], into: &listener)
            #expect(problems.isEmpty && listener.seen == [1, 2, 1, 2, 1, 2, 3, 3, 4, 4, 4, 3], "\(joint): \(listener.seen)")
            #expect(totals.conversations == 4 && totals.messages == 4)
        }
        // The first file begins in the middle of its run: a number that it has not had is of the next run all the same.
        var listener = Listener()
        _ = Self.tell(
            [[Self.capture(), Self.message(5), Self.opened(9), Self.capture(), Self.opened(1), Self.message(1)]], into: &listener)
        #expect(listener.seen == [5, 9, 9, 10, 10])
        // Packets are counted on as well.
        listener = Listener()
        let packets = Self.tell(
            [
                [
                    Self.capture(",\"firstPacket\":1"), Self.message(1, packet: 7), Self.capture(",\"firstPacket\":1"),
                    Self.message(1, packet: 2),
                ]
            ],
            into: &listener)
        #expect(listener.seen == [1, 2] && packets.numbers.packets == 9)
    }

    @Test func `the files of one run that a rotation has separated are one`() {
        let rest = [Self.message(1), Self.opened(3), Self.message(3), Self.closed(1), Self.message(2)]
        for joint in [Self.capture(",\"continued\":true"), Self.capture()] {
            var listener = Listener()
            _ = Self.tell([[Self.capture(), Self.opened(1), Self.opened(2), joint] + rest], into: &listener)
            #expect(listener.seen == [1, 2, 1, 3, 3, 1, 2], "\(joint)")
        }
        // A conversation that is told late has a number of its own.
        var listener = Listener()
        _ = Self.tell(
            [[Self.capture(",\"firstPacket\":1"), Self.opened(2), Self.capture(",\"firstPacket\":1,\"continued\":true"), Self.opened(1)]],
            into: &listener)
        #expect(listener.seen == [2, 1])
    }

    @Test func `rotated logs that are read together are one run, and count once`() {
        let first = [Self.capture(), Self.opened(1), Self.message(1), Self.opened(2), Self.message(2), Self.closed(2)]
        let second = [Self.capture(",\"continued\":true"), Self.message(1), Self.opened(3), Self.message(3)]
        let third = [
            Self.capture(",\"continued\":true"), Self.message(3), Self.closed(1), Self.closed(3),
            Self.end("\"packets\":0,\"conversations\":3,\"messages\":5,\"findings\":0,\"bytes\":30"),
        ]
        var listener = Listener()
        let (totals, problems, numbers) = Self.tell([first, second, third], into: &listener)
        #expect(problems.isEmpty && listener.seen == [1, 1, 2, 2, 2, 1, 3, 3, 3, 1, 3] && listener.open.isEmpty)
        #expect(totals.conversations == 3 && totals.messages == 5 && totals.bytes == 30 && numbers.conversations == 3)
        // What is read after it is numbered on.
        listener = Listener()
        let more = Self.tell([first, second, third, [Self.capture(), Self.opened(1)]], into: &listener)
        #expect(listener.seen.last == 4 && more.totals.conversations == 4 && more.totals.bytes == 30)
        // A file without its `end`, as of a proxy that still runs.
        listener = Listener()
        let running = Self.tell([first, second], into: &listener)
        #expect(running.totals.conversations == 3 && running.totals.messages == 4 && running.numbers.conversations == 3)
    }

    @Test func `a log that goes on with the run of another proxy, or with none, is numbered on`() {
        let first = [Self.capture(), Self.opened(1), Self.message(1)]
        let rest = [Self.message(1), Self.opened(2)]
        func seen(_ logs: [[String]]) -> [UInt64] {
            var listener = Listener()
            _ = Self.tell(logs, into: &listener)
            return listener.seen
        }
        let other = Self.capture(",\"continued\":true").replacing("\"name\":\"p\"", with: "\"name\":\"other\"")
        #expect(seen([first, [Self.capture(",\"continued\":true")] + rest]) == [1, 1, 1, 2])
        #expect(seen([first, [Self.capture()] + rest]) == [1, 1, 1, 2, 3])
        #expect(seen([first, [other] + rest]) == [1, 1, 1, 2, 3])
        // The run of the first file has ended.
        let ended = first + [Self.end("\"packets\":0,\"conversations\":1,\"messages\":1,\"findings\":0,\"bytes\":0")]
        #expect(seen([ended, [Self.capture(",\"continued\":true")] + rest]) == [1, 1, 2, 3])
    }

    @Test func `rotated logs in the wrong order are noticed, and one of them alone is not`() {
        let first = [Self.capture(), Self.opened(1), Self.message(1)]
        let second = [Self.capture(",\"continued\":true"), Self.message(1)]
        let end = Self.end("\"packets\":0,\"conversations\":1,\"messages\":1,\"findings\":0,\"bytes\":0")
        func isNoticed(_ logs: [[String]]) -> Bool {
            var (teller, listener, dissected) = (LogTeller(), Listener(), Totals())
            for log in logs {
                teller.begin(CaptureSource(kind: .file, name: "log", tool: "test"), after: dissected)
                for line in log { _ = teller.tell(Array(line.utf8).rawBytes, into: &listener) { _, _ in } }
                dissected.add(teller.finish())
            }
            return teller.isOutOfOrder
        }
        #expect(isNoticed([second, first]))
        for logs in [[first, second], [second], [second, second], [second, first + [end]]] { #expect(!isNoticed(logs), "\(logs)") }
    }

    @Test func `certificates of both sides and the messages of TLS are told as they stood`() {
        let certificate = """
            [{"sha256":"\(String(repeating: "07", count: 32))","subject":"CN=app","issuer":"CN=Test CA","names":["a.example"],\
            "notBefore":"2026-01-01T00:00:00Z","notAfter":"2027-01-01T00:00:00Z"}]
            """
        let rest = "\"conversation\":1,\"time\":\"2026-11-20T21:48:00.000000000Z\",\"from\":\"server\",\"offset\":0"
        let log = [
            "{\"kind\":\"tls\",\(rest),\"secrets\":\"keylog\",\"certificates\":\(certificate),\"clientCertificates\":\(certificate)}",
            """
            {"kind":"data",\(rest),"length":9,"framing":"tls","decoded":{"as":"tls","type":"handshake","handshake":"KeyUpdate"}}
            """,
        ]
        var report = RecordReport(Output(), settings: RecordSettings())
        var teller = LogTeller(mostBytes: .max)
        teller.begin(CaptureSource(kind: .file, name: "log", tool: "test"), after: Totals())
        for line in [Self.opened(1)] + log { _ = teller.tell(Array(line.utf8).rawBytes, into: &report) { _, _ in } }
        let told = String(decoding: report.takeBytes(), as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(told.suffix(2) == log[...], "\(told)")
    }

    @Test func `a name of a cipher suite costs no more than its number`() {
        func cost(of cipher: String) -> Duration {
            let record = """
                {"kind":"tls","conversation":1,"time":"2026-11-20T21:48:00.000000000Z","version":"TLS 1.3","cipher":"\(cipher)","secrets":"missing"}
                """
            var listener = Listener()
            // The first one has the table made.
            _ = Self.tell([[record]], into: &listener)
            let log = [Self.opened(1)] + Array(repeating: record, count: 300)
            return ContinuousClock().measure { _ = Self.tell([log], into: &listener) }
        }
        let number = cost(of: "0x1301")
        // Trying 65,536 numbers a record takes hundreds of times as long.
        for name in ["TLS_AES_128_GCM_SHA256", "TLS_NO_SUCH_SUITE"] { #expect(cost(of: name) < number * 30, "\(name)") }
    }

    @Test func `numbers that were seen are kept in few ranges`() {
        var generator = SplitMix(seed: 3)
        var (seen, all) = (SeenNumbers(), Set<UInt64>())
        for _ in 0..<3_000 {
            let number = UInt64.random(in: 1...4_000, using: &generator)
            #expect(seen.contains(number) == all.contains(number))
            seen.insert(number)
            all.insert(number)
        }
        #expect((0...4_001).allSatisfy { seen.contains($0) == all.contains($0) })
        var sparse = SeenNumbers()
        for number in stride(from: UInt64(1), to: 100_001, by: 2) { sparse.insert(number) }
        sparse.insert(.max)
        #expect(sparse.contains(.max) && sparse.contains(99_999) && !sparse.contains(99_998) && sparse.contains(2) && !sparse.contains(0))
    }

    @Test func `a part of a run amounts to what is in it, and its numbers are left to it`() {
        let all = Self.end("\"packets\":90,\"conversations\":8,\"messages\":40,\"findings\":3,\"bytes\":7000")
        // The second file of two: conversation 3 goes on, 7 and 8 begin.
        let part = [
            Self.message(3, packet: 70), Self.opened(7), Self.message(7, packet: 75), Self.closed(7), Self.opened(8),
            Self.message(8, packet: 81), Self.closed(8), Self.closed(3), all,
        ]
        var listener = Listener()
        let (totals, problems, numbers) = Self.tell([part, [Self.opened(1)]], into: &listener)
        #expect(problems.isEmpty)
        #expect(totals.conversations == 4 && totals.messages == 3 && totals.findings == 0 && totals.bytes == 30)
        #expect(totals.packets == 12)
        #expect(numbers.conversations == 9 && listener.seen.last == 9)
        // A log that holds the totals alone has them of all.
        let alone = Self.tell([[all]], into: &listener).totals
        #expect(alone.conversations == 8 && alone.messages == 40 && alone.packets == 90)
    }

    @Test func `conversations that never close are given up, the least recently used first, and come again when they speak`() throws {
        var listener = Listener(bytesOfOne: 1_000)
        // The first keeps speaking.
        let lines = (2...400).flatMap { [Self.opened($0), Self.message(1), Self.message($0, second: 3)] }
        let (totals, _, _) = Self.tell(
            [[Self.opened(1)] + lines + [Self.message(2, second: 4), Self.closed(2)]], mostBytes: 100_000, into: &listener)
        let evicted = listener.closings.filter { $0.closing.how == .evicted }
        #expect(evicted.count > 250 && evicted.first?.number == 2)
        #expect(evicted.map(\.number) == evicted.map(\.number).sorted() && !evicted.contains { $0.number == 1 })
        let closing = try #require(evicted.first?.closing)
        #expect(closing.by == .unknown && closing.duration == 3_000_000_000)
        #expect(closing.client.messages == 1 && closing.client.frames == 1 && closing.client.bytes == 102)
        #expect(listener.open.count < 100)
        #expect(listener.seen.suffix(2) == [2, 2] && listener.closings.last?.closing.how == .fin)
        #expect(totals.conversations == 400)
    }

    @Test func `a sink whose tables do not become smaller does not cost all conversations`() {
        var listener = Listener(bytesOfOne: 1_000)
        var teller = LogTeller(mostBytes: 100_000)
        teller.reservedBytes = 1 << 20
        teller.begin(CaptureSource(kind: .file, name: "log", tool: "test"), after: Totals())
        for number in 1...200 as ClosedRange<UInt64> {
            _ = teller.tell(Array(Self.opened(number).utf8).rawBytes, into: &listener) { _, _ in }
        }
        // What is too much from the beginning is no reason to give up each that comes.
        teller.reservedBytes = 1 << 20
        let given = listener.closings.count
        for _ in 0..<100 { _ = teller.tell(Array(Self.message(200).utf8).rawBytes, into: &listener) { _, _ in } }
        #expect(listener.closings.count == given && !listener.open.isEmpty)
    }

    @Test func `the keys that a log is read for are those of the table of fields`() {
        let keys = FieldTable.keysOfRecords.map { String(decoding: $0, as: UTF8.self) }
        for key in ["kind", "conversation", "packets", "text", "base64", "headers", "ends", "skipped", "ignored"] {
            #expect(keys.contains(key))
        }
        for key in ["", "port", "address", "clientTakeover"] { #expect(!keys.contains(key)) }
    }
}
