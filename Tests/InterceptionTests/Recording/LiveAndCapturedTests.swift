import Dissection
import Foundation
import Interception
import NIOCore
import Reports
import Support
import Testing

/// What the proxy shows of a conversation is what reading its recording shows (docs/log-format.md, Live and captured).
@Suite("Live and captured") struct LiveAndCapturedTests {
    private static let fixtures = UnmaskProcess.project.appendingPathComponent("fixtures")

    /// Captures below fixtures/, by the folder that they lie in.
    static let names: [String] = {
        let found = (try? FileManager.default.contentsOfDirectory(atPath: fixtures.path)) ?? []
        return found.sorted().filter { capture($0) != nil }
    }()

    static func capture(_ name: String) -> String? {
        ["capture.pcap", "capture.pcapng"].map { fixtures.appendingPathComponent(name).appendingPathComponent($0).path }
            .first { FileManager.default.fileExists(atPath: $0) }
    }

    /// Feeds a recorder with the steps of a capture, as a relay would.
    private func relay(_ steps: [StreamSteps.Step], to run: RecorderRun) {
        var numbers: [UInt64: UInt64] = [:]
        for step in steps {
            if case .begin(let client, let server) = step.what {
                numbers[step.conversation] = run.recorder.begin(
                    Beginning(client: LiveEndpoint(endpoint: client), server: LiveEndpoint(endpoint: server)), at: step.time)
                continue
            }
            guard let number = numbers[step.conversation] else { continue }
            switch step.what {
            case .begin: break
            case .bytes(let side, let bytes): run.recorder.received(ByteBuffer(bytes: bytes), from: side, in: number, at: step.time)
            case .finished(let side): run.recorder.finished(from: side, in: number, at: step.time)
            case .reset(let side): run.recorder.reset(from: side, in: number, at: step.time)
            }
        }
    }

    @Test func `there are fixtures`() { #expect(Self.names.count > 50) }

    @Test(arguments: names) func `the recording of a fixture says what its log says`(name: String) throws {
        let steps = try StreamSteps.steps(of: #require(Self.capture(name)))
        let run = try RecorderRun(RecordSettings(showsFrames: true))
        relay(steps, to: run)
        let live = run.finish()
        let read = try run.readBack(RecordSettings(showsFrames: true))
        let differences = try ComparableLog(live).differences(from: ComparableLog(read))
        #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
        if steps.contains(where: { if case .bytes = $0.what { true } else { false } }) {
            #expect(live.split(separator: "\n").count > 4)
        }
    }

    @Test func `the live records of all fixtures hold the schema`() throws {
        var log = ""
        for name in Self.names {
            let run = try RecorderRun(RecordSettings(showsFrames: true))
            relay(try StreamSteps.steps(of: #require(Self.capture(name))), to: run)
            log += run.finish()
        }
        #expect(try LogValidation.verdict(on: log) == nil)
    }
}
