import Foundation
import Support
import Testing

/// A test that passes on a program of yesterday has shown nothing.
@Suite("The program that tests drive") struct DrivenProgramTests {
    private static func inFolder(_ body: (_ program: URL, _ sources: URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-driven-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let sources = folder.appendingPathComponent("Sources")
        try FileManager.default.createDirectory(at: sources.appendingPathComponent("unmask"), withIntermediateDirectories: true)
        let program = folder.appendingPathComponent("unmask")
        #expect(FileManager.default.createFile(atPath: program.path, contents: Data(), attributes: [.posixPermissions: 0o755]))
        try body(program, sources)
    }

    /// Writes a file that is so many seconds younger than the program.
    private static func write(_ name: String, in sources: URL, seconds: Double, after program: URL) throws {
        let file = sources.appendingPathComponent(name)
        try Data("let x = 1\n".utf8).write(to: file)
        let built = try FileManager.default.attributesOfItem(atPath: program.path)[.modificationDate] as? Date
        let changed = try #require(built).addingTimeInterval(seconds)
        try FileManager.default.setAttributes([.modificationDate: changed], ofItemAtPath: file.path)
    }

    @Test("a program that is newer than its code is driven, and pages beside the code do not count") func current() throws {
        try Self.inFolder { program, sources in
            try Self.write("unmask/Unmask.swift", in: sources, seconds: -1, after: program)
            try Self.write("README.md", in: sources, seconds: 1, after: program)
            #expect(DrivenProgram.fault(of: program, builtFrom: sources) == nil)
        }
    }

    @Test("a program that is older than a file of its code is refused, and the file is named") func stale() throws {
        try Self.inFolder { program, sources in
            try Self.write("unmask/Unmask.swift", in: sources, seconds: 1, after: program)
            let fault = try #require(DrivenProgram.fault(of: program, builtFrom: sources))
            #expect(fault.hasSuffix("is older than \(sources.path)/unmask/Unmask.swift"))
        }
    }

    @Test("a program that is not there is refused") func missing() throws {
        try Self.inFolder { program, sources in
            let other = program.deletingLastPathComponent().appendingPathComponent("other")
            #expect(DrivenProgram.fault(of: other, builtFrom: sources)?.hasSuffix("is not a program") == true)
        }
    }

    @Test("the program that these tests drive is there") func driven() {
        #expect(FileManager.default.isExecutableFile(atPath: UnmaskProcess.executable.path))
    }
}
