import Support
import Testing

/// What TLS takes counts against `--memory`, also where the TLS library has it.
@Suite("Memory of TLS", .serialized)
struct TLSMemoryEndTests {
    @Test("clients that wait inside TLS for the 502, and never ask, are given up from the oldest")
    func apologies() throws {
        let listener = try LoopbackListener()
        let proxy = try ProxyProcess(["--mode", "http", "--memory", "16M", "--grace", "0"])
        let hello = Hello.bytes(name: "api.example", padding: 12_000)
        var clients: [LoopbackSocket] = []
        // Each takes about 90 KiB of the 4 MiB that there are.
        for _ in 0..<60 {
            let client = try LoopbackSocket(port: proxy.port)
            try client.send("CONNECT 127.0.0.1:\(listener.port) HTTP/1.1\r\n\r\n")
            let server = try listener.accept()
            _ = try client.receiveHead()
            try client.send(hello)
            #expect(try server.receive(1) == [22])
            try server.send("no")
            server.finish()
            // Our ServerHello, to which it says nothing.
            #expect(try client.receive(1) == [22])
            clients.append(client)
        }
        let records = proxy.records(until: "closed", count: 10)
        // Each is given up on the event loop that it lives on, so that neighbours may close in either order.
        let closed = records.all("closed").prefix(10).compactMap { $0["conversation"] as? Int }
        #expect(closed.count == 10 && zip(closed, 1...).allSatisfy { abs($0 - $1) <= 2 }, "\(closed)")
        let first = records.all("finding").filter { $0["conversation"] as? Int == 1 }
        #expect(first.compactMap { $0["id"] as? String } == ["proxy.tls-failed", "proxy.limit-reached"])
        #expect(records.all("closed").prefix(10).allSatisfy { $0["how"] as? String == "tls-failed" && $0["by"] as? String == "proxy" })
        withExtendedLifetime(clients) {}
    }

    @Test("conversations with TLS are refused when those that are open take half of the memory, and begin again when one has ended")
    func sessions() throws {
        let peers = try PeerProgram("tls_crowd.py")
        let proxy = try ProxyProcess(["--upstream", "tcp://127.0.0.1:\(peers.port)", "--memory", "16M", "--grace", "0"])
        try peers.say("\(proxy.port)")
        // 8 MiB at 40 KiB each.
        #expect(peers.nextLine() == "refused after 204")
        #expect(peers.nextLine() == "again")
        let records = proxy.stop().records
        let refused = records.all("finding").filter { $0["id"] as? String == "proxy.limit-reached" }
        #expect(refused.count >= 1)
        #expect(
            (refused.first?["detail"] as? String)?.hasSuffix("the TLS sessions of open conversations take 8 MiB, which is half of --memory")
                == true)
        #expect(records.closings.contains("limit by proxy"))
    }
}
