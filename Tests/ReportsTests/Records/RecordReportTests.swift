import Dissection
import Foundation
import Reports
import Testing

@Suite struct RecordReportTests {
    typealias Script = RecordScript

    private func log(_ settings: RecordSettings, _ talk: (inout Dialogue<RecordReport>) -> Void) -> String {
        var dialogue = Dialogue(RecordReport(Output(), settings: settings))
        dialogue.report.begin(Script.source)
        talk(&dialogue)
        dialogue.report.finish(TextReportTests.totals())
        return String(decoding: dialogue.report.takeBytes(), as: UTF8.self)
    }

    private func kinds(_ log: String) -> [String] {
        log.split(separator: "\n").compactMap { $0.split(separator: "\"").dropFirst(3).first.map(String.init) }
    }

    @Test func `a whole log holds the schema, as lines and as one array`() throws {
        let lines = log(RecordSettings()) { $0.chat() }
        try LogSchema.check(lines)
        #expect(
            kinds(lines) == [
                "capture", "opened", "request", "response", "upgrade", "message", "message", "ping", "pong", "message", "finding", "gap",
                "close", "closed",
                "end",
            ])
        let array = log(RecordSettings(layout: .array)) { $0.chat() }
        try LogSchema.check(array)
        #expect(array == "[\n" + lines.split(separator: "\n").joined(separator: ",\n") + "\n]\n")
    }

    @Test func `an interrupted array is closed`() throws {
        var report = RecordReport(Output(), settings: RecordSettings(layout: .array))
        report.finish(Totals())
        let array = String(decoding: report.takeBytes(), as: UTF8.self)
        #expect(
            array == "[\n{\"kind\":\"end\",\"packets\":0,\"conversations\":0,\"messages\":0,\"findings\":0,\"bytes\":0,\"skipped\":{}}\n]\n"
        )
    }

    @Test func `one conversation can be picked, and findings about the input stay`() {
        let two = log(RecordSettings(conversations: ConversationSelection(2))) {
            $0.chat()
            $0.conversation = 2
            $0.message(1, .client, "x".bytes)
            $0.conversation = 0
            $0.finding(2, nil, Script.badText)
        }
        #expect(kinds(two) == ["capture", "message", "finding", "end"])
        #expect(two.contains(#""conversation":2"#) && !two.contains(#""conversation":1"#))
    }

    @Test func `the totals alone`() {
        #expect(kinds(log(RecordSettings(totalsAlone: true)) { $0.chat() }) == ["capture", "end"])
    }

    @Test func `times before 1970 and at the ends of what 64 bits hold`() {
        for (nanoseconds, text) in [
            (-1, "1969-12-31T23:59:59.999999999Z"), (0, "1970-01-01T00:00:00.000000000Z"), (.max, "2262-04-11T23:47:16.854775807Z"),
            (.min, "1677-09-21T00:12:43.145224192Z"), (1_709_164_800_000_000_001, "2024-02-29T00:00:00.000000001Z"),
            (4_107_542_399_999_999_999, "2100-02-28T23:59:59.999999999Z"), (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000000000Z"),
        ] as [(Int64, String)] {
            #expect(Script.record(.ping, at: Timestamp(nanoseconds: nanoseconds)).contains("\"time\":\"\(text)\""))
        }
    }

    @Test func `equal and stepping-back seconds`() {
        var dialogue = Dialogue(RecordReport(Output()))
        for milliseconds in [0, 1, 900, 876, 877, 0] as [Int64] { dialogue.say(milliseconds, .client, .ping) }
        let times = String(decoding: dialogue.report.takeBytes(), as: UTF8.self).split(separator: "\n").map {
            $0.split(separator: "T")[1].prefix(12)
        }
        #expect(times == ["21:48:00.123", "21:48:00.124", "21:48:01.023", "21:48:00.999", "21:48:01.000", "21:48:00.123"])
    }

    @Test func `integers of every length`() throws {
        for digits in 0..<20 {
            let number = UInt64("9876543210987654321".prefix(max(1, digits))) ?? 0
            for value in [number, UInt64.max - number] {
                #expect(
                    Script.record(.gap(Gap(length: value, cause: .limit)))
                        == #"{"kind":"gap","conversation":1,"length":\#(value),"cause":"limit"}"#)
            }
        }
    }
}
