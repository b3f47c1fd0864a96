import Foundation
import Support
import Testing

/// What the library for other programs declares as public is written down in docs/library-symbols.txt: a change of it is a change of a file that a
/// person reads. `make golden` writes it anew.
@Suite struct PublicSymbolGoldenTests {
    private static let page = UnmaskProcess.project.appendingPathComponent("docs/library-symbols.txt")

    /// A declaration of a symbol graph.
    private struct Symbol: Decodable {
        struct Identifier: Decodable { let precise: String }
        struct Fragment: Decodable { let spelling: String }
        struct Comment: Decodable {}

        let identifier: Identifier
        let pathComponents: [String]
        let declarationFragments: [Fragment]
        let docComment: Comment?

        var path: String { pathComponents.joined(separator: ".") }
        var declaration: String { declarationFragments.map(\.spelling).joined().trimmingCharacters(in: .whitespaces) }
    }

    private struct Graph: Decodable {
        struct Relationship: Decodable {
            let kind: String
            let source: String
            let targetFallback: String?
            let target: String
        }

        let symbols: [Symbol]
        let relationships: [Relationship]
    }

    /// The graphs of the modules that the tests were built with; nil where these are not beside the running test.
    private func graphs() throws -> [(name: String, graph: Graph)]? {
        let modules = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("Modules")
        guard FileManager.default.fileExists(atPath: modules.appendingPathComponent("UnmaskConversations.swiftmodule").path) else {
            return nil
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = UnmaskProcess.project.appendingPathComponent("scripts/symbol-graphs.sh")
        process.arguments = [modules.path, folder.path]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
            let data = try Data(contentsOf: folder.appendingPathComponent(name))
            return (name.replacing(".symbols.json", with: ""), try JSONDecoder().decode(Graph.self, from: data))
        }
    }

    /// One line for each declaration, and one for what each type conforms to, in the order of the alphabet.
    private static func lines(of graph: Graph) -> [String] {
        let paths = Dictionary(graph.symbols.map { ($0.identifier.precise, $0.path) }) { first, _ in first }
        var conformances: [String: [String]] = [:]
        for relationship in graph.relationships where relationship.kind == "conformsTo" {
            let name = (relationship.targetFallback ?? relationship.target).split(separator: ".").last.map(String.init) ?? ""
            // Each type has that one.
            guard let path = paths[relationship.source], name != "SendableMetatype" else { continue }
            conformances[path, default: []].append(name)
        }
        let declared = graph.symbols.map { "\($0.path)  \($0.declaration)" }
        return (declared + conformances.map { "\($0): \($1.sorted().joined(separator: ", "))" }).sorted()
    }

    @Test func `the public declarations are those of the page`() throws {
        guard let graphs = try graphs() else {
            print("skipped: the public symbols (the modules are not beside the test)")
            return
        }
        let text = graphs.filter { !$0.graph.symbols.isEmpty }.map {
            "# \($0.name)\n" + Self.lines(of: $0.graph).map { $0 + "\n" }.joined()
        }.joined(separator: "\n")
        if ProcessInfo.processInfo.environment["UNMASK_GOLDEN"] == "rewrite" {
            return try text.write(to: Self.page, atomically: true, encoding: .utf8)
        }
        let expected = try String(contentsOf: Self.page, encoding: .utf8)
        let change = text.split(separator: "\n").difference(from: expected.split(separator: "\n"))
        let steps = change.map { step in
            switch step {
            case .insert(_, let line, _): "+ \(line)"
            case .remove(_, let line, _): "- \(line)"
            }
        }
        let isSame = text == expected
        #expect(isSame, "\(steps.joined(separator: "\n"))\nmake golden writes docs/library-symbols.txt anew")
    }

    @Test func `nothing public is experimental or not documented`() throws {
        for (name, graph) in try graphs() ?? [] {
            for symbol in graph.symbols {
                let words = ["RawSpan", "~Escapable", "~Copyable", "borrowing", "consuming", "@_", "Unsafe"]
                #expect(!words.contains { symbol.declaration.contains($0) }, "\(name): \(symbol.declaration)")
                // What the compiler adds to an enum says nothing that its cases do not.
                if symbol.pathComponents.last != "init(rawValue:)" { #expect(symbol.docComment != nil, "\(name): \(symbol.path)") }
            }
        }
    }
}
