import Foundation
import Testing

/// The rules of CONTRIBUTING.md that a machine can check. The formatter checks some more (`make lint`).
@Suite("House rules")
struct HouseRulesTests {
    /// Where the package lies, from where this file lies in it.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The modules that parse input from strangers.
    static let strictFolders = ["Sources/Dissection", "Sources/CaptureFiles"]

    @Test("the dissector imports nothing but Swift, libraries that undo codings, the vectors of Base64 and the hint to prefetch")
    func dissectorImports() throws {
        let allowed: Set = ["CZlib", "CZstd", "CBrotli", "CWideBase64", "CPrefetch"]
        for file in try swiftFiles(in: "Sources/Dissection") {
            for module in imports(of: file) where !allowed.contains(module) {
                Issue.record("\(file.path) imports \(module)")
            }
        }
    }

    @Test("capture files are read without Foundation, NIO and libpcap")
    func captureFileImports() throws {
        let allowed: Set = ["Dissection", "CZlib", "CZstd", "Libc", "System", "Synchronization"]
        for file in try swiftFiles(in: "Sources/CaptureFiles") {
            for module in imports(of: file) where !allowed.contains(module) {
                Issue.record("\(file.path) imports \(module)")
            }
        }
    }

    @Test("the library for other programs stands on what reads captures, and on nothing that needs libpcap, SQLite, OpenSSL or NIO")
    func libraryImports() throws {
        let allowed: Set = ["Dissection", "CaptureFiles", "Reports", "Dispatch"]
        for file in try swiftFiles(in: "Sources/UnmaskConversations") {
            for module in imports(of: file) where !allowed.contains(module) {
                Issue.record("\(file.path) imports \(module)")
            }
        }
    }

    @Test("an output knows the vocabulary, and neither inputs nor the command line")
    func reportImports() throws {
        let forbidden: Set = ["CaptureFiles", "LiveCapture", "CLibpcap", "ArgumentParser", "unmask"]
        for file in try swiftFiles(in: "Sources/Reports") {
            // Recordings are capture files, what assembles a run has them among its outputs, and so an output may be handed packets.
            let writers = ["/Reports/Recording/", "/Reports/Assembly/", "/Reports/Output/LineSink", "/Reports/Output/LineOutput"]
            let writesCaptures = writers.contains { file.path.contains($0) }
            for module in imports(of: file) where forbidden.contains(module) && !(writesCaptures && module == "CaptureFiles") {
                Issue.record("\(file.path) imports \(module)")
            }
        }
    }

    @Test("nothing on the path of input can trap on purpose or hide a data race", arguments: strictFolders)
    func noTraps(folder: String) throws {
        let forbidden = [
            "try!", "as!", "fatalError(", "preconditionFailure(", "@unchecked Sendable", "Date()", "clock_gettime", "DispatchTime",
            "unsafeBitCast",
        ]
        for file in try swiftFiles(in: folder) {
            for (number, line) in file.codeLines {
                for word in forbidden where line.contains(word) {
                    Issue.record("\(file.path):\(number) has \(word)")
                }
                if line.contains(/[\w\)\]]!(?:[\.\)\],\[;\s]|$)/) && !line.contains(/\w!=/) {
                    Issue.record("\(file.path):\(number) unwraps by force: \(line)")
                }
            }
        }
    }

    /// A comment on the same line says why nothing has to be done.
    @Test("a switch over wire values has no silent end", arguments: strictFolders)
    func noSilentDefault(folder: String) throws {
        for file in try swiftFiles(in: folder) {
            for (number, line) in file.lines where line.contains(/default:\s*(break|return)\s*$/) {
                Issue.record("\(file.path):\(number) ends a switch silently")
            }
        }
    }

    @Test("what is in the tree is finished")
    func noUnfinishedWork() throws {
        // Put together here, so that this file does not hold what it looks for.
        let words = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "for" + " now", "place" + "holder", "not yet " + "implemented"]
        for folder in ["Sources", "Tests"] {
            for file in try swiftFiles(in: folder) {
                for (number, line) in file.lines {
                    for word in words where hasWord(word, in: line) {
                        Issue.record("\(file.path):\(number) speaks of unfinished work: \(line)")
                    }
                }
            }
        }
    }

    @Test("files stay short; only tables are longer")
    func fileLengths() throws {
        let bound = 400
        for folder in ["Sources", "Tests"] {
            for file in try swiftFiles(in: folder) where file.lines.count > bound && !isTable(file) {
                Issue.record("\(file.path) has \(file.lines.count) lines, over \(bound)")
            }
        }
    }

    @Test("a file's name says what is in it")
    func fileNames() throws {
        let empty = ["Utils", "Utilities", "Helpers", "Manager", "Common", "Misc"]
        for folder in ["Sources", "Tests"] {
            for file in try swiftFiles(in: folder) {
                let name = URL(fileURLWithPath: file.path).deletingPathExtension().lastPathComponent
                for word in empty where name.hasSuffix(word) {
                    Issue.record("\(file.path): \(word) names nothing")
                }
            }
        }
    }

    @Test("no test waits for luck or is switched off")
    func noSleeping() throws {
        for file in try swiftFiles(in: "Tests") {
            for (number, line) in file.codeLines {
                for word in ["Thread.sleep", "usleep(", "Task.sleep", ".disabled("] where line.contains(word) {
                    Issue.record("\(file.path):\(number) has \(word)")
                }
            }
        }
    }

    @Test("the program carries the page of the console as it is in its files")
    func pageAssets() throws {
        let assets = try String(contentsOf: HouseRulesTests.root.appendingPathComponent("Sources/WebConsole/Assets.swift"), encoding: .utf8)
        let files = try pageFiles()
        for (name, text) in files {
            #expect(assets.contains("case \"\(name)\": ("), "Assets.swift has no \(name); run make assets")
            #expect(assets.contains("\"\"\"\n\(text)\n\"\"\"#"), "\(name) in Assets.swift is another one; run make assets")
        }
        #expect(assets.matches(of: /(?m)^        case "/).count == files.count)
        let size = files.reduce(0) { $0 + $1.text.utf8.count }
        #expect(size <= 150_000, "the page has \(size) bytes")
    }

    @Test("the page of the console reads no string as HTML or as a script")
    func pageSinks() throws {
        let forbidden = [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "setHTML", "eval(", "new Function", "new Worker",
            "localStorage", "sessionStorage", "document.cookie", " style=", " onclick=",
        ]
        for (name, text) in try pageFiles() {
            for word in forbidden where text.contains(word) { Issue.record("\(name) has \(word)") }
        }
    }

    @Test("test suites have the name of what they test")
    func testNames() throws {
        for file in try swiftFiles(in: "Tests") {
            guard file.lines.contains(where: { $0.line.contains(/^\s*@Test/) }) else { continue }
            #expect(file.path.hasSuffix("Tests.swift"), "\(file.path) has tests, and its name does not say so")
        }
    }
}

