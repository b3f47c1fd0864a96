import Support
import Testing

@testable import Reports

/// Secrets that come in pieces.
@Suite struct RedactionBoundaryTests {
    /// What is left does not depend on where a text is cut.
    @Test(arguments: SecretScanTests.texts.map(\.0)) func `a secret is hidden wherever it is cut`(_ text: String) {
        let bytes = Array(("first line\n" + text + "\nlast line").utf8)
        let whole = Redacted.plain(Redacted.text([bytes]))
        for cut in 0...bytes.count {
            let parts = Redacted.plain(Redacted.text([Array(bytes[..<cut]), Array(bytes[cut...])]))
            #expect(parts == whole, "cut at \(cut)")
        }
        #expect(Redacted.plain(Redacted.text(bytes.map { [$0] })) == whole)
    }

    @Test(arguments: [
        (SecretScan.Setting.form, "a=1&password=hunter2&b=2"), (.commands, "USER ana\r\nPASS hunter2\r\nLIST\r\n"),
        (.commands, "*2\r\n$4\r\nAUTH\r\n$7\r\nhunter2\r\n*1\r\n"), (.commands, "a1 LOGIN ana hunter2\r\na2 LIST\r\n"),
    ])
    func `so are forms and commands`(_ setting: SecretScan.Setting, _ text: String) {
        let bytes = Array(text.utf8)
        let whole = Redacted.plain(Redacted.text([bytes], as: setting))
        #expect(!whole.contains("hunter2"))
        for cut in 0...bytes.count {
            #expect(Redacted.plain(Redacted.text([Array(bytes[..<cut]), Array(bytes[cut...])], as: setting)) == whole, "cut at \(cut)")
        }
        #expect(Redacted.plain(Redacted.text(bytes.map { [$0] }, as: setting)) == whole)
    }

    @Test(arguments: ["\"password\":\"", "token=", "Bearer 1", "eyJ", "<token>", "\"secret\":[\"", "{\"a\":\"{\\\"pin\\\":\\\""])
    func `what is longer than can be kept is hidden to its end`(_ opening: String) {
        let secret = [UInt8](repeating: 0x78, count: 40_000)
        let end = #""]"<, free"#
        let text = Array(opening.utf8) + secret + Array(end.utf8)
        for size in [1_000, 4_096, 5_000, 65_536] {
            let pieces = stride(from: 0, to: text.count, by: size).map { Array(text[$0..<min(text.count, $0 + size)]) }
            let left = Redacted.plain(Redacted.text(pieces))
            #expect(!left.contains("xxxx") && left.contains("free"), "\(size): \(left.prefix(300))")
            #expect(left.count { $0 == "◆" } <= 1)
        }
    }

    @Test(arguments: ["<credentials><u>a</u><p>", "<password><![CDATA[", "<token><!-- a -->"])
    func `so is an element with children that is longer`(_ opening: String) {
        let name = opening.prefix { $0 != ">" }.dropFirst()
        let text = Array((opening + String(repeating: "x", count: 40_000) + "<q>xx</q>]]>xx</\(name)>, free").utf8)
        for size in [1, 1_000, 4_096, 5_000, 65_536] {
            let pieces = stride(from: 0, to: text.count, by: size).map { Array(text[$0..<min(text.count, $0 + size)]) }
            let left = Redacted.plain(Redacted.text(pieces))
            #expect(left == "<\(name)>◆</\(name)>, free", "\(size): \(left.prefix(300))")
        }
    }

    @Test func `white space between a name and its value keeps nothing from being hidden`() {
        let text =
            Array("{\"password\"".utf8) + [UInt8](repeating: 0x20, count: 900) + [0x3a] + [UInt8](repeating: 0x20, count: 9_000)
            + Array("\"hunter2\",\"a\":1}".utf8)
        for size in [1, 100, 4_000, 20_000] {
            let pieces = stride(from: 0, to: text.count, by: size).map { Array(text[$0..<min(text.count, $0 + size)]) }
            #expect(!Redacted.plain(Redacted.text(pieces)).contains("hunter2"), "\(size)")
        }
    }

    @Test(arguments: ["$.user.email", "$..email", "$.user['email']", "$.*.email"]) func `a path leads through pieces`(_ path: String) throws
    {
        let plan = try Redacted.plan(paths: [path])
        let text = Array(#"data: {"id":1,"user":{"name":"ana, {","e\u006dail":"ana@a.example"},"more":[1]}"#.utf8)
        let whole = Redacted.plain(Redacted.text([text], as: .text, plan))
        #expect(whole == #"data: {"id":1,"user":{"name":"ana, {","e\u006dail":"◆"},"more":[1]}"#)
        for cut in 0...text.count {
            #expect(Redacted.plain(Redacted.text([Array(text[..<cut]), Array(text[cut...])], as: .text, plan)) == whole, "cut at \(cut)")
        }
        #expect(Redacted.plain(Redacted.text(text.map { [$0] }, as: .text, plan)) == whole)
    }
}
