import Dissection
import Foundation
import Reports
import Support
import Testing

/// What text and records show of a run where a filter picks events.
@Suite struct ShownPartTests {
    /// Picks the events whose content has a word in it, perhaps with what comes before.
    private final class WordFilter: EventFilter {
        private let word: [UInt8]
        let keptMessages: Int
        /// Without a word in it, an event is kept until one comes.
        private let keeps: Bool
        private let kinds: @Sendable (Fact) -> Bool

        init(_ word: String, keeping most: Int = 0, _ kinds: @escaping @Sendable (Fact) -> Bool = { _ in true }) {
            self.word = Array(word.utf8)
            keptMessages = most
            keeps = most > 0
            self.kinds = kinds
        }

        func accepts(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool {
            guard kinds(event.fact), event.content.byteCount >= word.count else { return false }
            return (0...event.content.byteCount - word.count).contains { start in
                word.indices.allSatisfy { event.content[start + $0] == word[$0] }
            }
        }

        func verdict(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> EventVerdict {
            if accepts(event, decoded) { return .show }
            guard keeps else { return .leaveOut }
            if case .message = event.fact { return .keepAsMessage }
            return .keep
        }
    }

    private static func settings(
        follows: Bool = false, _ word: String, keeping most: Int = 0, _ kinds: @escaping @Sendable (Fact) -> Bool = { _ in true }
    ) -> TextSettings {
        var settings = TextSettings(width: 100, follows: follows)
        settings.filter = FilterPlan { WordFilter(word, keeping: most, kinds) }
        return settings
    }

    private static func say(_ dialogue: inout Dialogue<TextReport>, _ conversation: UInt64, _ milliseconds: Int64, _ text: String) {
        dialogue.conversation = conversation
        dialogue.message(milliseconds, .client, Array(text.utf8))
    }

    private static func open(_ dialogue: inout Dialogue<TextReport>, _ conversation: UInt64) {
        dialogue.conversation = conversation
        dialogue.say(0, nil, .opened(RecordScript.opening))
    }

    private static func close(_ dialogue: inout Dialogue<TextReport>, _ conversation: UInt64) {
        dialogue.conversation = conversation
        var (client, server) = (SideTotals(), SideTotals())
        (client.bytes, client.messages, server.bytes) = (100, 4, 0)
        dialogue.say(9_000, nil, .closed(Closing(by: .client, how: .fin, duration: 9_000_000_000, client: client, server: server)))
    }

    /// Two conversations with four messages each, of which one has `hit` in its third.
    private static func talk(_ dialogue: inout Dialogue<TextReport>) {
        open(&dialogue, 1)
        open(&dialogue, 2)
        for (index, text) in ["one", "two", "hit", "four"].enumerated() {
            say(&dialogue, 1, Int64(index) * 10, text)
            say(&dialogue, 2, Int64(index) * 10 + 5, "other \(index)")
        }
        close(&dialogue, 1)
        close(&dialogue, 2)
        var totals = Totals()
        (totals.packets, totals.conversations, totals.messages, totals.bytes) = (12, 2, 8, 1_000)
        dialogue.report.finish(totals)
    }

    @Test func `a block has the lines that are picked, and one of which none is picked is not there`() {
        let text = Dialogue.text(Self.settings("hit"), Self.talk)
        #expect(
            text == """
                 1  10.0.0.5:51422 > 10.0.0.9:8080   WebSocket   2026-11-20 21:48:00.123 UTC
                    0.020  >  text       3 B  hit
                    closed by the client (FIN), after 9.0 s of silence; no Close frame, which apps see as code 1006
                    9.0 s, packets 1-11   > 4 messages 100 B   < 0 messages 0 B

                2 conversations, 12 packets, 1.0 kB, 8 messages, 0 findings
                1 of 8 messages in 1 of 2 conversations shown

                """, "\(text)")
    }

    @Test func `followed lines tell that a conversation opened when something of it is picked`() {
        let text = Dialogue.text(Self.settings(follows: true, "hit"), Self.talk)
        let lines = text.split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ") }
        #expect(
            lines.prefix(2) == [
                "1 21:48:00.123 = 10.0.0.5:51422 > 10.0.0.9:8080 opened on 2026-11-20 UTC", "1 21:48:00.143 > text 3 B hit",
            ], "\(text)")
        #expect(lines.count == 6 && lines[2].hasPrefix("1 21:48:09.123 = closed by the client"), "\(text)")
    }

    @Test(arguments: [(0, ["hit"]), (1, ["two", "hit"]), (2, ["one", "two", "hit"]), (.max, ["one", "two", "hit"])])
    func `as many messages as are wanted stand before a hit`(_ most: Int, _ shown: [String]) {
        for follows in [false, true] {
            let text = Dialogue.text(Self.settings(follows: follows, "hit", keeping: most), Self.talk)
            let words = text.split(separator: "\n").filter { $0.contains(">  text") }.compactMap {
                $0.split(separator: " ").last.map(String.init)
            }
            #expect(words == shown, "\(text)")
            #expect(text.contains("\n\(shown.count) of 8 messages in 1 of 2 conversations shown\n"), "\(text)")
        }
    }

    @Test func `groups of followed lines are told apart where something is left out between them`() {
        let text = Dialogue.text(Self.settings(follows: true, "hit", keeping: 1)) {
            Self.open(&$0, 1)
            for (index, word) in ["a", "hit 1", "b", "hit 2", "c", "d", "hit 3"].enumerated() { Self.say(&$0, 1, Int64(index), word) }
        }
        let words = text.split(separator: "\n").dropFirst().map {
            String($0.drop { $0 != "B" }.dropFirst().trimmingPrefix(while: { $0 == " " }))
        }
        #expect(words == ["a", "hit 1", "b", "hit 2", "", "d", "hit 3"], "\(text)")
    }

