import Decryption
import Dissection
import Foundation
import Testing

/// Records connections of `openssl s_client` with `openssl s_server` anew, one for each protection of records that this OpenSSL offers
/// (Tests/Peers/tls-suites.py), and opens them.
@Suite("OpenSSL's suites")
struct RecordedSuiteTests {
    private static func hasProgram(_ name: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
        }
    }

    @Test("what both sent comes out, byte for byte", .timeLimit(.minutes(5)))
    func recordedAnew() throws {
        guard Self.hasProgram("openssl"), Self.hasProgram("python3") else {
            print("skipped: openssl or python3 is missing")
            return
        }
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Peers/tls-suites.py").path
        let folder = NSTemporaryDirectory() + "/unmask-suites-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let recorder = Process()
        recorder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        recorder.arguments = ["python3", script, folder]
        let output = Pipe()
        recorder.standardOutput = output
        try recorder.run()
        let told = output.fileHandleForReading.readDataToEndOfFile()
        recorder.waitUntilExit()
        #expect(recorder.terminationStatus == 0)
        let names = String(decoding: told, as: UTF8.self).split(separator: "\n")
        let recordings = Recording.all(in: folder)
        #expect(recordings.count == names.count)
        #expect(recordings.count >= 60)
        for recording in recordings {
            let opened = Opened(recording)
            #expect(opened.sealed == [], "\(recording.name)")
            #expect(opened.client == recording.refused + recording.client, "\(recording.name)")
            #expect(opened.server == recording.server, "\(recording.name)")
        }
    }
}
