import Foundation
import Support
import Testing

/// `unmask extract`: what a capture carried, as files.
@Suite struct ExtractCommandTests {
    private static let capture = "fixtures/bodies-and-messages/capture.pcap"

    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func names(_ folder: URL) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

    @Test func `a log gives the same files as its capture`() throws {
        try inFolder { parent in
            let log = parent.appendingPathComponent("log.ndjson")
            try UnmaskProcess.run(["read", "--format", "ndjson", Self.capture]).output.write(to: log)
            for (input, folder) in [(Self.capture, "a"), (log.path, "b")] {
                #expect(try UnmaskProcess.run(["extract", input, "--to", parent.appendingPathComponent(folder).path]).status == 0)
            }
            let (one, other) = (parent.appendingPathComponent("a"), parent.appendingPathComponent("b"))
            #expect(try names(one) == names(other) && names(one).count == 6)
            for name in try names(one) {
                #expect(try Data(contentsOf: one.appendingPathComponent(name)) == Data(contentsOf: other.appendingPathComponent(name)))
            }
        }
    }

    @Test func `what keys open becomes files, and nothing is said to be sealed`() throws {
        try inFolder { parent in
            let folder = parent.appendingPathComponent("a")
            let outcome = try UnmaskProcess.run(["extract", "fixtures/tls-keys-inside/capture.pcapng", "--to", folder.path])
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
            let written = try names(folder)
            #expect(written.contains("0001-0001-server.html"), "\(written)")
            // One of five has no key.
            let keys = UnmaskProcess.project.appendingPathComponent("fixtures/tls-keys/keys.log")
            let lines = try String(contentsOf: keys, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
            let first = try #require(lines.first?.split(separator: " ").dropFirst().first)
            let some = parent.appendingPathComponent("some.log")
            try Data(lines.filter { !$0.contains(first) }.joined(separator: "\n").utf8).write(to: some)
            let other = parent.appendingPathComponent("b")
            let rest = try UnmaskProcess.run(
                ["extract", "fixtures/tls-keys/capture.pcapng", "--keys", some.path, "--to", other.path])
            #expect(rest.errors == "unmask: 1 conversation has TLS that is not decrypted; nothing of it was written\n", "\(rest.errors)")
        }
    }

    @Test func `bodies and messages become files, whatever names the wire has for them`() throws {
        try inFolder { parent in
            let folder = parent.appendingPathComponent("a/b")
            // Its parent has to be there.
            #expect(try UnmaskProcess.run(["extract", Self.capture, "--to", folder.path]).status == 1)
            try FileManager.default.createDirectory(at: folder.deletingLastPathComponent(), withIntermediateDirectories: true)
            let outcome = try UnmaskProcess.run(["extract", Self.capture, "--to", folder.path])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(
                try names(folder) == [
                    "0001-0001-client.txt", "0001-0002-server.json", "0001-0003-server.png", "0001-0004-client.json",
                    "0001-0005-server.png",
                    "0001-0006-client.txt",
                ])
            // Nothing beside the folder, above it or anywhere that the target names.
            #expect(try names(parent) == ["a"] && names(parent.appendingPathComponent("a")) == ["b"])
            func content(_ name: String) throws -> Data { try Data(contentsOf: folder.appendingPathComponent(name)) }
            #expect(try content("0001-0001-client.txt") == Data("to be written nowhere else".utf8))
            #expect(try content("0001-0002-server.json") == Data(#"{"hello":"gzip"}"#.utf8))
            #expect(try content("0001-0003-server.png").count == 29)
            #expect(try content("0001-0004-client.json") == Data(#"{"type":"join"}"#.utf8))
            #expect(try content("0001-0005-server.png") == Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]))
            // One table of what was written.
            #expect(outcome.lines.first == "FILE                                     BYTES  WHAT IT IS")
            #expect(outcome.lines.count == 8 && outcome.lines.last == "6 files in \(folder.path)")
            #expect(outcome.text.contains("16  response 200 to POST /../../../../etc/passwd, gzip undone\n"), "\(outcome.text)")
            #expect(outcome.text.contains("binary message\n"))
            // For its owner alone.
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
            #expect(mode == 0o700)
        }
    }

    @Test func `a folder with files is refused, unless they may be replaced, and no link is followed`() throws {
        try inFolder { folder in
            let victim = folder.appendingPathComponent("victim")
            let target = folder.appendingPathComponent("out")
            try Data("mine".utf8).write(to: victim)
            try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
            for name in ["0001-0001-client.txt", "0001-0001-client-incomplete.txt"] {
                try FileManager.default.createSymbolicLink(at: target.appendingPathComponent(name), withDestinationURL: victim)
            }
            let refused = try UnmaskProcess.run(["extract", Self.capture, "--to", target.path])
            #expect(refused.status == 1 && refused.errors.contains("the folder is not empty; name a new one, or add --force"))
            #expect(try names(target).count == 2)
            for _ in 0..<2 {
                let forced = try UnmaskProcess.run(["extract", Self.capture, "--to", target.path, "--force"])
                #expect(forced.status == 0, "\(forced.errors)")
            }
            #expect(try Data(contentsOf: victim) == Data("mine".utf8))
            #expect(try Data(contentsOf: target.appendingPathComponent("0001-0001-client.txt")) == Data("to be written nowhere else".utf8))
            #expect(try names(target).count == 6)
            let file = try UnmaskProcess.run(["extract", Self.capture, "--to", victim.path])
            #expect(file.status == 1 && file.errors.contains("cannot write to this folder"))
        }
    }

    @Test(arguments: ["0001-0004-client.json", "0001-0004-client-incomplete.json"])
    func `a folder that has the name of a file is an error, and all other files are written`(name: String) throws {
        try inFolder { folder in
            let target = folder.appendingPathComponent("out")
            try FileManager.default.createDirectory(at: target.appendingPathComponent(name), withIntermediateDirectories: true)
            let outcome = try UnmaskProcess.run(["extract", Self.capture, "--to", target.path, "--force"])
            #expect(outcome.status == 1)
            #expect(
                outcome.errors == "unmask: \(target.path)/\(name): cannot write this file: a folder has its name; move it away, or name "
                    + "another folder with --to\nunmask: 1 file was not written, because folders have their names\n")
            #expect(
                try names(target) == [
                    "0001-0001-client.txt", "0001-0002-server.json", "0001-0003-server.png", name, "0001-0005-server.png",
                    "0001-0006-client.txt",
                ])
            #expect(try names(target.appendingPathComponent(name)).isEmpty)
            #expect(outcome.lines.last == "5 files in \(target.path)")
        }
    }

    @Test func `what is not whole is called incomplete`() throws {
        try inFolder { folder in
            let whole = try Data(contentsOf: UnmaskProcess.project.appendingPathComponent("fixtures/event-stream/capture.pcap"))
            // Cut behind the third event.
            let mark = try #require(whole.range(of: Data("102.25".utf8)))
            let cut = folder.appendingPathComponent("cut.pcap")
            try whole.prefix(mark.upperBound + 6).write(to: cut)
            let out = folder.appendingPathComponent("out").path
            let outcome = try UnmaskProcess.run(["extract", cut.path, "--to", out])
            #expect(try names(URL(fileURLWithPath: out)) == ["0001-0001-server-incomplete.txt"], "\(outcome.text) \(outcome.errors)")
            #expect(outcome.lines.last?.hasSuffix(", 1 incomplete") == true)
        }
    }

    @Test func `conversations are picked, and wrong use is refused`() throws {
        try inFolder { folder in
            let out = folder.appendingPathComponent("out").path
            let none = try UnmaskProcess.run(["extract", Self.capture, "--to", out, "--conversation", "7"])
            #expect(none.status == 1 && none.errors.contains("no bodies, messages or raw data to write"), "\(none.errors)")
            #expect(none.errors.contains("there is no conversation 7; the last is 1"))
            // Nothing is left of a folder that was made in vain; one that was there stays.
            #expect(!FileManager.default.fileExists(atPath: out))
            try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: false)
            #expect(try UnmaskProcess.run(["extract", Self.capture, "--to", out, "--conversation", "7"]).status == 1)
            #expect(FileManager.default.fileExists(atPath: out))
            #expect(try UnmaskProcess.run(["extract", "no-such-file", "--to", out + "2"]).status == 2)
            #expect(!FileManager.default.fileExists(atPath: out + "2"))
            #expect(try UnmaskProcess.run(["extract", Self.capture]).status == 2)
            #expect(try UnmaskProcess.run(["extract", Self.capture, "--to", out, "--conversation", "x"]).status == 2)
        }
    }
}
