import CaptureFiles
import Dissection
import Foundation
import Reports
import Support
import Testing

@testable import Sessions

/// What a reader of session files takes out of them.
@Suite struct SessionReaderTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-session-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Lines, and rows of messages that were read for them.
    private static func lines(_ path: String, _ wanted: String? = nil) throws -> (lines: [String], rows: UInt64) {
        var reader = try SessionReader(path: path, wanted: wanted.flatMap { ConversationSelection($0) })
        var lines: [String] = []
        while let line = try reader.next() { lines.append(String(decoding: line.copy, as: UTF8.self)) }
        return (lines, reader.messageRows)
    }

    @Test func `of chosen conversations alone the messages are read, and all else of all`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("talk.unmask").path
        let captures = ["chromium-websocket", "midstream"].map { "fixtures/\($0)/capture.pcapng" }
        _ = try UnmaskProcess.run(["read", "--save", file] + captures)
        let all = try Self.lines(file)
        let messages = all.lines.filter { $0.hasPrefix("{\"kind\":\"message\"") }
        #expect(all.rows == messages.count && messages.count > 5)
        let number = try #require(messages.last?.firstMatch(of: /"conversation":(\d+),/)).1
        let ofOne = messages.filter { $0.contains("\"conversation\":\(number),") }
        let chosen = try Self.lines(file, String(number))
        #expect(chosen.rows == ofOne.count && ofOne.count < messages.count)
        #expect(chosen.lines == all.lines.filter { !$0.hasPrefix("{\"kind\":\"message\"") || ofOne.contains($0) })
        #expect(try Self.lines(file, "1-").lines == all.lines)
        #expect(try Self.lines(file, "999").rows == 0)
    }

    @Test func `of chosen times the pages are read that have some of them`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("talk.unmask").path
        // One page: all of it or none.
        _ = try UnmaskProcess.run(["read", "--save", file, "fixtures/chromium-websocket/capture.pcapng"])
        let all = try Self.lines(file)
        var none = try SessionReader(path: file, window: 0...1)
        while try none.next() != nil {}
        #expect(none.messageRows == 0 && all.rows > 0)
        var whole = try SessionReader(path: file, wanted: ConversationSelection("1-"), window: 0 ... .max)
        while try whole.next() != nil {}
        #expect(whole.messageRows == all.rows)
    }

    @Test func `a word stands in a page once, whatever its case`() {
        var words = PageWords()
        let text = "Hello, hello WORLD-world world2 h\u{e9}llo " + String(repeating: "x", count: 257)
        Array(text.utf8).withUnsafeBytes { words.take($0) }
        Array(text.utf8).withUnsafeBytes { words.take($0) }
        #expect(String(decoding: words.text, as: UTF8.self) == "Hello WORLD world2 h\u{e9}llo ")
        words.removeAll()
        #expect(words.text.isEmpty && !words.isFull)
    }

    @Test func `words beyond what a page remembers are still there`() {
        var words = PageWords()
        let text = (0..<60_000).map { "w\($0)" }.joined(separator: " ")
        Array(text.utf8).withUnsafeBytes { words.take($0) }
        #expect(words.isFull && words.text == Array((text + " ").utf8))
    }
}
