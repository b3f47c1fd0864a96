import Dissection
import Support
import Testing

@testable import Reports

/// A page to send: lines that open, and nothing of a peer as anything but text.
@Suite struct PageReportTests {
    private static func page(_ texts: [String], _ settings: PageSettings = PageSettings(), opcode: UInt8 = 1, kept: Int = .max) -> String {
        var page = PageReport(Output(), settings: settings)
        page.begin(CaptureSource(kind: .file, name: "/home/ana/<b>.pcap", tool: "unmask"))
        for text in texts {
            let bytes = Array(text.utf8)
            let length = UInt64(bytes.count)
            let fact = Fact.message(Message(opcode: opcode, length: length, wireLength: length, fragments: 1, compressed: false))
            page.receive(
                ConversationEvent(
                    conversation: 1, from: .client, place: Place(time: Timestamp(nanoseconds: 1_000_000_001)), offset: 0, fact: fact,
                    content: Array(bytes.prefix(kept)).rawBytes))
        }
        page.finish(Totals())
        return String(decoding: page.takeBytes(), as: UTF8.self)
    }

    private static func rows(_ page: String) -> [String] {
        let rows = page.components(between: "<main>\n", and: "</main>").split(separator: "\n").map { String($0) }
        return rows.filter { $0.contains("text ") || $0.contains("binary ") || $0.hasPrefix("<pre") }
    }

    @Test func `a short text is a line, which does not open`() {
        let words = Self.rows(Self.page(["hello"])).map { $0.split(separator: " ").joined(separator: " ") }
        let (time, sign) = (#"<span class="faint"> 00:00:01.000</span>"#, #"<span class="client"> &gt;</span>"#)
        #expect(words.count == 1 && words[0].hasSuffix("\(time)\(sign) text 5 B hello</p>"), "\(words)")
    }

    @Test func `a title has the name of the file, and not where it is`() {
        let page = Self.page([])
        #expect(page.contains("<title>&lt;b&gt;.pcap</title>") && !page.contains("ana"))
        #expect(page.contains("default-src 'none'; style-src 'sha256-") && !page.contains("script"))
    }

    @Test(arguments: [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"), ("</pre></details>", "&lt;/pre&gt;&lt;/details&gt;"),
        ("a&b\"c'd", "a&amp;b&quot;c&#39;d"), ("\u{1B}[31mred", "␛[31mred"), ("\u{202E}turned", #"\u{202e}turned"#),
    ]) func `what a peer says is text`(text: String, shown: String) {
        let page = Self.page([text, text + String(repeating: " more", count: 30)])
        let parts = page.components(between: "<main>", and: "</main>").split(separator: shown, omittingEmptySubsequences: false)
        #expect(parts.count == 4, "\(page)")
    }

    @Test func `a long text opens, JSON with a line for each value, bytes as a dump`() {
        let text = Self.page([String(repeating: "a ", count: 60) + "\nend"])
        #expect(text.contains("<details><summary>") && text.contains("a a \nend</pre>"))
        let json = Self.page([#"{"name":"ana","list":[1,{}],"empty":[],"more":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#])
        let indented = "{\n  &quot;name&quot;: &quot;ana&quot;,\n  &quot;list&quot;: [\n    1,\n    {}\n  ],\n  &quot;empty&quot;: [],\n"
        #expect(json.contains("<pre>" + indented), "\(json)")
        let bytes = Self.page(["\0\u{1}<" + String(repeating: "\u{7F}", count: 20)], opcode: 2)
        #expect(bytes.contains("<pre>000000  00 01 3c 7f 7f 7f 7f 7f  7f 7f 7f 7f 7f 7f 7f 7f  ..&lt;....."), "\(bytes)")
    }

    @Test func `what is cut says how much is missing, and without payloads nothing opens`() {
        #expect(Self.page([String(repeating: "x", count: 500)], kept: 100).contains("\n… 400 more bytes</pre>"))
        #expect(!Self.page([String(repeating: "x", count: 500)], PageSettings(payload: .none)).contains("<details>"))
    }

    @Test func `lines of the file beside those of what was said are those of its frame`() {
        let page = Self.page(["hello", "a\nb"])
        let inside = page.components(between: "<main>\n", and: "</main>")
        #expect(UInt64(page.count { $0 == "\n" }) == PageMarkup.frameLines + UInt64(inside.count { $0 == "\n" }))
    }

    @Test func `a page of some of a run says what is missing instead of the totals`() {
        var page = PageReport(Output(), settings: PageSettings())
        page.begin(CaptureSource(kind: .file, name: "x", tool: "unmask"))
        page.finish(saying: "the <end>")
        let text = String(decoding: page.takeBytes(), as: UTF8.self)
        #expect(text.contains("<footer>the &lt;end&gt;</footer>") && !text.contains("packets"))
    }
}

extension String {
    fileprivate func components(between first: String, and last: String) -> String {
        guard let start = firstRange(of: first), let end = self[start.upperBound...].firstRange(of: last) else { return "" }
        return String(self[start.upperBound..<end.lowerBound])
    }
}
