import Support
import Testing

/// What waits in the proxy for clients that do not read counts against `--memory`.
@Suite("Memory of what nobody reads", .serialized)
struct UnreadClientsTests {
    private static let clients = 120

    @Test("clients that do not read cost no more than a quarter of the memory and a little each, and get all once they read")
    func bounded() throws {
        let peers = try PeerProgram("unread_crowd.py")
        let proxy = try ProxyProcess([
            "--upstream", "tcp://127.0.0.1:\(peers.port)", "--memory", "16M", "--payload", "none", "--grace", "0",
        ])
        let start = proxy.residentBytes
        try peers.say("\(proxy.port) \(Self.clients)")
        #expect(peers.nextLine()?.hasPrefix("stuck") == true)
        if let start, let late = proxy.residentBytes {
            let taken = late - start
            print("what \(Self.clients) clients do not read costs \(taken >> 20) MiB")
            // A quarter of the memory, what the conversations keep, and a read for each; 512 KiB for each would be 60 MiB.
            #expect(taken < 40 << 20, "\(taken)")
        } else {
            print("skipped: what clients that do not read cost (this system does not tell the memory of a process)")
        }
        try peers.say("read")
        #expect(peers.nextLine() == "same")
        #expect(proxy.stop().records.all("closed").count == Self.clients)
    }
}
