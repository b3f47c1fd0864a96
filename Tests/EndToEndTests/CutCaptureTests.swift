import CaptureFiles
import Dissection
import Foundation
import Reports
import Support
import Testing

/// A capture that ends after any byte: what came before is told as it is told of the whole, and the cut is said.
///
/// `UNMASK_CUTS=all` cuts every fixture up to 64 KiB instead of a few.
@Suite struct CutCaptureTests {
    static let fixtures: [String] = {
        guard ProcessInfo.processInfo.environment["UNMASK_CUTS"] != nil else {
            return ["bad-accept/capture.pcap", "starttls/capture.pcap", "pipelined/capture.pcapng", "websocket-snaplen-96/capture.pcapng"]
        }
        let all = FileManager.default.enumerator(atPath: GoldenTests.fixtures.path)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(".pcap") || $0.hasSuffix(".pcapng") }.sorted()
    }()

    /// What one reading came to.
    private struct Reading {
        /// The records so far after each packet: how many bytes of `records` they are.
        var after = [0]
        var records: [UInt8] = []
        var errors: [CaptureFileError] = []
    }

    private static func read(_ bytes: [UInt8]) -> Reading {
        var reading = Reading()
        var report = RecordReport(Output())
        var dissector = Dissector(seed: 7)
        do {
            var reader = try CaptureReader(bytes: bytes)
            while true {
                do throws(CaptureFileError) {
                    guard let item = try reader.next() else { break }
                    guard case .packet(let packet) = item else { continue }
                    dissector.receive(packet, sink: &report)
                    reading.records += report.takeBytes()
                    reading.after.append(reading.records.count)
                } catch {
                    reading.errors.append(error)
                    if !error.canGoOn { break }
                }
            }
        } catch {
            reading.errors.append(error)
        }
        dissector.finish(sink: &report)
        return reading
    }

    @Test(arguments: fixtures) func atEachByte(fixture: String) throws {
        let bytes = [UInt8](try Data(contentsOf: GoldenTests.fixtures.appendingPathComponent(fixture)))
        guard bytes.count <= 64 << 10 else { return }
        let whole = Self.read(bytes)
        #expect(whole.errors.isEmpty)
        #expect(whole.after.count > 4)
        var last = 0
        for length in 0..<bytes.count {
            let cut = Self.read(Array(bytes.prefix(length)))
            let packets = cut.after.count - 1
            #expect(cut.after.elementsEqual(whole.after.prefix(packets + 1)), "\(fixture) cut at \(length)")
            #expect(whole.records.starts(with: cut.records), "\(fixture) cut at \(length)")
            #expect(packets == last || packets == last + 1, "\(fixture) cut at \(length)")
            // Silence only between two records.
            #expect(cut.errors.count <= 1)
            for error in cut.errors { #expect(error.kind == .cutShort || length < 4, "\(fixture) cut at \(length): \(error)") }
            last = packets
        }
    }

    @Test func theProgramSaysSoAndGoesToTheEnd() throws {
        let bytes = try Data(contentsOf: GoldenTests.fixtures.appendingPathComponent("starttls/capture.pcap"))
        for length in stride(from: 0, to: bytes.count, by: 67) {
            let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", "-"], input: bytes.prefix(length))
            #expect(outcome.status == 0 || outcome.status == 1, "cut at \(length): \(outcome.status) \(outcome.errors)")
            #expect((outcome.status == 1) == !outcome.errors.isEmpty, "cut at \(length)")
            if length >= 24 { #expect(outcome.lines.last?.contains("\"kind\":\"end\"") == true, "cut at \(length)") }
        }
    }
}
