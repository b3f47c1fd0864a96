import Dissection
import Foundation
import Reports
import Support
import Testing

/// The catalogue against the sources and the pages about it. What fires each row is in `FindingCaseTests` and `ProxyFindingTests`.
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

    @Test func everyRowIsASentenceForAPerson() {
        for row in FindingCatalogue.rows {
            #expect(!row.detail.isEmpty && !row.detail.hasSuffix("."), "\(row.id)")
            #expect(row.explanation.isEmpty || row.explanation.hasSuffix("."), "\(row.id)")
            #expect(row.severity != .violation || !row.reference.isEmpty, "\(row.id) breaks no named rule")
        }
    }

    @Test("a finding is explained in words, without the places of its row")
    func explanation() throws {
        // One row for each place that there is.
        var places: Set<String> = []
        for row in FindingCatalogue.rows {
            let found = row.detail.matches(of: /\{[^}|]*[}|]|\[/).map { String($0.output) }
            guard !places.isSuperset(of: found) else { continue }
            places.formUnion(found)
            let text = try UnmaskProcess.run(["findings", row.id]).text
            #expect(!text.contains(where: { "{}[]|".contains($0) }) && text.contains(" for "), "\(text)")
        }
        #expect(places.isSuperset(of: ["{a}", "{b}", "{a|", "{text}", "{a:hex}", "{a:rsv}", "["]))
    }

    @Test func thePageIsMadeFromTheRows() throws {
        let page = try String(contentsOf: UnmaskProcess.project.appendingPathComponent("docs/findings.md"), encoding: .utf8)
        #expect(try UnmaskProcess.run(["findings", "--markdown"]).text == page, "run make docs")
    }

    @Test func whatWasJudgedOnCapturesIsInTheCatalogue() throws {
        let page = try String(contentsOf: UnmaskProcess.project.appendingPathComponent("docs/findings-judged.md"), encoding: .utf8)
        let judged = page.matches(of: /(?m)^\| `([a-z0-9.-]+)` \| (\d+) \|/)
        let ids = judged.map { String($0.output.1) }
        #expect(Set(ids).subtracting(FindingCatalogue.rows.map(\.id)) == [])
        #expect(ids == ids.sorted() && Set(ids).count == ids.count)
        let total = judged.compactMap { Int($0.output.2) }.reduce(0, +)
        let words = page.replacing(",", with: "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("\(total) findings of \(ids.count) ids"))
    }
}
