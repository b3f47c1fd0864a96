import Foundation
import Support
import Testing

/// Programs that people use, on both ends of the proxy: what they see through it is what they see without it.
@Suite("Real peers see the same through the proxy", .serialized)
struct RealPeerTests {
    @Test(
        "what a program sees through each mode, or started by unmask run, is what it sees without a proxy",
        arguments: ["curl", "http2", "node", "nginx", "socketio", "messaging", "chromium", "run", "grpc", "websocket_http2"])
    func sees(peers: String) throws { try hold(peers) }

    @Test("what is captured of both connections says what the log says, read with the secrets that the proxy has logged or recorded")
    func captured() throws {
        try hold("captured")
        try hold("sealed")
    }

    @Test func `certificates are shown as openssl has them, and what clients refuse in them is found`() throws { try hold("certificate") }

    @Test func `libraries read their values as we do`() throws { try hold("values") }

    private func hold(_ peers: String) throws {
        let run = try PeerProgram("\(peers)_peers.py", [UnmaskProcess.executable.path], seconds: 400, announces: false).finish()
        for line in run.lines where line.hasPrefix("skipped: ") { print(line) }
        #expect(run.status == 0, "\(run.lines.joined(separator: "\n"))")
        #expect(run.lines.contains { $0.hasPrefix("same: ") || $0.hasPrefix("skipped: ") })
    }
}
