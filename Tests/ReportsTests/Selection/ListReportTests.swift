import Dissection
import Foundation
import Reports
import Testing

/// The list of conversations.
@Suite struct ListReportTests {
    private static func list(_ settings: ListSettings, _ talk: (inout Dialogue<ListReport>) -> Void = many) -> String {
        var settings = settings
        settings.zone = .utc
        var dialogue = Dialogue(ListReport(Output(), settings: settings))
        talk(&dialogue)
        var totals = Totals()
        totals.conversations = 3
        dialogue.report.finish(totals)
        return String(decoding: dialogue.report.takeBytes(), as: UTF8.self)
    }

    /// Three conversations: a chat, an exchange that was cut off, and one in which nothing came and that has no end.
    private static func many(_ dialogue: inout Dialogue<ListReport>) {
        chat(&dialogue, 1)
        dialogue.conversation = 2
        dialogue.say(5_000, nil, .opened(RecordScript.opening))
        dialogue.request(5_001, ("GET", "/a,\"b\"?x=\u{1b}[31m", "HTTP/1.1"), "Host: shop.example\r\n")
        dialogue.finding(5_002, .client, FindingRow(id: "http.note", severity: .note, reference: "", detail: "", explanation: ""))
        var client = SideTotals()
        client.bytes = 2_000_000
        dialogue.say(5_003, nil, .closed(Closing(by: .server, how: .reset, duration: 3_000_000, client: client)))
        dialogue.conversation = 3
        dialogue.say(6_000, nil, .opened(RecordScript.opening))
    }

    private static func chat(_ dialogue: inout Dialogue<ListReport>, _ number: UInt64) {
        dialogue.conversation = number
        dialogue.say(0, nil, .opened(RecordScript.opening))
        dialogue.request(0, ("GET", "/room/7", "HTTP/1.1"), "Host: chat.example\r\n")
        dialogue.message(10, .client, Array("hello".utf8))
        dialogue.finding(11, .client, RecordScript.badText)
        var (client, server) = (SideTotals(), SideTotals())
        (client.bytes, client.messages, server.bytes, server.messages) = (3_400, 12, 120_000, 1)
        dialogue.say(
            4_203, nil, .closed(Closing(by: .server, how: .closeFrame, code: 1007, duration: 4_203_000_000, client: client, server: server))
        )
    }

    private static func numbers(_ text: String) -> [String] {
        text.split(separator: "\n").dropFirst().compactMap { $0.split(separator: " ").first.map(String.init) }.filter { Int($0) != nil }
    }

    @Test func `a line has who, what, how much, how it ended and what was found`() {
        let text = Self.list(ListSettings())
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 7 && lines[4].isEmpty && lines[5] == "3 conversations", "\(text)")
        let words = lines[1].split(separator: " ").joined(separator: " ")
        #expect(
            words
                == "1 21:48:00.123 10.0.0.5:51422 chat.example WebSocket 13 123 kB 4.2 s 1007 server websocket.utf8-invalid /room/7",
            "\(text)")
        #expect(lines[2].contains("1 req") && lines[2].contains("RST server") && lines[2].contains("http.note"), "\(text)")
        // What a stranger wrote does nothing to the terminal.
        #expect(lines[2].hasSuffix("/a,\"b\"?x=␛[31m"), "\(text)")
        #expect(lines[3].contains(" TCP ") && lines[3].contains(" open"), "\(text)")
    }

    @Test(arguments: [40, 60, 80, 100, 120, 160, 200]) func `no line is wider than the terminal`(_ width: Int) {
        let text = Self.list(ListSettings(width: width))
        for line in text.split(separator: "\n") { #expect(line.count <= width, "\(line)") }
        #expect(Self.numbers(text).prefix(3) == ["1", "2", "3"], "\(text)")
        if width >= 80 {
            for word in ["chat.example ", " 1007 server ", " /room/7"] { #expect(text.contains(word), "\(text)") }
        }
    }

    @Test(arguments: [80, 100, 120, 160]) func `headings and numbers do not run into each other`(_ width: Int) {
        let lines = Self.list(ListSettings(width: width)).split(separator: "\n")
        let words = lines[0].split(separator: " ").map(String.init)
        for known in ["no", "time", "server", "bytes", "ended", "path"] { #expect(words.contains(known), "\(lines[0])") }
        #expect(words.contains("msgs") || words.contains("messages"), "\(lines[0])")
        // The second line has the number of a request after the name of a protocol, and a size after that.
        let second = lines[2].split(separator: " ").joined(separator: " ")
        #expect(second.contains(" HTTP 1 req 2.0 MB 3.0 ms RST server "), "\(lines[2])")
    }

    @Test(arguments: [
        (ListSettings.Order.time, ["1", "2", "3"]), (.bytes, ["2", "1", "3"]), (.duration, ["1", "2", "3"]), (.messages, ["1", "2", "3"]),
    ])
    func `it is sorted, the greatest first but for the time`(_ order: ListSettings.Order, _ numbers: [String]) {
        #expect(Self.numbers(Self.list(ListSettings(order: order))).prefix(3).elementsEqual(numbers))
    }

    @Test func `what there is no memory to sort is listed as it ends, and that is said`() {
        var settings = ListSettings(order: .bytes)
        settings.keptBytes = 5_000
        let text = Self.list(settings) { for number in 1...100 as ClosedRange<UInt64> { Self.chat(&$0, number) } }
        #expect(Self.numbers(text).prefix(100).elementsEqual((1...100).map { "\($0)" }), "\(text)")
        #expect(text.contains("not sorted: there was no room for all of them; more --memory sorts more\n"), "\(text)")
    }

    @Test func `records have one key for each value that there is`() throws {
        let lines = Self.list(ListSettings(form: .records)).split(separator: "\n")
        #expect(lines.count == 3)
        let first = try #require(JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
        #expect(
            Set(first.keys) == [
                "conversation", "time", "client", "server", "host", "protocol", "path", "requests", "clientMessages", "serverMessages",
                "clientBytes", "serverBytes", "duration", "ended", "by", "code", "findings", "worst", "severity",
            ])
        #expect(
            first["duration"] as? Double == 4.203 && first["code"] as? Int == 1007
                && first["time"] as? String == "2026-11-20T21:48:00.123456789Z")
        let last = try #require(JSONSerialization.jsonObject(with: Data(lines[2].utf8)) as? [String: Any])
        #expect(last["host"] == nil && last["worst"] == nil && last["ended"] as? String == "end-of-capture")
    }

    @Test func `CSV has a heading, and quotes where they are needed`() {
        let lines = Self.list(ListSettings(form: .commaSeparated)).components(separatedBy: "\r\n")
        #expect(lines.count == 5 && lines[4].isEmpty)
        #expect(lines[0].hasPrefix("conversation,time,client,server,host,protocol,path,"))
        #expect(
            lines[2].contains(",shop.example,HTTP,\"/a,\"\"b\"\"?x=\u{1b}[31m\",1,0,0,2000000,0,0.003,reset,server,,1,http.note,note"),
            "\(lines)")
        #expect(lines[3].components(separatedBy: ",").count == 19, "\(lines[3])")
    }
}
