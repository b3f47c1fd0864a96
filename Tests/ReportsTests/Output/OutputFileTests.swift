import Foundation
import Libc
import Reports
import Testing

/// Which files are written to, and who may read them afterwards.
@Suite("Output files") struct OutputFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "unmask-output-\(UUID().uuidString)")

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func inFolder(_ body: () throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body()
    }

    private func make(_ name: String, _ content: String, mode: mode_t) throws {
        try Data(content.utf8).write(to: folder.appending(path: name))
        try #require(chmod(path(name), mode) == 0)
    }

    private func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }

    /// Why the file is refused.
    private func refusal(_ path: String, from start: OutputFile.Start = .empty) -> String? {
        do {
            _ = try OutputFile(path: path, from: start)
            return nil
        } catch { return error.description }
    }

    @Test func `a new file is its owner's alone`() throws {
        try inFolder {
            let before = umask(0)
            defer { umask(before) }
            let file = try OutputFile(path: path("new"), from: .empty)
            #expect(file.isRegular)
            #expect(try mode("new") == 0o600)
            #expect(file.finish() == nil)
        }
    }

    @Test func `a file that is cut off while it is written has no hole, as when a log is rotated by copying it`() throws {
        try inFolder {
            let file = try OutputFile(path: path("log"), from: .empty)
            #expect(write(file.descriptor, "first\n", 6) == 6)
            #expect(truncate(path("log"), 0) == 0)
            #expect(write(file.descriptor, "second\n", 7) == 7)
            #expect(try String(contentsOfFile: path("log"), encoding: .utf8) == "second\n")
        }
    }

    @Test func `a path that stands for a descriptor is written through it, behind what is there, if that is agreed to`() throws {
        try inFolder {
            try make("both", "", mode: 0o600)
            let other = open(path("both"), O_WRONLY)
            defer { close(other) }
            #expect(write(other, "text\n", 5) == 5)
            #expect(OutputFile.lock(other))
            #expect(refusal("/dev/fd/\(other)")?.contains("the file is in use") == true)
            let log = try OutputFile(path: "/dev/fd/\(other)", from: .empty, sharesDescriptor: true)
            #expect(log.isRegular && log.descriptor != other)
            #expect(write(log.descriptor, "record\n", 7) == 7)
            #expect(write(other, "more\n", 5) == 5)
            #expect(log.finish() == nil)
            #expect(try String(contentsOfFile: path("both"), encoding: .utf8) == "text\nrecord\nmore\n")
            // The lock is the other's, and stays.
            #expect(refusal(path("both"))?.contains("the file is in use") == true)
        }
    }

    @Test(arguments: [0o666, 0o644, 0o660, 0o604] as [mode_t]) func `a file that others can read is taken from them`(open: mode_t) throws {
        try inFolder {
            try make("log", "before\n", mode: open)
            let file = try OutputFile(path: path("log"), from: .end)
            #expect(try mode("log") == 0o600)
            #expect(write(file.descriptor, "after\n", 6) == 6)
            #expect(file.finish() == nil)
            #expect(try String(contentsOfFile: path("log"), encoding: .utf8) == "before\nafter\n")
            let emptied = try OutputFile(path: path("log"), from: .empty)
            #expect(try Data(contentsOf: folder.appending(path: "log")).isEmpty)
            #expect(emptied.finish() == nil)
        }
    }

    @Test func `a symbolic link is refused, and what it leads to is left alone`() throws {
        try inFolder {
            try make("target", "mine", mode: 0o644)
            try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("target"))
            try FileManager.default.createSymbolicLink(atPath: path("dangling"), withDestinationPath: path("not-there"))
            for (name, start) in [("link", .empty), ("link", .end), ("dangling", .empty)] as [(String, OutputFile.Start)] {
                #expect(
                    refusal(path(name), from: start)
                        == "\(path(name)): the path is a symbolic link, which is not followed; name the file itself")
            }
            #expect(try String(contentsOfFile: path("target"), encoding: .utf8) == "mine")
            #expect(try mode("target") == 0o644)
            #expect(!FileManager.default.fileExists(atPath: path("not-there")))
        }
    }

    @Test func `a file of another user is refused, and left alone`() throws {
        guard geteuid() == 0 else { return print("skipped: a file of another user (not root)") }
        try inFolder {
            try make("theirs", "theirs", mode: 0o666)
            try #require(chown(path("theirs"), 12_345, 12_345) == 0)
            #expect(refusal(path("theirs"))?.contains("the file belongs to another user (uid 12345)") == true)
            #expect(try String(contentsOfFile: path("theirs"), encoding: .utf8) == "theirs")
            #expect(try mode("theirs") == 0o666)
        }
    }

    @Test func `a file has one writer at a time`() throws {
        try inFolder {
            let first = try OutputFile(path: path("log"), from: .empty)
            #expect(write(first.descriptor, "kept", 4) == 4)
            #expect(refusal(path("log"))?.hasPrefix("\(path("log")): the file is in use: ") == true)
            #expect(try String(contentsOfFile: path("log"), encoding: .utf8) == "kept")
            // A process that has inherited the descriptor does not keep the lock when the file is finished.
            let inherited = dup(first.descriptor)
            #expect(first.finish() == nil)
            #expect(refusal(path("log")) == nil)
            close(inherited)
        }
    }

    @Test func `descriptors, pipes and devices are written to as they are`() throws {
        try inFolder {
            try make("log", "", mode: 0o644)
            let descriptor = open(path("log"), O_WRONLY)
            defer { close(descriptor) }
            #expect(refusal("/dev/fd/\(descriptor)") == nil)
            #expect(try mode("log") == 0o644)
            #expect(refusal("/dev/null") == nil)
            try #require(mkfifo(path("fifo"), 0o644) == 0)
            let reader = open(path("fifo"), O_RDONLY | O_NONBLOCK)
            defer { close(reader) }
            #expect(refusal(path("fifo")) == nil)
            #expect(try mode("fifo") == 0o644)
        }
    }
}
