import Foundation
import Support
import Testing

/// How connections end, as each of the two peers sees it, without a proxy and with one: the same, whatever the way in.
@Suite("How a connection ends arrives as it was", .serialized)
struct CloseStyleTests {
    /// The modes, as the client's script knows them, and as the proxy's `--mode` does.
    static let ways = [("reverse", nil), ("connect", "http"), ("socks5", "socks5")]

    @Test("FIN, half-close and RST, by raw peers")
    func plain() throws { try compare("close_styles.py", [], scheme: "tcp") }

    @Test("close_notify, its absence, FIN and RST, by peers of TLS", arguments: ["1.2", "1.3"])
    func secure(version: String) throws { try compare("close_styles.py", ["--tls", version], scheme: "tls") }

    @Test("Close frames, drops and broken rules, by Python's websockets on both sides")
    func webSockets() throws { try compare("websocket_closes.py", [], scheme: "ws") }

    @Test("the same within TLS")
    func secureWebSockets() throws { try compare("websocket_closes.py", ["--tls"], scheme: "wss") }

    /// Plays all styles of a script directly and through each mode, and compares what it prints.
    private func compare(_ script: String, _ arguments: [String], scheme: String) throws {
        guard script != "websocket_closes.py" || PeerProgram.hasPython("websockets.asyncio.server") else {
            print("skipped: how WebSockets end through a proxy (Python has no websockets of 14 or later)")
            return
        }
        let direct = try play(script, arguments, way: "direct", mode: nil, scheme: scheme)
        #expect(direct.count > 8)
        for (way, mode) in Self.ways {
            let proxied = try play(script, arguments, way: way, mode: mode, scheme: scheme)
            #expect(proxied.count == direct.count)
            for (without, with) in zip(direct, proxied) where without != with {
                Issue.record("through \(way), \(scheme) \(arguments.joined(separator: " ")):\n  \(with)\nwithout a proxy:\n  \(without)")
            }
        }
    }

    private func play(_ script: String, _ arguments: [String], way: String, mode: String?, scheme: String) throws -> [String] {
        let peers = try PeerProgram(script, arguments)
        var told: [String: Any] = ["way": way]
        var proxy: ProxyProcess?
        if way != "direct" {
            // The bytes are compared by the peers; the log need not hold them.
            var options = ["--payload", "none", "--mode", mode ?? "reverse:\(scheme)://localhost:\(peers.port)"]
            if peers.announced.count > 1 { options += ["--upstream-ca", peers.announced[1]] }
            let started = try ProxyProcess(options)
            told["port"] = Int(started.port)
            if peers.announced.count > 1 { told["authority"] = started.authority.path }
            proxy = started
        }
        try peers.say(String(decoding: JSONSerialization.data(withJSONObject: told), as: UTF8.self))
        let outcome = peers.finish()
        #expect(outcome.status == 0, "\(script) through \(way)")
        if let end = proxy?.stop() { #expect([0, 130].contains(end.status), "\(end.errors)") }
        return outcome.lines
    }
}
