import Support

extension ProxyFindingCase {
    /// About clients of the SOCKS listener that ask for another listener of the same proxy.
    static let ownListenerCases = [
        ProxyFindingCase(
            "loop",
            ["proxy.loop: the proxy was asked to connect to itself: 127.0.0.1:PORT is an address at which this proxy listens"],
            fires: { try OwnListener.asked(\.socks) { client in _ = try client.receive(10) } },
            // The HTTP listener takes the client, and its request goes to the server.
            nearly: {
                let listener = try LoopbackListener()
                return try OwnListener.asked(\.http) { client in
                    guard try client.receive(10)[1] == 0 else { throw ProxyRuns.Failure("the SOCKS request was refused") }
                    try client.send("GET http://127.0.0.1:\(listener.port)/ HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r\n\r\n")
                    let server = try listener.accept()
                    guard try server.receiveHead().hasPrefix("GET / HTTP/1.1\r\n") else { throw ProxyRuns.Failure("not in origin-form") }
                    try server.send("HTTP/1.1 204 Fine\r\n\r\n")
                    _ = try client.receiveHead()
                    client.finish()
                    _ = try server.receiveToTheEnd()
                }
            })
    ]
}

/// A proxy with a listener for HTTP and one for SOCKS, as `unmask run` has it.
private enum OwnListener {
    struct Ports {
        var http: UInt16
        var socks: UInt16
    }

    /// A client of the SOCKS listener asks for one of the two; `visit` begins where the reply is due.
    static func asked(_ listener: KeyPath<Ports, UInt16>, _ visit: (LoopbackSocket) throws -> Void) throws -> [String] {
        let proxy = try ProxyProcess(["--mode", "http", "--mode", "socks5", "--listen", "127.0.0.1:0"], listeners: 2)
        let ports = Ports(http: proxy.ports[0], socks: proxy.ports[1])
        let client = try LoopbackSocket(port: ports.socks)
        try client.send([5, 1, 0])
        _ = try client.receive(2)
        let port = ports[keyPath: listener]
        try client.send([5, 1, 0, 1, 127, 0, 0, 1, UInt8(port >> 8), UInt8(port & 0xFF)])
        try visit(client)
        client.finish()
        return ProxyFindingCase.lines(of: proxy.records(until: "closed"))
    }
}
