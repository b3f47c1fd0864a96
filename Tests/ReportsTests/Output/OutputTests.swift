import Dissection
import Foundation
import Reports
import Testing

/// How bytes leave: in whole lines, and without a crash when they cannot.
@Suite(.serialized) struct OutputTests {
    private func pipe() -> (read: FileHandle, write: FileHandle) {
        let pipe = Pipe()
        return (pipe.fileHandleForReading, pipe.fileHandleForWriting)
    }

    private func say(_ words: String, to report: inout RecordReport) { RecordScript.send(.ping, words.bytes, to: &report) }

    @Test func `where a reader waits, each record leaves at once`() {
        let ends = pipe()
        var report = RecordReport(Output(descriptor: ends.write.fileDescriptor, drain: .everyRecord))
        say("first", to: &report)
        let first = String(decoding: ends.read.availableData, as: UTF8.self)
        #expect(first.contains("first") && first.hasSuffix("}\n"))
        say("second", to: &report)
        #expect(String(decoding: ends.read.availableData, as: UTF8.self).contains("second"))
    }

    @Test func `what the file before a move did not take is counted, and the new one begins by itself`() throws {
        guard let full = FileHandle(forWritingAtPath: "/dev/full") else {
            print("skipped: a disk that is full (no /dev/full)")
            return
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "unmask-output-\(UUID().uuidString)")
        #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        for layout in [RecordSettings.Layout.lines, .array] {
            try handle.truncate(atOffset: 0)
            var report = RecordReport(
                Output(Outlet(descriptor: full.fileDescriptor), keepsTrying: true), settings: RecordSettings(layout: layout))
            report.begin(CaptureSource(kind: .proxy, name: "a", tool: "test"))
            for _ in 0..<5 { say("lost", to: &report) }
            report.flush()
            #expect(report.outputError != nil)
            report.move(to: Outlet(descriptor: handle.fileDescriptor))
            let told = report.retry()
            // Those five, and the beginning of the log.
            #expect(told?.lostRecords == 6 && told?.error == .failed(errno: 28), "\(String(describing: told))")
            say("kept", to: &report)
            report.finish(Totals())
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains("lost\"") && text.contains("kept"))
            #expect(text.hasPrefix(layout == .array ? "[\n{\"kind\":\"capture\"" : "{\"kind\":\"capture\""), "\(text.prefix(80))")
            if layout == .array { #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [Any]) }
        }
    }

    @Test func `a file gets whole lines when 64 KiB have come together, the rest at the flush`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "unmask-output-\(UUID().uuidString)")
        #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        var report = RecordReport(Output(descriptor: handle.fileDescriptor))
        say("x", to: &report)
        #expect(try Data(contentsOf: file).isEmpty)
        for _ in 0..<1_000 { say("some words", to: &report) }
        let part = try Data(contentsOf: file)
        #expect(part.count >= 64 << 10 && part.last == 0x0a)
        report.flush()
        #expect(try Data(contentsOf: file).split(separator: 0x0a).count == 1_001)
        #expect(report.outputError == nil)
    }

    @Test func `a reader that went away is told apart from trouble`() {
        signal(SIGPIPE, SIG_IGN)
        let ends = pipe()
        try? ends.read.close()
        var report = RecordReport(Output(descriptor: ends.write.fileDescriptor, drain: .everyRecord))
        say("lost", to: &report)
        #expect(report.outputError == .readerGone)
        say("also lost", to: &report)
        report.finish(Totals())
        #expect(report.outputError == .readerGone)

        var closed = TextReport(Output(descriptor: -1))
        closed.finish(Totals())
        #expect(closed.outputError == .failed(errno: EBADF))
        #expect(closed.outputError?.message == "Bad file descriptor")
    }

    @Test func `a full disk is an error with a name`() throws {
        guard let full = FileHandle(forWritingAtPath: "/dev/full") else {
            print("skipped: a full disk (this system has no /dev/full)")
            return
        }
        var report = RecordReport(Output(descriptor: full.fileDescriptor))
        report.finish(Totals())
        #expect(report.outputError == .failed(errno: ENOSPC))
    }

    @Test func `a slow reader without blocking is waited for`() async throws {
        let ends = pipe()
        let descriptor = ends.write.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        let read = Task.detached { try ends.read.readToEnd()?.count ?? 0 }
        var report = RecordReport(Output(descriptor: descriptor))
        let words = String(repeating: "x", count: 300_000)
        for _ in 0..<4 { say(words, to: &report) }
        report.flush()
        #expect(report.outputError == nil)
        try ends.write.close()
        #expect(try await read.value > 1_200_000)
    }
}