    @Test func `nothing that matches is said`() {
        let text = Dialogue.text(Self.settings("nowhere"), Self.talk)
        #expect(text == "\n2 conversations, 12 packets, 1.0 kB, 8 messages, 0 findings\nnothing matched\n", "\(text)")
    }

    @Test func `a body that comes in parts is shown with its line where one part is picked`() {
        for (word, isShown) in [("fghi", true), ("nowhere", false)] {
            let text = Dialogue.text(Self.settings(word)) {
                Self.open(&$0, 1)
                $0.response(0, 200, "OK", "", latency: 1_000_000)
                for (number, part) in [(1, "abcde"), (2, "fghij"), (3, "klm")] as [(UInt32, String)] {
                    $0.say(
                        10, .server,
                        .body(
                            BodyPart(
                                length: UInt64(part.utf8.count), wireLength: UInt64(part.utf8.count), part: number, final: number == 3,
                                payload: ByteRange(0..<part.utf8.count))), Array(part.utf8))
                }
                Self.close(&$0, 1)
            }
            #expect(text.contains("<  body      13 B") == isShown, "\(text)")
            #expect(text.contains("closed by the client") == isShown && !text.contains("200 OK"), "\(text)")
        }
    }

    @Test func `an upgrade stands in the line of its response where either is picked`() {
        for word in ["Switching", "chat.v2", "nowhere"] {
            let text = Dialogue.text(Self.settings(word) { if case .request = $0 { false } else { true } }) { $0.chat() }
            #expect(text.contains("101 Switching Protocols") == (word != "nowhere"), "\(text)")
            #expect(text.contains("chat.v2") == (word != "nowhere"), "\(text)")
            #expect(!text.contains("ping"), "\(text)")
        }
    }

    @Test func `what there is no memory for until a hit comes is said`() {
        var settings = Self.settings("hit", keeping: .max)
        settings.blockBytes = 2_000
        var dialogue = Dialogue(TextReport(Output(), settings: settings))
        Self.open(&dialogue, 1)
        for number in 0..<100 { Self.say(&dialogue, 1, Int64(number), "message \(number)") }
        Self.say(&dialogue, 1, 200, "hit")
        Self.close(&dialogue, 1)
        let text = String(decoding: dialogue.report.takeBytes(), as: UTF8.self)
        let lost = dialogue.report.keptLoss
        #expect(lost > 50 && lost < 100)
        #expect(text.contains("… \(lost) lines before this are not in memory any more\n"), "\(text)")
        #expect(!text.contains("message \(lost - 1)\n") && text.contains("message \(lost)\n") && text.contains("message 99\n"), "\(text)")
        #expect(dialogue.report.heldBytes < 20_000)
    }

    @Test func `of many conversations those that were kept for longest give way`() {
        var settings = Self.settings("hit", keeping: .max)
        settings.totalBytes = 100_000
        var dialogue = Dialogue(TextReport(Output(), settings: settings))
        for conversation in 1...2_000 as ClosedRange<UInt64> {
            Self.open(&dialogue, conversation)
            Self.say(&dialogue, conversation, 1, "message")
        }
        Self.say(&dialogue, 1, 2, "hit")
        Self.say(&dialogue, 2_000, 2, "hit")
        #expect(dialogue.report.keptLoss == 1)
        let text = { (dialogue: inout Dialogue<TextReport>) in
            dialogue.report.finish(Totals())
            return String(decoding: dialogue.report.takeBytes(), as: UTF8.self)
        }(&dialogue)
        #expect(text.contains("… 1 line before this is not in memory any more") && text.contains("message\n"), "\(text)")
    }

    @Test func `records are those that are picked, with those before them`() {
        func kinds(_ most: Int, _ layout: RecordSettings.Layout = .lines) -> [String] {
            var settings = RecordSettings(layout: layout)
            settings.filter = FilterPlan { WordFilter("hb-1", keeping: most) }
            var dialogue = Dialogue(RecordReport(Output(), settings: settings))
            dialogue.report.begin(RecordScript.source)
            dialogue.chat()
            dialogue.report.finish(Totals())
            let text = String(decoding: dialogue.report.takeBytes(), as: UTF8.self)
            if layout == .array { #expect(text.hasPrefix("[\n{") && text.hasSuffix("}\n]\n") && !text.contains(",\n,"), "\(text)") }
            return text.split(separator: "\n").compactMap { line in
                String(line).components(separatedBy: #""kind":""#).dropFirst().first.map { String($0.prefix { $0 != "\"" }) }
            }
        }
        #expect(kinds(0) == ["capture", "ping", "pong", "end"])
        #expect(kinds(1) == ["capture", "message", "ping", "pong", "end"])
        #expect(kinds(1, .array) == kinds(1))
        #expect(kinds(.max) == ["capture", "opened", "request", "response", "upgrade", "message", "message", "ping", "pong", "end"])
    }

    @Test func `a filter's need goes to the source of payloads`() {
        var settings = TextSettings(payload: .none)
        settings.filter = FilterPlan(soughtBytes: 5_000) { WordFilter("") }
        let outlet = Outlet(descriptor: -1)
        #expect(OutputPlan([.init(settings, as: .shown, to: outlet)]).payloadDemand == 5_000)
    }
}
