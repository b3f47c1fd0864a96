import Dissection
import Foundation
import Reports
import Support
import Testing

/// The catalogue against the sources, the tests and the page that is made from it.
@Suite struct FindingCatalogueTests {
    private static func text(of folder: String, _ suffix: String) -> String {
        let root = UnmaskProcess.project.appendingPathComponent(folder)
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(suffix) }.sorted().compactMap {
            try? String(contentsOf: root.appendingPathComponent($0), encoding: .utf8)
        }.joined(separator: "\n")
    }

    @Test func everyRowOfTheSourcesIsInTheCatalogueOnce() {
        let sources = Self.text(of: "Sources", ".swift")
        let written = sources.matches(of: /FindingRow\(\s*id: "([a-z0-9.-]+)"/).map { String($0.output.1) }
        let listed = FindingCatalogue.rows.map(\.id)
        #expect(Set(written) == Set(listed))
        #expect(Set(listed).count == listed.count)
        #expect(listed.count > 100)
    }

    @Test func everyRowIsATestsSubject() {
        let tests = Self.text(of: "Tests", ".swift") + Self.text(of: "fixtures", ".ndjson")
        // Tests of a layer leave its name away.
        let silent = FindingCatalogue.rows.map(\.id).filter { id in
            !tests.contains(id) && !tests.contains("\"\(id.drop { $0 != "." }.dropFirst())")
        }
        #expect(silent.isEmpty, "no test speaks of them")
    }

    @Test func everyRowIsASentenceForAPerson() {
        for row in FindingCatalogue.rows {
            #expect(!row.detail.isEmpty && !row.detail.hasSuffix("."), "\(row.id)")
            #expect(row.explanation.isEmpty || row.explanation.hasSuffix("."), "\(row.id)")
            #expect(row.severity != .violation || !row.reference.isEmpty, "\(row.id) breaks no named rule")
        }
    }

    @Test func thePageIsMadeFromTheRows() throws {
        let page = try String(contentsOf: UnmaskProcess.project.appendingPathComponent("docs/findings.md"), encoding: .utf8)
        #expect(try UnmaskProcess.run(["findings", "--markdown"]).text == page, "run make docs")
    }
}
