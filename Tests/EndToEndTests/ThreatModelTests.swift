import Foundation
import Testing

/// What docs/threat-model.md names is there: the test of each line, and each finding.
@Suite("Threat model") struct ThreatModelTests {
    private static func page(_ name: String) throws -> String {
        try String(contentsOf: HouseRulesTests.root.appendingPathComponent("docs/\(name)"), encoding: .utf8)
    }

    /// The files with tests, by their names.
    private static func testFiles() throws -> [String: URL] {
        let folder = HouseRulesTests.root.appendingPathComponent("Tests")
        var files: [String: URL] = [:]
        for case let path as String in try #require(FileManager.default.enumerator(atPath: folder.path))
        where path.hasSuffix("Tests.swift") {
            let file = folder.appendingPathComponent(path)
            files[file.lastPathComponent] = file
        }
        return files
    }

    /// The file that has a suite; empty where none has. Some suites share a file with another one.
    private static func text(of suite: String, in files: [String: URL]) throws -> String {
        for file in files["\(suite).swift"].map({ [$0] }) ?? Array(files.values) {
            let text = try String(contentsOf: file, encoding: .utf8)
            if text.contains("struct \(suite) ") { return text }
        }
        return ""
    }

    @Test("each test that a line names exists") func namedTestsExist() throws {
        let files = try Self.testFiles()
        let named = try Self.page("threat-model.md").matches(of: /`([A-Z]\w+Tests)\.([^`]+)`/).map { (String($0.1), String($0.2)) }
        #expect(named.count > 100, "the names of tests were not found")
        var texts: [String: String] = [:]
        for (suite, test) in named {
            let text = try texts[suite] ?? Self.text(of: suite, in: files)
            texts[suite] = text
            #expect(text.contains("func \(test)(") || text.contains("func `\(test)`("), "there is no \(suite).\(test)")
        }
    }

    @Test("each finding that a line names is in the catalogue") func namedFindingsExist() throws {
        let catalogue = try Self.page("findings.md")
        let named = Set(try Self.page("threat-model.md").matches(of: /`((?:tcp|capture|connection)\.[a-z-]+)`/).map { String($0.1) })
        #expect(named.count > 10, "the findings were not found")
        for id in named.sorted() { #expect(catalogue.contains("### `\(id)`"), "\(id)") }
    }
}
