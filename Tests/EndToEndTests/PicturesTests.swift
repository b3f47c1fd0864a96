import Foundation
import Support
import Testing

/// The text as terminals of 80, 120 and 200 columns show it, against pictures that a person has looked at (`make pictures`).
@Suite struct PicturesTests {
    @Test func `terminals show what the pictures show`() throws {
        let manager = FileManager.default
        guard
            ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").contains(where: {
                manager.isExecutableFile(atPath: "\($0)/tmux")
            }) == true
        else {
            print("skipped: comparing the text with its pictures (no tmux)")
            return
        }
        let folder = manager.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        defer { try? manager.removeItem(at: folder) }
        let process = Process()
        process.executableURL = UnmaskProcess.project.appendingPathComponent("scripts/pictures.sh")
        process.arguments = [UnmaskProcess.executable.path, folder.path]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let kept = UnmaskProcess.project.appendingPathComponent("fixtures/pictures")
        let names = try manager.contentsOfDirectory(atPath: kept.path).sorted()
        #expect(names.count == 18)
        #expect(try manager.contentsOfDirectory(atPath: folder.path).sorted() == names)
        for name in names {
            let (old, new) = (
                try String(contentsOf: kept.appendingPathComponent(name), encoding: .utf8),
                try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            )
            #expect(old == new, "\(name)")
            // No line is wider than the terminal, which would break it anywhere.
            let columns = try #require(name.split(separator: "-").last.flatMap { Int($0.prefix { $0.isNumber }) })
            #expect(new.split(separator: "\n").allSatisfy { $0.count <= columns }, "\(name)")
        }
    }
}
