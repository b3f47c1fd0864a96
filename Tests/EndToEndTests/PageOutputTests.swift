import Foundation
import Support
import Testing

/// `--format html`: the conversations as a page to send, read back by a parser that we did not write.
@Suite struct PageOutputTests {
    /// Holds the lines of a page against those of the text, and looks for anything but them in it.
    private static let comparison = """
        import html.parser, re, sys

        ATTRIBUTES = {"class", "lang", "charset", "http-equiv", "content", "name"}
        TAGS = {"html", "head", "meta", "title", "style", "body", "header", "h1", "p", "span", "main", "details", "summary", "pre", "footer"}

        class Reader(html.parser.HTMLParser):
            def __init__(self):
                super().__init__()
                self.open, self.lines, self.payloads = [], [], 0

            def handle_starttag(self, tag, attributes):
                assert tag in TAGS and {name for name, _ in attributes} <= ATTRIBUTES, (tag, attributes)
                if tag != "meta":
                    self.open.append(tag)
                if tag in ("p", "summary"):
                    self.lines.append("")
                self.payloads += tag == "pre"

            def handle_endtag(self, tag):
                assert self.open.pop() == tag, tag

            def handle_data(self, data):
                if "p" in self.open or "summary" in self.open:
                    self.lines[-1] += data

        page = open(sys.argv[1], newline="", encoding="utf-8").read()
        reader = Reader()
        reader.feed(page)
        reader.close()
        assert reader.open == [], reader.open
        said = re.compile(r" [<>]  (#\\d+ )?(text|binary|message|ping|pong|close|data) ")
        wanted = [line for line in open(sys.argv[2], encoding="utf-8").read().splitlines() if said.search(line)]
        found = [line for line in reader.lines if said.search(line)]
        assert found == wanted, (len(found), len(wanted), [pair for pair in zip(found, wanted) if pair[0] != pair[1]][:3])
        print(len(found), reader.payloads)
        """

    @Test(arguments: GoldenTests.names)
    func `a page has the lines of the text, and nothing that a browser would do anything for`(name: String) throws {
        guard PeerProgram.has("python3") else { return print("skipped: pages in Python: python3 is missing") }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (page, text) = (folder.appendingPathComponent("talk.html"), folder.appendingPathComponent("talk.txt"))
        let capture = GoldenTests.capture(name)
        let written = try UnmaskProcess.run(["read", "--format", "html", "--utc", capture])
        try written.output.write(to: page)
        let shown = try UnmaskProcess.run(["read", "--follow", "--utc", capture], environment: ["COLUMNS": "200"])
        try shown.output.write(to: text)
        let compared = try UnmaskProcess.run(["python3", "-c", Self.comparison, page.path, text.path], through: "/usr/bin/env")
        #expect(compared.status == 0 && written.status == shown.status, "\(compared.errors)")
    }

    @Test func `a page is one whole, which nothing is added to, and counts its lines`() throws {
        let outcome = try UnmaskProcess.run(["read", "--append", "--log", "x.html", GoldenTests.capture("chromium-websocket")])
        #expect(outcome.status == 2 && outcome.errors.contains("x.html is one HTML page"), "\(outcome.errors)")
        let list = try UnmaskProcess.run(["list", "--format", "html", GoldenTests.capture("chromium-websocket")])
        #expect(list.status == 2 && list.errors.contains("A list is text, ndjson or csv"), "\(list.errors)")
    }

    @Test func `a filter picks the lines of a page, and a log that is a page has what is shown`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("talk.html")
        let arguments = ["-Y", "websocket.opcode == 2", GoldenTests.capture("chromium-websocket")]
        let shown = try UnmaskProcess.run(["read", "--format", "html"] + arguments)
        let beside = try UnmaskProcess.run(["read", "--log", file.path] + arguments)
        #expect(beside.status == 0)
        #expect(try Data(contentsOf: file) == shown.output)
        #expect(shown.text.contains("</span>  binary") && !shown.text.contains("</span>  ping"), "\(shown.text.suffix(2_000))")
    }
}
