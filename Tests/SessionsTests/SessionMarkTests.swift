import Foundation
import Support
import Testing

@testable import Sessions

/// What a session file that is shown is known by.
@Suite struct SessionMarkTests {
    private let folder: URL
    private var path: String { folder.appendingPathComponent("chat.unmask").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-mark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func write(appends: Bool = false) throws {
        let outcome = try UnmaskProcess.run(
            ["read", "--save", path, "fixtures/http-oddities/capture.pcap"] + (appends ? ["--append"] : []))
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func `a file is itself with another run, with a note and without a name`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write()
        let mark = try #require(SessionMark(path: path))
        #expect(!mark.isGone)
        try write(appends: true)
        #expect(!mark.isGone)
        try SessionNotes(path: path, of: nil).set(StoredNote(record: 1, conversation: nil, text: "why", isMarked: false, time: 0))
        #expect(!mark.isGone)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".before")
        #expect(!mark.isGone)
    }

    @Test func `one that was overwritten by the same, emptied or replaced is another`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write()
        let first = try #require(SessionMark(path: path))
        try write()
        let second = try #require(SessionMark(path: path))
        #expect(first.isGone && !second.isGone)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".before")
        try write()
        #expect(second.isGone)
        let third = try #require(SessionMark(path: path))
        #expect(truncate(path, 0) == 0 && third.isGone)
        #expect(SessionMark(path: path) == nil)
    }
}
