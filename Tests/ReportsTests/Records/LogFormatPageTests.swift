import Foundation
import Testing

/// docs/log-format.md says what is so.
@Suite struct LogFormatPageTests {
    private let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs").standardizedFileURL

    @Test func `each kind has an example, and each example holds the schema`() throws {
        let page = try String(contentsOf: docs.appending(path: "log-format.md"), encoding: .utf8)
        let examples = page.split(separator: "\n").filter { $0.hasPrefix("{\"kind\":") }
        try LogSchema.check(examples.joined(separator: "\n") + "\n")
        let schema =
            try JSONSerialization.jsonObject(with: Data(contentsOf: docs.appending(path: "log-format.schema.json"))) as? [String: Any]
        let definitions = try #require(schema?["$defs"] as? [String: Any])
        let kinds = try #require((definitions["kinds"] as? [String: Any])?["enum"] as? [String])
        #expect(kinds.count == 18)
        for kind in kinds { #expect(examples.contains { $0.hasPrefix("{\"kind\":\"\(kind)\",") }, "an example of \(kind)") }
    }
}
