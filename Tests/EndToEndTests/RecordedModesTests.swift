import Foundation
import Support
import Testing

/// What the proxy logs of a conversation is what reading its recording gives, in every mode (docs/log-format.md, Live and captured):
/// each fixture's conversations are played through the proxy by a client and a server with real sockets.
@Suite("Live and captured, through every mode") struct RecordedModesTests {
    @Test(arguments: [
        "reverse", "reverse-tls", "reverse-tls-to-plain", "reverse-plain-to-tls", "reverse-to-unix", "reverse-on-unix", "http-connect",
        "http-connect-tls", "http-plain", "socks5", "socks5-tls", "transparent",
    ])
    func theRecordingSaysWhatTheLogSays(mode: String) throws {
        let fixtures = UnmaskProcess.project.appendingPathComponent("fixtures").path
        let program = try PeerProgram(
            "replay_fixtures.py", ["--unmask", UnmaskProcess.executable.path, "--fixtures", fixtures, "--mode", mode], seconds: 300,
            announces: false)
        let (lines, status) = program.finish()
        let text = lines.joined(separator: "\n")
        if status == 77 {
            print("skipped: the recording of \(mode) mode: \(text)")
            return
        }
        #expect(status == 0, "\(text)")
    }
}
