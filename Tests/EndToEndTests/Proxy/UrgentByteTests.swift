import Foundation
import Support
import Testing

/// Urgent bytes of TCP (MSG_OOB) on their way through the proxy.
@Suite("Urgent bytes", .serialized)
struct UrgentByteTests {
    @Test("an urgent byte arrives as one, in its place, in both directions, also as the first byte and among much")
    func relayed() throws {
        let peers = try PeerProgram("urgent_bytes.py")
        let proxy = try ProxyProcess(["--upstream", "tcp://127.0.0.1:\(peers.port)"])
        try peers.say("\(proxy.port)")
        let (lines, status) = peers.finish()
        #expect(status == 0)
        #expect(
            lines == [
                "first: urgent b'!' then b'after'", "middle: b'before' urgent b'?' then b'after'",
                "back: b'before' urgent b'#' then b'after'",
                "in line: b'abcdef' whole", "much: 4000006 bytes, urgent b'~'",
            ])
        let records = proxy.stop().records
        #expect(!records.findings.contains("proxy.urgent-byte"))
        // What is recorded has the byte in its place.
        #expect(records.all("data").contains { $0["text"] as? String == "before?after" || ($0["text"] as? String)?.hasPrefix("?") == true })
    }

    @Test("where the server speaks TLS the byte goes in its place as any other, and a finding says so once")
    func intoTLS() throws {
        let peers = try PeerProgram("urgent_bytes.py", ["tls"])
        let authority = try #require(peers.announced.last)
        let proxy = try ProxyProcess(["--upstream", "tls://localhost:\(peers.port)", "--upstream-ca", authority])
        try peers.say("\(proxy.port)")
        #expect(peers.finish().lines == ["tls: b'before?after!'"])
        #expect(proxy.records(until: "finding").findings.filter { $0 == "proxy.urgent-byte" }.count == 1)
    }

    @Test("what a server sends after an urgent byte beyond its response goes nowhere, like any other")
    func beyondResponse() throws {
        let peers = try PeerProgram("urgent_bytes.py", ["http"])
        let proxy = try ProxyProcess(["--mode", "http"])
        try peers.say("\(proxy.port)")
        #expect(peers.finish().lines == ["http: b'abc'"])
        _ = proxy.stop()
    }
}
