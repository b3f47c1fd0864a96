import Dissection
import Reports
import Testing

/// Lines that wait for their block take bounded memory, and none of them is lost.
@Suite struct WaitingLinesTests {
    typealias Script = RecordScript

    @Test func `a long block is printed in parts`() {
        var settings = TextSettings()
        settings.blockBytes = 2_000
        let shown = Dialogue.text(settings) {
            $0.say(0, nil, .opened(Script.opening))
            for turn in 0..<100 { $0.message(Int64(turn), .client, "message \(turn)".bytes) }
            $0.say(200, nil, .closed(Closing(by: .client, how: .fin)))
        }
        let headings = shown.split(separator: "\n").filter { $0.hasPrefix(" 1") }
        #expect(headings.count > 1)
        #expect(headings[0].hasPrefix(" 1  10.0.0.5:51422 > "))
        #expect(headings.dropFirst().allSatisfy { $0.hasPrefix(" 1 (continued)  10.0.0.5:51422 > ") })
        for turn in 0..<100 { #expect(shown.contains("  message \(turn)\n")) }
    }

    @Test func `over all, the oldest goes first`() {
        var settings = TextSettings()
        settings.totalBytes = 20_000
        var dialogue = Dialogue(TextReport(Output(), settings: settings))
        var shown = ""
        var highest = 0
        for round in 0..<40 {
            for number in 1...20 as ClosedRange<UInt64> {
                dialogue.conversation = number
                if round == 0 { dialogue.say(0, nil, .opened(Script.opening)) }
                dialogue.message(Int64(round), .client, "round \(round) of \(number).".bytes)
                highest = max(highest, dialogue.report.waitingBytes)
                let more = String(decoding: dialogue.report.takeBytes(), as: UTF8.self)
                if shown.isEmpty, !more.isEmpty { #expect(more.hasPrefix(" 1  "), "the first that began to wait") }
                shown += more
            }
        }
        #expect(highest <= 20_000)
        #expect(highest > 10_000)
        dialogue.report.finish(Totals())
        #expect(dialogue.report.waitingBytes == 0)
        shown += String(decoding: dialogue.report.takeBytes(), as: UTF8.self)
        for number in 1...20 {
            for round in 0..<40 { #expect(shown.contains("  round \(round) of \(number).\n")) }
        }
    }

    @Test func `closed conversations leave nothing behind`() {
        var dialogue = Dialogue(TextReport(Output()))
        for number in 1...500 as ClosedRange<UInt64> {
            dialogue.conversation = number
            dialogue.chat()
            #expect(dialogue.report.waitingBytes == 0)
            #expect(dialogue.report.takeBytes().count > 500)
        }
    }

    @Test(arguments: [false, true]) func `conversations that have only opened take little memory, and lose nothing by it`(follows: Bool) {
        var settings = TextSettings()
        settings.follows = follows
        var dialogue = Dialogue(TextReport(Output(), settings: settings))
        for number in 1...10_000 as ClosedRange<UInt64> {
            dialogue.conversation = number
            dialogue.say(0, nil, .opened(Script.opening))
        }
        #expect(dialogue.report.heldBytes < 10_000 * 128)
        _ = dialogue.report.takeBytes()
        // One speaks, another ends, and the place of each is taken by one that comes later.
        dialogue.conversation = 5_000
        dialogue.message(1, .client, "hello".bytes)
        dialogue.conversation = 7_000
        dialogue.say(2, nil, .closed(Closing(by: .client, how: .fin)))
        dialogue.conversation = 10_001
        dialogue.say(3, nil, .opened(Script.opening))
        for number in [5_000, 10_001] as [UInt64] {
            dialogue.conversation = number
            dialogue.say(4, nil, .closed(Closing(by: .client, how: .fin)))
        }
        let shown = String(decoding: dialogue.report.takeBytes(), as: UTF8.self)
        #expect(shown.contains("hello\n"))
        #expect(shown.split(separator: "closed by the client (FIN)").count == 4)
        if !follows { for number in [5_000, 7_000, 10_001] { #expect(shown.contains("\(number)  10.0.0.5:51422 > ")) } }
        // Their times are counted from when they opened.
        if !follows { #expect(shown.contains(" 0.001")) }
    }

    @Test func `what is still open at the end is printed`() {
        let shown = Dialogue.text {
            $0.say(0, nil, .opened(Script.opening))
            $0.message(1, .server, "last word".bytes)
            $0.report.finish(TextReportTests.totals())
        }
        #expect(shown.contains("last word\n\n1 conversation, "))
    }
}
