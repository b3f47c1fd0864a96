import Foundation
import Support
import Testing

/// What the proxy logs of a conversation is what reading its recording gives, in every mode (docs/log-format.md, Live and captured):
/// each fixture's conversations are played through the proxy by a client and a server with real sockets.
@Suite("Live and captured, through every mode") struct RecordedModesTests {
    private static let script = UnmaskProcess.project.appendingPathComponent("Tests/Peers/replay_fixtures.py").path
    private static let fixtures = UnmaskProcess.project.appendingPathComponent("fixtures").path

    @Test(arguments: [
        "reverse", "reverse-tls", "reverse-tls-to-plain", "reverse-plain-to-tls", "reverse-to-unix", "reverse-on-unix", "http-connect",
        "http-connect-tls", "http-plain", "socks5", "socks5-tls", "transparent",
    ])
    func theRecordingSaysWhatTheLogSays(mode: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", Self.script, "--unmask", UnmaskProcess.executable.path, "--fixtures", Self.fixtures, "--mode", mode,
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        if process.terminationStatus == 77 {
            print("skipped: the recording of \(mode) mode: \(text)")
            return
        }
        #expect(process.terminationStatus == 0, "\(text)")
    }
}
