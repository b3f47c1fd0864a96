import Dissection
import Foundation
import Interception
import Libc
import NIOCore
import NIOPosix
import Reports
import Testing

/// The queue in front of the recording thread: bounded, and never a reason to wait.
@Suite("Recorder queue") struct RecorderQueueTests {
    @Test func `a reader that is slow makes the relay wait, and lets it go on`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let run = try RecorderRun {
            $0.output = ends[1]
            $0.recording = nil
            $0.queueBytes = 1 << 20
        }
        let number = run.begin()
        let text = String(repeating: "0123456789", count: 1_000)
        #expect(run.recorder.hasRoom)
        // The pipe takes 64 KiB, the queue a megabyte; with nobody reading there is an end to it.
        var told = 0
        while run.recorder.hasRoom, told < 1_000 {
            run.say(text, .client, in: number, Int64(told))
            told += 1
        }
        #expect(!run.recorder.hasRoom && (40..<300).contains(told), "\(told) runs were taken")
        let hasRoom = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Bool.self)
        run.recorder.whenRoom(on: hasRoom.futureResult.eventLoop) { hasRoom.succeed(run.recorder.hasRoom) }
        // Somebody comes to read what is in the pipe.
        let reading = ends[0]
        let log = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Int.self)
        DispatchQueue(label: "reader").async {
            var lines = 0
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(reading, &chunk, chunk.count)
                guard count > 0 else { break }
                lines += chunk[..<count].count { $0 == 0x0A }
            }
            close(reading)
            log.succeed(lines)
        }
        #expect(try hasRoom.futureResult.wait())
        #expect(run.recorder.finish() == .complete)
        close(ends[1])
        #expect(try log.futureResult.wait() == told + 4)
    }

    @Test func `many loops tell at once, and nothing is lost or out of order`() throws {
        let run = try RecorderRun { $0.queueBytes = 64 << 10 }
        let count = 4
        let each = 2_000
        let numbers = (0..<count).map { run.begin(Endpoint(address: RecorderRun.client.address, port: UInt16(40_000 + $0))) }
        DispatchQueue.concurrentPerform(iterations: count) { index in
            for step in 0..<each {
                run.recorder.received(
                    ByteBuffer(string: "\(step)\n"), from: step % 2 == 0 ? .client : .server, in: numbers[index],
                    at: RecorderRun.at(Int64(step)))
            }
            run.end(.client, in: numbers[index], Int64(each))
            run.end(.server, in: numbers[index], Int64(each))
        }
        let live = try ComparableLog(run.finish())
        for number in numbers {
            // Runs with the same time and sender are shown as one by the comparison, so bytes are counted.
            let all = (0..<each).map { "\($0)\n".utf8.count }
            let closed = try #require(live.conversations[number]?.last)
            let client = all.enumerated().filter { $0.offset % 2 == 0 }.reduce(0) { $0 + $1.element }
            #expect(closed.contains("\"client\":{\"bytes\":\(client),"), "\(closed)")
        }
        let differences = try live.differences(from: ComparableLog(run.readBack()))
        #expect(differences.isEmpty, "\(differences.prefix(3))")
    }

    /// Each is a read of its own, whose clocks were held at one time; as one read they would hold several messages.
    @Test func `reads at one time stay several reads, live and in the recording`() throws {
        let run = try RecorderRun()
        let number = run.begin()
        // Two of each side at each time.
        for step in 0..<40 { run.say("line \(step)\n", step % 2 == 0 ? .client : .server, in: number, Int64(5 + step / 4)) }
        run.end(.client, in: number, 20)
        run.end(.server, in: number, 20)
        let live = run.finish()
        #expect(live.contains("\"by\":\"lines\""))
        #expect(!live.contains("framing.reads-differ"))
        let differences = try ComparableLog(live).differences(from: ComparableLog(run.readBack()))
        #expect(differences.isEmpty, "\(differences.prefix(3))")
    }

    @Test func `a buffer of which little is used is not held on to`() throws {
        let run = try RecorderRun()
        let number = run.begin()
        var buffer = ByteBufferAllocator().buffer(capacity: 65_536)
        for step in 0..<2_000 {
            buffer.clear()
            buffer.writeString("step \(step)\n")
            run.recorder.received(buffer, from: .client, in: number, at: RecorderRun.at(Int64(step)))
        }
        let log = run.finish()
        #expect(log.split(separator: "\n").count == 2_004)
        #expect(log.contains("\"text\":\"step 1999\\n\""))
    }
}
