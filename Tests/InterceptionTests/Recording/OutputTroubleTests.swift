import Dissection
import Foundation
import Interception
import Libc
import Reports
import Support
import Testing

/// Disks that are full, readers that went away.
@Suite("Output trouble") struct OutputTroubleTests {
    @Test func `records that a full disk does not take are counted, and the log goes on after it`() throws {
        guard let disk = try FullDisk() else { return }
        let run = try RecorderRun { $0.output = disk.descriptor }
        let talk = StepTalk(run)
        #expect(talk.goOn { disk.content.contains(Data("step 3\"".utf8)) })
        disk.fill()
        #expect(talk.goOn(until: "the records cannot be written: No space left on device"))
        disk.makeRoom()
        #expect(talk.goOn(until: "the records are written again"))
        // What was lost in between is told in the log, and at the end too.
        #expect(run.recorder.finish() == .lost)
        let log = String(decoding: disk.content, as: UTF8.self)
        #expect(try LogValidation.verdict(on: log) == nil)
        let lost = try #require(log.split(separator: "\n").first { $0.contains("\"id\":\"proxy.records-lost\"") })
        let count = try #require(lost.firstMatch(of: /(\d+) records are missing here, because they could not be written: No space/)?.1)
        let written = log.matches(of: /"text":"step (\d+)"/).compactMap { Int64($0.1) }
        #expect(Int64(written.count) + (Int64(count) ?? 0) == talk.steps, "\(written.count) and \(count) lost of \(talk.steps)")
        #expect(written == written.sorted() && Int64(count) ?? 0 > 0)
        // The recording has all of it, and one error was said.
        #expect(try run.readBack().matches(of: /"text":"step/).count == talk.steps)
        #expect(run.saidLines.count == 3, "\(run.saidLines)")
        #expect(run.saidLines.last == "\(count) records could not be written to standard output")
    }

    @Test func `two logs on a full disk each count their own finding of it`() throws {
        guard let disk = try FullDisk(), let other = try FullDisk() else { return }
        let run = try RecorderRun {
            $0.output = disk.descriptor
            $0.log = other.file
        }
        let talk = StepTalk(run)
        #expect(talk.goOn { [disk, other].allSatisfy { $0.content.contains(Data("step 3\"".utf8)) } })
        for each in [disk, other] { each.fill() }
        #expect(talk.goOn(until: "the log cannot be written") && talk.goOn(until: "the records cannot be written"))
        for each in [disk, other] { each.makeRoom() }
        #expect(talk.goOn(until: "the log is written again") && talk.goOn(until: "the records are written again"))
        #expect(run.recorder.finish() == .lost)
        for each in [disk, other] {
            let log = String(decoding: each.content, as: UTF8.self)
            let findings = log.matches(of: /"kind":"finding"/).count
            let counted = try #require(log.firstMatch(of: /"kind":"end".*"findings":(\d+)/)?.1)
            #expect(findings == 1 && Int(counted) == findings, "\(log.suffix(600))")
        }
    }

    @Test func `a recording on a full disk has a gap, and says why`() throws {
        guard let disk = try FullDisk() else { return }
        let run = try RecorderRun { $0.recording = disk.file }
        let talk = StepTalk(run)
        let number = talk.number
        #expect(talk.goOn { disk.content.contains(Data("step 3".utf8)) })
        disk.fill()
        #expect(talk.goOn(until: "the recording cannot be written: No space left on device"))
        disk.makeRoom()
        #expect(talk.goOn(until: "the recording is written again"))
        run.say("after", .client, in: number, 1_000_000)
        run.end(.client, in: number, 1_000_001)
        run.end(.server, in: number, 1_000_002)
        #expect(run.recorder.finish() == .lost)
        let live = run.printed
        #expect(live.contains("\"id\":\"proxy.packets-lost\""))
        try disk.content.write(to: URL(fileURLWithPath: run.recordingPath))
        let read = try run.readBack()
        #expect(read.contains("\"cause\":\"missing\"") && read.contains("\"text\":\"after\""), "\(read.suffix(2_000))")
        #expect(disk.content.contains(Data("packets could not be written: No space left on device".utf8)))
    }

    @Test func `a disk that stays full loses records, and the end comes all the same`() throws {
        guard let disk = try FullDisk() else { return }
        disk.fill()
        let run = try RecorderRun { $0.output = disk.descriptor }
        let talk = StepTalk(run)
        #expect(talk.goOn(until: "the records cannot be written"))
        #expect(run.recorder.finish() == .lost)
        // All of it: the `capture` and `opened` records, each step, `closed` and `end`.
        let said = "\(talk.steps + 4) records could not be written to standard output"
        #expect(run.saidLines.last == said, "\(run.saidLines)")
    }

