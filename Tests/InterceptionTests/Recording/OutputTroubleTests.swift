import Dissection
import Foundation
import Interception
import Reports
import Support
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Disks that are full, readers that went away.
@Suite("Output trouble") struct OutputTroubleTests {
    /// A descriptor on a file that can be made to take nothing, as if its disk were full, and to take everything again.
    private final class Disk {
        let descriptor: Int32
        private let path = FileManager.default.temporaryDirectory.appending(path: "unmask-disk-\(UUID().uuidString)").path

        init?() {
            guard access("/dev/full", W_OK) == 0 else {
                print("skipped: a disk that is full (no /dev/full)")
                return nil
            }
            descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }

        deinit {
            close(descriptor)
            unlink(path)
        }

        func fill() { replace(by: "/dev/full") }

        func makeRoom() { replace(by: path) }

        private func replace(by path: String) {
            let file = open(path, O_WRONLY | O_APPEND)
            dup2(file, descriptor)
            close(file)
        }

        var content: Data { FileManager.default.contents(atPath: path) ?? Data() }
    }

    /// Tells runs of bytes, one after the other.
    private final class Talk {
        private let run: RecorderRun
        let number: UInt64
        private(set) var steps: Int64 = 0

        init(_ run: RecorderRun) {
            self.run = run
            number = run.begin()
        }

        /// Goes on until the user was told something, or for ten seconds.
        func goOn(until line: String) -> Bool { goOn { [run] in run.saidLines.contains { $0.contains(line) } } }

        func goOn(until isDone: () -> Bool) -> Bool {
            let deadline = ContinuousClock.now + .seconds(10)
            while ContinuousClock.now < deadline {
                if isDone() { return true }
                steps += 1
                run.say("step \(steps)", .client, in: number, steps)
                // Gives the recording thread its turn.
                poll(nil, 0, 1)
            }
            return false
        }
    }

    @Test func `records that a full disk does not take are counted, and the log goes on after it`() throws {
        guard let disk = Disk() else { return }
        let run = try RecorderRun { $0.output = disk.descriptor }
        let talk = Talk(run)
        #expect(talk.goOn { disk.content.contains(Data("step 3\"".utf8)) })
        disk.fill()
        #expect(talk.goOn(until: "the records cannot be written: No space left on device"))
        disk.makeRoom()
        #expect(talk.goOn(until: "the records are written again"))
        #expect(run.recorder.finish() == .complete)
        let log = String(decoding: disk.content, as: UTF8.self)
        #expect(try LogValidation.verdict(on: log) == nil)
        let lost = try #require(log.split(separator: "\n").first { $0.contains("\"id\":\"proxy.records-lost\"") })
        let count = try #require(lost.firstMatch(of: /(\d+) records are missing here, because they could not be written: No space/)?.1)
        let written = log.matches(of: /"text":"step (\d+)"/).compactMap { Int64($0.1) }
        #expect(Int64(written.count) + (Int64(count) ?? 0) == talk.steps, "\(written.count) and \(count) lost of \(talk.steps)")
        #expect(written == written.sorted() && Int64(count) ?? 0 > 0)
        // The recording has all of it, and one error was said.
        #expect(try run.readBack().matches(of: /"text":"step/).count == talk.steps)
        #expect(run.saidLines.count == 2, "\(run.saidLines)")
    }

    @Test func `a recording on a full disk has a gap, and says why`() throws {
        guard let disk = Disk() else { return }
        let run = try RecorderRun { $0.recording = .descriptor(disk.descriptor) }
        let talk = Talk(run)
        let number = talk.number
        #expect(talk.goOn { disk.content.contains(Data("step 3".utf8)) })
        disk.fill()
        #expect(talk.goOn(until: "the recording cannot be written: No space left on device"))
        disk.makeRoom()
        #expect(talk.goOn(until: "the recording is written again"))
        run.say("after", .client, in: number, 1_000_000)
        run.end(.client, in: number, 1_000_001)
        run.end(.server, in: number, 1_000_002)
        let live = run.finish()
        #expect(live.contains("\"id\":\"proxy.packets-lost\""))
        try disk.content.write(to: URL(fileURLWithPath: run.recordingPath))
        let read = try run.readBack()
        #expect(read.contains("\"cause\":\"missing\"") && read.contains("\"text\":\"after\""), "\(read.suffix(2_000))")
        #expect(disk.content.contains(Data("packets could not be written: No space left on device".utf8)))
    }

    @Test func `a disk that stays full loses records, and the end comes all the same`() throws {
        guard let disk = Disk() else { return }
        disk.fill()
        let run = try RecorderRun { $0.output = disk.descriptor }
        let talk = Talk(run)
        #expect(talk.goOn(until: "the records cannot be written"))
        #expect(run.recorder.finish() == .complete)
        #expect(run.saidLines.last?.contains("records could not be written") == true, "\(run.saidLines)")
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
}