// MARK: - Reading the sources

/// One source file, its lines numbered from 1.
private struct SourceFile {
    /// From the package's root.
    let path: String
    let lines: [(number: Int, line: Substring)]

    /// The lines without comments and without the content of string literals.
    var codeLines: [(number: Int, line: String)] {
        lines.map { number, line in
            var code = line.replacing(/"(?:[^"\\]|\\.)*"/, with: "\"\"")
            if let comment = code.firstRange(of: "//") { code = code[..<comment.lowerBound] }
            return (number, String(code))
        }
    }
}

/// The files of the console's page, which Assets.swift is made of.
private func pageFiles() throws -> [(name: String, text: String)] {
    let folder = HouseRulesTests.root.appendingPathComponent("Sources/WebConsole/Page")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    return try names.filter { name in [".html", ".css", ".js"].contains { name.hasSuffix($0) } }
        .map { (name: $0, text: try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)) }
}

private func swiftFiles(in folder: String) throws -> [SourceFile] {
    let base = HouseRulesTests.root.appendingPathComponent(folder)
    let paths = try #require(FileManager.default.enumerator(atPath: base.path)).compactMap { $0 as? String }
    return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
        let text = try String(contentsOf: base.appendingPathComponent(path), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { (number: $0 + 1, line: $1) }
        return SourceFile(path: "\(folder)/\(path)", lines: lines)
    }
}

private func imports(of file: SourceFile) -> [String] {
    let declaration = /^\s*(?:@\w+(?:\(\w+\))?\s+)*(?:(?:package|public|internal|private|fileprivate)\s+)?import\s+(.+)$/
    return file.codeLines.compactMap { _, line in
        // `import struct Foundation.Date` names a kind first, and the module before the dot.
        guard let found = line.firstMatch(of: declaration), let last = found.1.split(separator: " ").last else { return nil }
        return last.split(separator: ".").first.map(String.init)
    }
}

private func hasWord(_ word: String, in line: Substring) -> Bool {
    var rest = line[...]
    while let range = rest.firstRange(of: word) {
        let before = range.lowerBound > line.startIndex ? line[line.index(before: range.lowerBound)] : " "
        let after = range.upperBound < line.endIndex ? line[range.upperBound] : " "
        if !before.isLetter && !before.isNumber && before != "_" && !after.isLetter && !after.isNumber { return true }
        rest = rest[range.upperBound...]
    }
    return false
}

/// Whether most of a file is rows: a catalogue, a registry, a list of cases.
private func isTable(_ file: SourceFile) -> Bool {
    file.lines.prefix(10).contains { $0.line.contains("table:") }
}
