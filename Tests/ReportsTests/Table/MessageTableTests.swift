import Dissection
import Support
import Testing

@testable import Reports

/// A table of messages: a row each, as RFC 4180 has it.
@Suite struct MessageTableTests {
    private static func message(_ text: String, opcode: UInt8 = 1, length: UInt64? = nil) -> (Fact, [UInt8]) {
        let bytes = Array(text.utf8)
        let length = length ?? UInt64(bytes.count)
        return (.message(Message(opcode: opcode, length: length, wireLength: length, fragments: 1, compressed: false)), bytes)
    }

    private static func table(_ facts: [(Fact, [UInt8])], _ settings: TableSettings = TableSettings()) -> String {
        var table = MessageTable(Output(), settings: settings)
        table.begin(CaptureSource(kind: .file, name: "x", tool: "unmask"))
        for (fact, content) in facts {
            table.receive(
                ConversationEvent(
                    conversation: 1, from: .client, place: Place(time: Timestamp(nanoseconds: 1_000_000_001), packets: PacketRange(7)),
                    offset: 0,
                    fact: fact, content: content.rawBytes))
        }
        table.finish(Totals())
        return String(decoding: table.takeBytes(), as: UTF8.self)
    }

    private static let heading =
        "conversation,time,from,kind,type,size,text,base64,truncated,decoded,redacted,packet,server,path\r\n"
    private static let start = "1,1970-01-01T00:00:01.000000001Z,client,"

    @Test func `without messages there is the heading`() { #expect(Self.table([]) == Self.heading) }

    @Test(arguments: [
        ("hello", "hello"), ("a,b", #""a,b""#), (#"say "hi""#, #""say ""hi""""#), ("two\r\nlines", "\"two\r\nlines\""), ("", ""),
        (#"""#, #""""""#), (" x", #"" x""#), ("=1+1", #""'=1+1""#), ("+1", #""'+1""#), ("-1", #""'-1""#), ("@A1", #""'@A1""#),
        ("\t=1", "\"'\t=1\""), ("\r=1", "\"'\r=1\""), ("\n=1", "\"'\n=1\""), ("a=1", "a=1"),
        ("＝1+1", "\"'＝1+1\""), ("＠A1", "\"'＠A1\""), ("￥1", "￥1"),
    ]) func `a text is a cell, and never a formula`(text: String, cell: String) {
        #expect(Self.table([Self.message(text)]) == Self.heading + Self.start + "message,text,\(text.utf8.count),\(cell),,,,,7,,\r\n")
    }

    @Test func `formulas stay where that is asked for`() {
        var settings = TableSettings()
        settings.guardsFormulas = false
        #expect(Self.table([Self.message("=1+1")], settings).hasSuffix("message,text,4,=1+1,,,,,7,,\r\n"))
    }

    @Test func `what is no text is base64, and what is cut says so`() {
        #expect(Self.table([Self.message("\u{0}\u{1}", opcode: 2)]).hasSuffix("message,binary,2,,AAE=,,,,7,,\r\n"))
        #expect(Self.table([Self.message("abc", length: 900)]).hasSuffix("message,text,900,abc,,true,,,7,,\r\n"))
        // A character is not cut in two.
        let settings = TableSettings(payload: .full(limit: 4))
        #expect(Self.table([Self.message("abcé")], settings).hasSuffix("message,text,5,abc,,true,,,7,,\r\n"))
    }

    @Test func `other things that are said have rows, and what was found has none`() {
        let rows = Self.table([
            (.ping, Array("p".utf8)), (.close(CloseFrame(code: 1_001)), Array("away".utf8)),
            (.data(DataRun(length: 3)), Array("raw".utf8)), (.finding(Finding(.linkTypeUnknown)), []),
        ])
        #expect(
            rows.split(separator: "\r\n").dropFirst().map { $0.dropFirst(Self.start.count) } == [
                "ping,,1,p,,,,,7,,", "close,1001,4,away,,,,,7,,", "data,,3,raw,,,,,7,,",
            ])
    }

    @Test(arguments: [
        ("Host: a.example\r\n", "a.example"), (":authority: a.example:8443\r\naccept: */*\r\n", "a.example:8443"),
        (":authority: a.example\r\nhost: b.example\r\n", "a.example"), ("x-host: b.example\r\n", "10.0.0.9:8080"),
    ]) func `the server is called as Host or :authority of the request call it`(fields: String, server: String) {
        let (bytes, parts) = RecordScript.content("GET".bytes, "/a".bytes, "HTTP/2".bytes, fields.bytes)
        let head = RequestHead(method: parts[0], target: parts[1], version: parts[2], fields: parts[3], exchange: 1)
        let rows = Self.table([(.opened(RecordScript.opening), []), (.request(head), bytes)])
        #expect(rows.hasSuffix("request,GET,\(bytes.count),/a,,,,,7,\(server),/a\r\n"))
    }
}
