import Foundation
import Support
import Testing

/// Data that comes more than a second after the RST of its conversation: a finding after `closed`, under the same number.
@Suite struct DataAfterCloseTests {
    private static let capture = GoldenTests.capture("data-after-close")

    private static func text(_ arguments: String...) throws -> String { try UnmaskProcess.run(arguments + [capture]).text }

    @Test("text says it in a line by itself, and heads no block that has no names")
    func text() throws {
        let block = try Self.text("read")
        #expect(block.contains("\n 1         !  tcp.data-after-close   note: 30 bytes in 1 packet came after") && !block.contains("? > ?"))
        #expect(try Self.text("read", "--follow").contains("\n  1                !  tcp.data-after-close   note: 30 bytes"))
        let filtered = try Self.text("read", "--grep", "nothing of this")
        #expect(!filtered.contains("data-after-close"), "\(filtered)")
    }

    @Test("the conversation counts once, with both of its findings, in every report")
    func reports() throws {
        let list = try Self.text("list", "--format", "ndjson")
        #expect(list.split(separator: "\n").count == 1 && list.contains(#""findings":2"#), "\(list)")
        let stats = try Self.text("stats", "--format", "json")
        #expect(stats.contains(#""conversations": 1,"#) && !stats.contains(#""conversations": 2,"#) && !stats.contains(#""host": """#))
        #expect(stats.components(separatedBy: "tcp.data-after-close").count == 4, "total, host and conversation: \(stats)")
        #expect(try Self.text("check", "--severity", "note").hasSuffix("2 findings, in 1 conversation of 1 input\n"))
        let cases = try Self.text("check", "--severity", "note", "--format", "junit")
        #expect(cases.contains(#"tests="2" failures="1""#) && cases.components(separatedBy: "<testcase ").count == 3, "\(cases)")
        #expect(try UnmaskProcess.run(["diff", Self.capture, Self.capture]).text.contains("no differences in 1 conversation\n"))
    }
}
