import CaptureFiles
import Dissection
import Foundation
import Support
import Testing

/// Damaged captures through reader, dissector and reports, in processes of their own: a trap ends one, and what
/// it wrote down last names the capture.
///
/// `UNMASK_MUTATIONS=20000` runs so many; UNMASK_CAPTURES adds other captures to the fixtures.
@Suite(.serialized) struct MutatedCaptureTests {
    static let batch = 250
    static let count = ProcessInfo.processInfo.environment["UNMASK_MUTATIONS"].flatMap { Int($0) } ?? 750

    @Test(arguments: 0..<(count + batch - 1) / batch) func noneTrapsNorOutgrowsItsBounds(block: Int) async throws {
        let (first, end) = (block * Self.batch, min(Self.count, (block + 1) * Self.batch))
        let diary = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: diary) }
        await #expect(processExitsWith: .success) { [first = first as Int, end = end as Int, diary = diary as String] in
            for number in first..<end {
                guard let (file, bytes) = MutatedCapture.make(number) else { continue }
                let line = "mutation \(number) of \(file)"
                try Data(line.utf8).write(to: URL(fileURLWithPath: diary))
                let complaints = Self.complaints(about: bytes, limits: number % 2 == 0 ? Fuzzer.tightLimits : Limits())
                guard complaints.isEmpty else {
                    try Data("\(line): \(complaints.joined(separator: "\n"))".utf8).write(to: URL(fileURLWithPath: diary))
                    exit(1)
                }
            }
            try FileManager.default.removeItem(atPath: diary)
        }
        // It is gone where all went well.
        if let last = try? String(contentsOfFile: diary, encoding: .utf8) { Issue.record("\(last.prefix(1_500))") }
    }

    /// Seconds of the processor that this thread has had: what runs beside it does not count.
    private static func threadSeconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int(time.tv_sec)
    }

    /// Reads a capture as `unmask read` does; what does not hold.
    static func complaints(about bytes: [UInt8], limits: Limits) -> [String] {
        var sink = CheckingSink(limits: limits)
        var dissector = Dissector(limits: limits, seed: 7)
        let begin = threadSeconds()
        do {
            var reader = try CaptureReader(bytes: bytes)
            while true {
                do throws(CaptureFileError) {
                    guard let item = try reader.next() else { break }
                    guard case .packet(let packet) = item else { continue }
                    dissector.receive(packet, sink: &sink)
                    if dissector.heldBytes < 0 || dissector.heldBytes > limits.totalBytes {
                        sink.complain("\(dissector.heldBytes) bytes are held after packet \(packet.number)")
                    }
                } catch {
                    if !error.canGoOn { break }
                }
            }
        } catch {
            // Refused in words; the tests of the program look at those.
        }
        dissector.finish(sink: &sink)
        sink.finish(dissector.totals)
        if dissector.heldBytes != 0 { sink.complain("\(dissector.heldBytes) bytes are held after the end") }
        // Far more of the processor's time than a capture of this size takes, even in a build for debugging.
        let seconds = threadSeconds() - begin
        if seconds > 20 { sink.complain("reading took \(seconds) s") }
        return sink.complaints
    }
}
