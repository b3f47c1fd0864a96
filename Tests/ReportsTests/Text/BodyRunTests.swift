import Dissection
import Reports
import Testing

/// Bodies that come in parts.
@Suite struct BodyRunTests {
    typealias Script = RecordScript

    private func part(
        _ dialogue: inout Dialogue<TextReport>, _ milliseconds: Int64, _ number: UInt32, final: Bool = false, _ text: String = "abcdefgh",
        _ element: BodyPart.Element? = nil, trailers: String = ""
    ) {
        let (bytes, parts) = Script.content(text.bytes, trailers.bytes)
        dialogue.say(
            milliseconds, .server,
            .body(
                BodyPart(
                    length: UInt64(text.utf8.count), wireLength: UInt64(text.utf8.count), part: number, final: final, payload: parts[0],
                    trailers: parts[1], element: element)), bytes)
    }

    private func lines(_ settings: TextSettings = TextSettings(), _ talk: (inout Dialogue<TextReport>) -> Void) -> [String] {
        let all = Dialogue.text(settings) {
            $0.say(0, nil, .opened(Script.opening))
            $0.response(0, 200, "OK", "", latency: 1_000_000)
            talk(&$0)
            $0.say(60_000, nil, .closed(Closing(by: .client, how: .fin)))
        }.split(separator: "\n")
        return all.filter { $0.contains("  <  ") && !$0.contains("200 OK") || $0.contains("trailer") }.map(String.init)
    }

    @Test func `a download has one line, with its rate`() {
        let shown = lines {
            for number in 1...157 as ClosedRange<UInt32> { part(&$0, 10 + Int64(number) * 5, number, final: number == 157) }
        }
        #expect(shown == ["    0.795  <  body    1.3 kB, 1.6 kB/s          abcdefgh…"], "\(shown)")
    }

    @Test func `a slow one has one line in its block, and one each ten seconds where lines are followed`() {
        func talk(_ dialogue: inout Dialogue<TextReport>) {
            part(&dialogue, 100, 1, "first ")
            part(&dialogue, 9_000, 2, "second")
            part(&dialogue, 11_000, 3, "third")
            part(&dialogue, 11_100, 4, final: true, "fourth")
        }
        #expect(lines { talk(&$0) } == ["   11.100  <  body      23 B, 2 B/s    first …"], "\(lines { talk(&$0) })")
        var settings = TextSettings()
        settings.follows = true
        #expect(
            lines(settings, talk).map { $0.dropFirst(19) } == [
                "<  body      17 B, 1 B/s so far      first …", "<  body      23 B, 2 B/s    first …",
            ], "\(lines(settings, talk))")
    }

    @Test func `what came is shown before a gap, and at the end`() {
        let shown = lines {
            part(&$0, 100, 1)
            part(&$0, 101, 2)
            $0.say(102, .server, .gap(Gap(length: 10, cause: .missing)))
            part(&$0, 103, 3)
        }
        #expect(shown.count == 3 && shown[0].contains("16 B, 158 B/s so far"), "\(shown)")
        #expect(shown[1].contains("gap") && shown[2].contains("24 B, 233 B/s so far"), "\(shown)")
        // The end of one that began before.
        let rest = lines { part(&$0, 100, 3, final: true) }
        #expect(rest == ["    0.100  <  body       8 B, the rest          abcdefgh"], "\(rest)")
    }

    @Test func `a message in several parts has one line, with its whole size`() {
        let shown = lines {
            part(&$0, 100, 1, "12345678")
            part(&$0, 101, 2, "12345678")
            part(&$0, 102, 3, "the end", .message)
            part(&$0, 103, 4, "next", .message)
            part(&$0, 104, 5, final: true, "")
        }
        #expect(
            shown == [
                "    0.102  <  message   23 B, the last 7 B      the end", "    0.103  <  message    4 B  next",
                "    0.104  <  body      27 B, 2 messages in 104 ms",
            ], "\(shown)")
    }

    @Test func `each event of a stream has a line, and the stream one at its end`() {
        let shown = lines {
            part(&$0, 100, 1, "data: 1\n\n", .event)
            part(&$0, 101, 2, "data: 2\r\n\r\n", .event)
            part(&$0, 2_000, 3, final: true, "")
        }
        #expect(
            shown == [
                "    0.100  <  event      9 B  data: 1", "    0.101  <  event     11 B  data: 2",
                "    2.000  <  body      20 B, 2 events in 2.0 s",
            ], "\(shown)")
        let lone = lines { part(&$0, 100, 1, final: true, "{}\n", .line) }
        #expect(lone == ["    0.100  <  line       3 B  {}"], "\(lone)")
    }

    @Test func `comments of a stream are no events, and what has no end is shown`() {
        let shown = lines {
            part(&$0, 100, 1, ": keep\n\n", .comment)
            part(&$0, 101, 2, "data: 1\n\n", .event)
            part(&$0, 102, 3, "retry: 9\n\n", .field)
            part(&$0, 2_000, 4, final: true, "data: unfinished")
        }
        #expect(
            shown == [
                "    0.100  <  comment    8 B  : keep", "    0.101  <  event      9 B  data: 1", "    0.102  <  field     10 B  retry: 9",
                "    2.000  <  rest      16 B  data: unfinished", "    2.000  <  body      43 B, 1 event in 2.0 s",
            ], "\(shown)")
        // Line ends alone are nothing to see.
        let empty = lines {
            part(&$0, 100, 1, ": keep\n\n", .comment)
            part(&$0, 101, 2, final: true, "\n\n")
        }
        #expect(empty == ["    0.100  <  comment    8 B  : keep", "    0.101  <  body      10 B, 0 events in 101 ms"], "\(empty)")
    }

    @Test func `trailers stand under the line of the whole body`() {
        var settings = TextSettings()
        settings.showsHeaders = true
        let shown = lines(settings) {
            part(&$0, 100, 1)
            part(&$0, 101, 2, final: true, trailers: "X-Sum: 14\r\n")
        }
        #expect(shown.count == 2 && shown[0].contains("body      16 B, ") && shown[1].hasSuffix("trailer X-Sum: 14"), "\(shown)")
    }

    @Test func `what is kept of a body is bounded and given back`() {
        var dialogue = Dialogue(TextReport(Output()))
        dialogue.say(0, nil, .opened(Script.opening))
        dialogue.response(0, 200, "OK", "", latency: 1_000_000)
        let before = dialogue.report.heldBytes
        part(&dialogue, 1, 1, String(repeating: "a", count: 60_000))
        #expect(dialogue.report.heldBytes > before + 256 && dialogue.report.heldBytes < before + 2_000)
        part(&dialogue, 2, 2, final: true)
        #expect(dialogue.report.heldBytes < before + 2_000)
    }
}
