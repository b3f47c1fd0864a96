import Foundation
import Support
import Testing

/// `unmask run --watch --java-agent FILE.jar`: what cannot be one is said before the program starts, without root. A real one is in
/// `Tests/Peers/run_watch.py`.
@Suite struct JavaAgentTests {
    private static let manifest = "Manifest-Version: 1.0\r\nPremain-Class: Agent\r\n"

    /// A ZIP archive with one file that is not compressed (APPNOTE 6.3.10, section 4.3).
    private static func archive(_ name: String, _ content: String, method: UInt16 = 0) -> [UInt8] {
        func bytes(_ values: UInt32...) -> [UInt8] {
            values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        }
        let (name, content) = (Array(name.utf8), Array(content.utf8))
        let size = UInt32(content.count)
        let what = bytes(0, 0, size, size) + bytes(UInt32(name.count))
        let file = bytes(0x0403_4B50) + [20, 0, 0, 0, UInt8(method), 0] + what + name + content
        let entry = bytes(0x0201_4B50) + [20, 0, 20, 0, 0, 0, UInt8(method), 0] + what + bytes(0, 0, 0, 0).dropLast(2) + name
        let end = bytes(0x0605_4B50, 0) + [1, 0, 1, 0] + bytes(UInt32(entry.count), UInt32(file.count)) + [0, 0]
        return file + entry + end
    }

    private func run(_ content: [UInt8]?, named name: String = "agent.jar") throws -> (outcome: UnmaskProcess.Outcome, path: String) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-java-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent(name).path
        if let content { try Data(content).write(to: URL(fileURLWithPath: path)) }
        return (try UnmaskProcess.run(["run", "--watch", "--java-agent", path, "--", "/absent/program"]), path)
    }

    @Test(
        arguments: [
            (nil, "No such file or directory"), ([], "it is not a JAR: there is no ZIP archive with META-INF/MANIFEST.MF in it"),
            (
                Array("no archive at all, and longer than the end of one".utf8),
                "it is not a JAR: there is no ZIP archive with META-INF/MANIFEST.MF in it"
            ),
            (archive("other.txt", manifest), "it is not a JAR: there is no ZIP archive with META-INF/MANIFEST.MF in it"),
            (archive("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\n"), "it is not an agent: its manifest has no Premain-Class"),
            (
                archive("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\n\r\nName: a\r\n" + manifest),
                "it is not an agent: its manifest has no Premain-Class"
            ),
        ] as [([UInt8]?, String)])
    func `a file that is not an agent is an error before the start`(content: [UInt8]?, problem: String) throws {
        let (outcome, path) = try run(content)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors == "unmask: --java-agent \(path): \(problem)\n")
    }

    @Test func `an agent is taken, and what is said next is about the program`() throws {
        let (outcome, _) = try run(Self.archive("META-INF/MANIFEST.MF", Self.manifest))
        #expect(outcome.status == 127)
        #expect(outcome.errors == "unmask: /absent/program: No such file or directory\n")
    }

    @Test func `damage in an archive is an error, wherever it is`() throws {
        let whole = Self.archive("META-INF/MANIFEST.MF", Self.manifest)
        // Places that lead to others: sizes, offsets, lengths of names, the method; and the ends of what there is.
        let entry = whole.count - 22 - 66
        for index in [
            entry + 10, entry + 21, entry + 23, entry + 25, entry + 28, entry + 30, entry + 33, entry + 43, entry + 45, entry + 60,
        ] {
            var damaged = whole
            damaged[index] ^= 0xFF
            #expect(try run(damaged).outcome.status == 2, "byte \(index)")
        }
        for index in [whole.count - 10, whole.count - 7, whole.count - 6, whole.count - 3, 26, 28] {
            var damaged = whole
            damaged[index] ^= 0x7F
            #expect(try [2, 127].contains(run(damaged).outcome.status), "byte \(index)")
        }
        #expect(try run(Array(whole.dropLast())).outcome.status == 2)
        #expect(try run(Array(whole.dropFirst(40))).outcome.status == 2)
        #expect(try run(Self.archive("META-INF/MANIFEST.MF", Self.manifest, method: 8)).outcome.status == 2)
    }

    @Test func `a path that JAVA_TOOL_OPTIONS cannot hold is an error`() throws {
        let (outcome, path) = try run(Self.archive("META-INF/MANIFEST.MF", Self.manifest), named: "a=b.jar")
        #expect(outcome.status == 2)
        #expect(outcome.errors == "unmask: --java-agent \(path): JAVA_TOOL_OPTIONS cannot name a path with =; move the file\n")
    }

    @Test func `the option goes with --watch alone`() throws {
        let outcome = try UnmaskProcess.run(["run", "--java-agent", "agent.jar", "--", "true"])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("--java-agent goes with --watch: the proxy decrypts Java without it."))
    }
}
