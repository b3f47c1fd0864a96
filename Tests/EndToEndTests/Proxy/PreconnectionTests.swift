import Foundation
import Support
import Testing

/// Connections that browsers open ahead of need, and clients that leave at the sight of the certificate.
@Suite("Connections that are never used", .serialized)
struct PreconnectionTests {
    @Test(
        "a client that has used the host refuses nothing by leaving; one that leaves in its first handshake may, and that is what is said")
    func unused() throws {
        let peers = try PeerProgram("preconnections.py")
        let authority = try #require(peers.announced.last)
        let proxy = try ProxyProcess(
            ["--upstream", "tls://localhost:\(peers.port)", "--upstream-ca", authority, "--passthrough-on-failure"])
        let told: [String: Any] = ["port": Int(proxy.port), "authority": proxy.authority.path]
        try peers.say(String(decoding: JSONSerialization.data(withJSONObject: told), as: UTF8.self))
        #expect(peers.nextLine() == "used: hello hello hello")
        // It still gets our certificate: the host is not passed through.
        #expect(peers.nextLine() == "used again: hello")
        let records = proxy.records(until: "closed", count: 11)
        _ = peers.finish()
        let found = records.all("finding").filter { $0["id"] as? String == "proxy.client-refused-certificate" }
        let client = found.first.flatMap { finding in
            records.all("opened").first { $0["conversation"] as? Int == finding["conversation"] as? Int }?["client"] as? [String: Any]
        }
        #expect(found.count == 1, "\(found)")
        #expect(client?["address"] as? String == "127.0.0.2")
        #expect(
            found.first?["detail"] as? String
                == "the client closed the connection right after the proxy's certificate for localhost. It may not trust the local CA, "
                + "or it may pin the server's certificate. After one more such failure TLS to localhost is passed through")
        // Of those who left in the midst of it the hello alone.
        let left = records.all("closed").filter { $0["how"] as? String == "tls-failed" }.compactMap { $0["conversation"] as? Int }
        let opened = records.all("tls").filter { !left.contains($0["conversation"] as? Int ?? 0) }
        // Each of them has a reason, also where there is nothing to guess.
        let failed = records.all("finding").filter { $0["id"] as? String == "proxy.tls-failed" }
        #expect(Set((failed + found).compactMap { $0["conversation"] as? Int }) == Set(left) && failed.count == 3, "\(failed)")
        #expect(
            failed.allSatisfy {
                $0["detail"] as? String
                    == "TLS could not be established: with the client: it closed the connection right after the proxy's certificate for localhost. "
                    + "It may not trust the local CA, although another connection from its address did. Make the client trust the local CA (unmask ca)"
            }, "\(failed)")
        #expect(left.count == 4 && opened.allSatisfy { $0["secrets"] as? String == "terminated" })
    }

    @Test("a client that takes what its server says first and leaves without a byte does not pin, and its host is not passed through")
    func serverSpeaksFirst() throws {
        let peers = try PeerProgram("handshakes.py", ["greets"])
        let authority = try #require(peers.announced.last)
        let proxy = try ProxyProcess(
            ["--upstream", "tls://localhost:\(peers.port)", "--upstream-ca", authority, "--passthrough-on-failure"])
        let acts = [String](repeating: "read", count: 5)
        let told: [String: Any] = ["port": Int(proxy.port), "authority": proxy.authority.path, "acts": acts]
        try peers.say(String(decoding: JSONSerialization.data(withJSONObject: told), as: UTF8.self))
        let records = proxy.records(until: "closed", count: acts.count)
        _ = peers.finish()
        #expect(records.findings == [], "\(records.findings)")
        #expect(records.all("tls").compactMap { $0["secrets"] as? String } == acts.map { _ in "terminated" })
    }
}
