import Foundation
import Support
import Testing

/// What the proxy cannot pass on of a TLS connection is said.
@Suite("What TLS cannot pass on", .serialized)
struct LeftOutTests {
    @Test("what the client's hello asked for and ours cannot, and bytes after a close_notify")
    func told() throws {
        let peers = try PeerProgram("stray_bytes.py")
        let authority = try #require(peers.announced.last)
        let proxy = try ProxyProcess(["--upstream", "tls://localhost:\(peers.port)", "--upstream-ca", authority])
        let told: [String: Any] = ["port": Int(proxy.port), "authority": proxy.authority.path]
        try peers.say(String(decoding: JSONSerialization.data(withJSONObject: told), as: UTF8.self))
        #expect(peers.nextLine() == "got: hello")
        #expect(peers.nextLine() == "then: bye")
        _ = proxy.records(until: "finding", count: 2)
        try peers.say("seen")
        let records = proxy.records(until: "closed", count: 1)
        _ = peers.finish()
        let details = records.all("finding").compactMap { $0["detail"] as? String }
        #expect(
            details == [
                "the proxy's ClientHello to the server could not repeat: a server name that is not a host name",
                "the client sent TLS bytes after its close_notify; they are dropped",
            ])
        #expect(records.findings == ["proxy.hello-cut", "proxy.stray-bytes"])
        #expect(records.all("data").count == 3, "\(records.records)")
    }
}
