import Foundation
import Support
import Testing

/// What is written about the library for other programs: it builds, and its samples compile.
@Suite struct LibraryDocumentationTests {
    private static let project = UnmaskProcess.project

    private static func files(in folder: String, ending suffix: String) throws -> [(name: String, text: String)] {
        let base = project.appendingPathComponent(folder)
        let paths = try #require(FileManager.default.enumerator(atPath: base.path)).compactMap { $0 as? String }
        return try paths.filter { $0.hasSuffix(suffix) && !$0.contains(".build/") }.sorted().map {
            ("\(folder)/\($0)", try String(contentsOf: base.appendingPathComponent($0), encoding: .utf8))
        }
    }

    /// The lines of each block of Swift in a text, without their indentation; in a source those of its comments.
    private static func samples(in text: String) -> [[Substring]] {
        var (samples, sample): ([[Substring]], [Substring]?) = ([], nil)
        for line in text.split(separator: "\n") {
            let bare = line.trimmingPrefix(/[ ]*(?:\/\/\/)?[ ]*/)
            if bare == "```swift" {
                sample = []
            } else if bare == "```" {
                if let sample { samples.append(sample) }
                sample = nil
            } else {
                sample?.append(bare)
            }
        }
        return samples
    }

    @Test func `every sample is part of the example package, which compiles`() throws {
        let pages =
            try Self.files(in: "Sources/UnmaskConversations", ending: ".md")
            + Self.files(in: "Sources/UnmaskConversations", ending: ".swift")
            + Self.files(in: "Sources/UnmaskDecryption", ending: ".swift") + Self.files(in: "docs", ending: "library.md")
            + [("README.md", String(contentsOf: Self.project.appendingPathComponent("README.md"), encoding: .utf8))]
        let sources = try Self.files(in: "docs/examples/library", ending: ".swift").map { file in
            "\n" + file.text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "\n") + "\n"
        }
        #expect(sources.count > 4)
        var count = 0
        for (name, text) in pages {
            for sample in Self.samples(in: text) {
                count += 1
                let lines = "\n" + sample.joined(separator: "\n") + "\n"
                #expect(sources.contains { $0.contains(lines) }, "\(name): not in docs/examples/library:\(lines)")
            }
        }
        #expect(count > 15)
    }

    @Test func `the documentation builds without a warning`() throws {
        let modules = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("Modules")
        guard FileManager.default.fileExists(atPath: modules.appendingPathComponent("UnmaskDecryption.swiftmodule").path) else {
            print("skipped: the documentation of the library (the modules are not beside the test)")
            return
        }
        let (process, printed) = (Process(), Pipe())
        process.executableURL = Self.project.appendingPathComponent("scripts/docs-library.sh")
        process.arguments = [modules.path]
        (process.standardOutput, process.standardError) = (printed, printed)
        try process.run()
        let words = String(decoding: try printed.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(words.suffix(2_000))")
    }
}
