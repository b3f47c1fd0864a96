import Foundation
import Testing

/// Each file in which memory is reached without the compiler's checks is in the table of docs/architecture.md, with its reason.
///
/// The rule answers a pointer that outlived its owner in optimised builds: who writes another `unsafe` has to say who owns what it reaches.
@Suite struct UnsafePlacesTests {
    private static let modules = [
        "CaptureFiles", "Decryption", "Dissection", "Query", "Reports", "Sessions", "UnmaskConversations", "UnmaskDecryption",
    ]

    /// Files that the table has: what is between backquotes in the first cell of its rows.
    private static func listed(in text: String) -> [String] {
        guard let section = text.range(of: "\n## Unsafe places\n") else { return [] }
        let rest = text[section.upperBound...]
        let table = rest[..<(rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex)]
        return table.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row in
            row.split(separator: "|", maxSplits: 1)[0].matches(of: /`([^`]+)`/).map { String($0.1) }
        }
    }

    /// Whether a file says `unsafe`, or names a type or a function that does, outside of comments and strings.
    private static func isUnsafe(_ text: String) -> Bool {
        // To Unicode `text.withUnsafeBytes` is one word.
        let words = /\bunsafe\b|\bUnsafe[A-Z]|\b(?:with|_)?[Uu]nsafe(?:BitCast|Bytes|Mutable|Pointer|Buffer|Load)/.wordBoundaryKind(.simple)
        return text.split(separator: "\n").contains { line in
            var code = line.replacing(/"(?:[^"\\]|\\.)*"/, with: "\"\"")
            if let comment = code.firstRange(of: "//") { code = code[..<comment.lowerBound] }
            return code.contains(words)
        }
    }

    private static func unsafeFiles() throws -> Set<String> {
        let sources = HouseRulesTests.root.appendingPathComponent("Sources")
        var found: Set<String> = []
        for module in modules {
            let folder = sources.appendingPathComponent(module)
            for case let path as String in try #require(FileManager.default.enumerator(atPath: folder.path)) where path.hasSuffix(".swift")
            {
                if isUnsafe(try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)) {
                    found.insert("\(module)/\(path.dropLast(6))")
                }
            }
        }
        return found
    }

    @Test func `each file with an unsafe place is in the table of the architecture, and no other`() throws {
        let text = try String(contentsOf: HouseRulesTests.root.appendingPathComponent("docs/architecture.md"), encoding: .utf8)
        let listed = Self.listed(in: text)
        let found = try Self.unsafeFiles()
        #expect(listed.count > 40 && Set(listed).count == listed.count, "a file is in two rows, or the table was not found")
        #expect(found.subtracting(listed).sorted() == [], "not in the table of docs/architecture.md")
        #expect(Set(listed).subtracting(found).sorted() == [], "in the table, and nothing in it is unsafe")
    }

    @Test func `an unsafe place is known by its words, not by a comment or a text`() {
        #expect(Self.isUnsafe("    return unsafe pointer.load()"))
        #expect(Self.isUnsafe("    func take(_ bytes: UnsafeRawBufferPointer) {"))
        #expect(Self.isUnsafe("    text.withUnsafeBytes { _ in }"))
        #expect(!Self.isUnsafe("    // unsafe, were it not for the check"))
        #expect(!Self.isUnsafe("    id: \"http2.push-unsafe\""))
        #expect(!Self.isUnsafe("    context.emit(.http2PushUnsafe)"))
        #expect(!Self.isUnsafe("    try queue.unsafeReentrantRead { }"))
    }
}