    @Test func `a reader that goes away is told to the owner, once, and the recording goes on`() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        signal(SIGPIPE, SIG_IGN)
        defer { close(writing) }
        close(reading)
        let (gone, goes) = AsyncStream.makeStream(of: Void.self)
        let run = try RecorderRun {
            $0.output = writing
            $0.readerGone = { goes.yield() }
        }
        let number = run.begin()
        run.say("x", .client, in: number, 1)
        var iterator = gone.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        run.say("y", .client, in: number, 2)
        #expect(run.recorder.finish() == .complete)
        #expect(run.saidLines.isEmpty)
        #expect(try run.readBack().contains("\"text\":\"y\""))
    }

    // MARK: A reader that takes nothing

    /// A pipe, and what comes out of it once somebody reads.
    private final class Tap {
        let writing: Int32
        private let reading: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            (reading, writing) = (ends[0], ends[1])
        }

        deinit {
            close(reading)
            close(writing)
        }

        /// Reads what is there.
        func readAll() -> String {
            _ = fcntl(reading, F_SETFL, fcntl(reading, F_GETFL) | O_NONBLOCK)
            return read(until: "there is no such text")
        }

        /// Reads what comes until it holds `text`.
        func read(until text: String) -> String {
            var read = [UInt8]()
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            let mark = Data(text.utf8)
            while true {
                let count = Libc.read(reading, &piece, piece.count)
                guard count > 0 else { break }
                read += piece[..<count]
                if Data(read.suffix(count + text.utf8.count)).range(of: mark) != nil { break }
            }
            return String(decoding: read, as: UTF8.self)
        }
    }

    /// How often `text` stands in a long string. A regular expression takes minutes for tens of megabytes.
    private static func count(of text: String, in string: String) -> Int {
        let (data, mark) = (Data(string.utf8), Data(text.utf8))
        var (count, from) = (0, data.startIndex)
        while let found = data.range(of: mark, in: from..<data.endIndex) { (count, from) = (count + 1, found.upperBound) }
        return count
    }

    @Test func `a reader that takes nothing is told after a second, and that it reads again`() throws {
        let tap = try Tap()
        let run = try RecorderRun {
            $0.output = tap.writing
            $0.isRecorded = false
        }
        let talk = StepTalk(run)
        #expect(talk.goOn(until: "standard output is blocked: its reader has taken nothing since "))
        let notice = try #require(run.saidLines.first)
        #expect(notice.hasSuffix("; let it be read"), "\(notice)")
        #expect(notice.contains(/since \d\d:\d\d:\d\d UTC;/), "\(notice)")
        // A step that came while nobody read is there when somebody does.
        let steps = talk.steps
        #expect(tap.read(until: "\"step \(steps)\"").contains("\"step 1\""))
        #expect(talk.goOn(until: "standard output is read again, after "))
        if talk.steps > steps { _ = tap.read(until: "\"step \(talk.steps)\"") }
        #expect(run.recorder.finish() == .complete)
        #expect(run.saidLines.count == 2, "\(run.saidLines)")
    }

    @Test func `a reader that takes nothing is given up soon after the end was asked for, and what it did not get is counted`() throws {
        let tap = try Tap()
        let run = try RecorderRun { $0.output = tap.writing }
        let talk = StepTalk(run)
        #expect(talk.goOn(until: "standard output is blocked"))
        let begun = ContinuousClock.now
        #expect(run.recorder.finish() == .lost)
        #expect(ContinuousClock.now - begun < .seconds(5))
        let last = try #require(run.saidLines.last)
        let lost = try #require(
            last.firstMatch(of: /^(\d+) records could not be written to standard output$/).flatMap { Int64($0.1) }, "\(last)")
        // What lies in the pipe and what was lost is all there was, its `capture`, `opened`, `closed` and `end` included.
        let read = tap.readAll()
        #expect(Int64(read.count { $0 == "\n" }) + lost == talk.steps + 4)
        // The recording is whole.
        #expect(try run.readBack().matches(of: /"text":"step/).count == talk.steps)
    }

    @Test func `a lossy output leaves out what its reader does not take, counts it, and stalls nobody`() throws {
        let tap = try Tap()
        let run = try RecorderRun {
            $0.output = tap.writing
            $0.isLossy = true
            $0.queueBytes = 1 << 20
        }
        let number = run.begin()
        let text = String(repeating: "abcdefghij", count: 2_000)
        // Twice what pipe, buffer and queue hold.
        for step in 0..<600 {
            run.say(text, .client, in: number, Int64(step))
            #expect(run.recorder.catchUp(within: 10_000_000_000))
        }
        #expect(run.recorder.hasRoom)
        #expect(run.saidLines == ["standard output is not read fast enough; records that do not fit are left out and counted"])
        // Somebody reads: what waited comes, and then how much is missing.
        let read = tap.read(until: "could not be written: its reader takes nothing\"}\n")
        let end = try #require(read.range(of: " records are missing here"))
        let lost = try #require(Int(String(read[..<end.lowerBound].reversed().prefix { $0.isNumber }.reversed())))
        #expect(Self.count(of: "\"kind\":\"data\"", in: read) + lost == 600 && lost > 300)
        #expect(run.recorder.finish() == .complete)
        #expect(run.saidLines.last == "\(lost) records left out, because standard output was not read fast enough", "\(run.saidLines)")
        // The recording went to a file, and has all of it.
        let recorded = try Self.count(of: "\"kind\":\"data\"", in: run.readBack())
        #expect(recorded == 600)
    }

    @Test func `with a log, what is shown may be left out, and the log has all of it`() throws {
        let tap = try Tap()
        let path = FileManager.default.temporaryDirectory.appending(path: "unmask-log-\(UUID().uuidString)").path
        defer { unlink(path) }
        let log = try OutputFile(path: path, from: .empty)
        let run = try RecorderRun(TextSettings(width: nil, payload: .full, follows: true)) {
            $0.output = tap.writing
            $0.log = log
            $0.isRecorded = false
        }
        let number = run.begin()
        let text = String(repeating: "abcdefghij", count: 2_000)
        for step in 0..<400 {
            run.say(text, .client, in: number, Int64(step))
            #expect(run.recorder.catchUp(within: 10_000_000_000))
        }
        #expect(run.recorder.finish() == .complete)
        #expect(
            run.saidLines.last?.contains("lines left out, because standard output was not read fast enough") == true, "\(run.saidLines)")
        let written = try String(contentsOfFile: path, encoding: .utf8)
        #expect(try LogValidation.verdict(on: written) == nil)
        #expect(Self.count(of: "\"kind\":\"data\"", in: written) == 400)
        #expect(!written.contains("proxy.records-lost") && written.contains("\"kind\":\"end\""))
    }
}
