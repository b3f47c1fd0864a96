import Foundation
import Query
import Reports
import Support
import Testing

@Suite("the pages of the fields")
struct FilterPageTests {
    private static let project = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

    private func page(_ name: String) throws -> String {
        try String(contentsOf: Self.project.appending(path: "docs/\(name)"), encoding: .utf8)
    }

    @Test("have what the tables have")
    func tables() throws {
        let page = try page("filter.md")
        #expect(renewed(page, "filter", FilterPage.names, FilterPage.table) == page, "run make docs")
        for name in FilterPage.names { #expect(page.contains("<!-- filter: \(name) -->"), "\(name)") }
    }

    @Test("name only fields that there are, each once")
    func names() throws {
        for name in FilterPage.completions { #expect(throws: Never.self, "\(name)") { try DisplayFilter(name) } }
        #expect(Set(FilterPage.completions).count == FilterPage.completions.count)
        #expect(FilterPage.completions.count > 400)
        let help = FilterPage.help
        #expect(help.contains("\n  http.response.code "))
        #expect(!help.contains("`") && !help.contains("]("))
    }

    @Test("show expressions that are read as they stand there")
    func examples() throws {
        var count = 0
        var isExample = false
        for line in try page("filter.md").split(separator: "\n") {
            if line.hasPrefix("```") {
                isExample = line == "```filter"
            } else if isExample {
                let expression = line.split(separator: "  #", maxSplits: 1).first.map(String.init) ?? ""
                #expect(throws: Never.self, "\(expression)") { try DisplayFilter(expression) }
                count += 1
            }
        }
        #expect(count > 30)
    }

    @Test("know the keys of every format that the page on payloads has")
    func formats() throws {
        var formats = 0
        for line in try page("payloads.md").split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3,
                let name = PayloadTable.standard.rows.map(\.name.description).first(where: { cells[0] == "`\($0)`" })
                    ?? (cells[0] == "`engine.io`" ? "engine.io" : nil)
            else { continue }
            formats += 1
            // What stands in brackets, in parentheses or after a colon are values and parts.
            for match in cells[2].replacing(/\[[^\]]*\]|\([^)]*\)|\{[^}]*\}/, with: "").matches(of: /`([a-zA-Z]+)`/) {
                let field = "\(name == "json" ? "socketio" : name.filter { $0 != "." && $0 != "-" }).\(match.1)"
                // Words that the page names and that are no keys.
                if ["as", "passcode", "undefined", "inf", "nan"].contains(match.1) { continue }
                #expect(throws: Never.self, "\(field)") { try DisplayFilter(field) }
            }
        }
        #expect(formats >= 25)
        // Of any format: what else was tried, and why it gave up.
        for field in ["socketio.failed.as", "protobuf.failed.error", "mqtt.failed"] {
            #expect(throws: Never.self, "\(field)") { try DisplayFilter(field) }
        }
    }
}
