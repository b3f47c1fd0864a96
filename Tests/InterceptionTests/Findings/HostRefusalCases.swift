import Support

extension ProxyFindingCase {
    /// About servers that refuse what names the proxy. Two ports are meant where `localhost:PORT` stands: that of the proxy in Host and Origin, that of
    /// the server in the advice. `app.example` is the proxy under a name that is not of this machine alone, as /etc/hosts may have it.
    static let hostCases = hostNameCases + originCases

    private static func found(_ words: String) -> [String] {
        ["proxy.host-refused: the server may refuse requests that name the proxy: \(words)"]
    }

    /// What is found of a WebSocket itself that the server refused.
    private static func refused(_ offset: Int, _ words: String) -> String {
        "< @\(offset) websocket.refused: the server refused the WebSocket with \(words)"
    }

    private static let hostNameCases = [
        ProxyFindingCase(
            "host-refused", found("403 to a request whose Host is app.example:PORT. Try --rewrite-host localhost:PORT"),
            fires: { try HostRefusal.asked([.init("Host: app.example:PROXY", 403)]) },
            // It has the server's own name.
            nearly: { try HostRefusal.asked([.init("Host: localhost:SERVER", 403)]) }),
        ProxyFindingCase(
            "host-refused", found("403 to a request whose Host is app.example:PORT. Try --rewrite-host localhost:PORT"),
            fires: { try HostRefusal.asked([.init("Host: app.example:PROXY", 403)]) },
            // Both are names of this machine: a folder of which the server shows no list.
            nearly: { try HostRefusal.asked([.init("Host: 127.0.0.1:PROXY", 403), .init("Host: localhost:PROXY", 403)]) }),
        ProxyFindingCase(
            "host-refused", found("404 to a request whose Host is app.example:PORT. Try --rewrite-host localhost:PORT"),
            fires: { try HostRefusal.asked([.init("Host: app.example:PROXY", 404, target: "/list")]) },
            // The same, of a server that has no front page.
            nearly: { try HostRefusal.asked([.init("Host: 127.0.0.1:PROXY", 404), .init("Host: localhost:PROXY", 404)]) }),
        ProxyFindingCase(
            "host-refused", found("404 to a request whose Host is app.example:PORT. Try --rewrite-host localhost:PORT"),
            fires: { try HostRefusal.asked([.init("Host: app.example:PROXY", 404)]) },
            // A server that takes such requests has another reason to refuse one.
            nearly: {
                try HostRefusal.asked([
                    .init("Host: app.example:PROXY", 200), .init("Host: app.example:PROXY", 404), .init("Host: app.example:PROXY", 403),
                ])
            }),
        ProxyFindingCase(
            "host-refused", found("421 to a request whose Host is localhost:PORT. Try --rewrite-host localhost:PORT"),
            // The server says so itself, whatever page the request comes from.
            fires: {
                try HostRefusal.asked([
                    .init("Host: localhost:PROXY", 200), .init("Host: localhost:PROXY\r\nOrigin: https://other.example", 421),
                ])
            },
            nearly: { try HostRefusal.asked([.init("Host: localhost:PROXY", 421)], options: ["--rewrite-host", "localhost:1"]) }),
        ProxyFindingCase(
            "host-refused", found("403 to a request whose Host is app.example:PORT. Try --rewrite-host localhost:PORT"),
            // The Origin is the server's own.
            fires: { try HostRefusal.asked([.init("Host: app.example:PROXY\r\nOrigin: http://localhost:SERVER", 403)]) },
            // A page of a third site is what the server refuses.
            nearly: {
                try HostRefusal.asked([
                    .init("Host: app.example:PROXY\r\nOrigin: https://other.example", 403),
                    .init("Host: app.example:PROXY\r\nOrigin: null", 403), .init("Host: app.example:PROXY\r\nOrigin: null", 404),
                ])
            }),
    ]

    private static let originCases = [
        ProxyFindingCase(
            "host-refused",
            found(
                "403 to a request whose Host is 127.0.0.1:PORT and Origin is http://127.0.0.1:PORT. Try --rewrite-host localhost:PORT --rewrite-origin http://localhost:PORT"
            ), fires: { try HostRefusal.asked([.init("Host: 127.0.0.1:PROXY\r\nOrigin: http://127.0.0.1:PROXY", 403)]) },
            nearly: {
                try HostRefusal.asked([
                    .init("Host: 127.0.0.1:PROXY\r\nOrigin: http://127.0.0.1:PROXY", 200),
                    .init("Host: 127.0.0.1:PROXY\r\nOrigin: http://127.0.0.1:PROXY", 403),
                ])
            }),
        ProxyFindingCase(
            "host-refused",
            [refused(41, "403 Words; the server may not allow the Origin http://localhost:PORT")]
                + found(
                    "403 to a request whose Host is localhost:PORT and Origin is http://localhost:PORT. Try --rewrite-host localhost:PORT --rewrite-origin http://localhost:PORT"
                ) + [refused(82, "403 Words; the server may not allow the Origin http://localhost:PORT")],
            // A page is loaded, its WebSocket is refused, and with it the next one: one finding.
            fires: {
                try HostRefusal.asked([
                    .init("Host: localhost:PROXY", 200), HostRefusal.webSocket, HostRefusal.webSocket,
                ])
            },
            // The path of the WebSocket is wrong: the server has taken these names.
            nearly: {
                try HostRefusal.asked([.init("Host: localhost:PROXY", 200), HostRefusal.upgrade(refusedWith: 404)])
            }),
        ProxyFindingCase(
            "host-refused",
            [refused(0, "404 Words; the server may not know this path")]
                + found(
                    "404 to a request whose Host is localhost:PORT and Origin is http://localhost:PORT. Try --rewrite-host localhost:PORT --rewrite-origin http://localhost:PORT"
                ), fires: { try HostRefusal.asked([HostRefusal.upgrade(refusedWith: 404)]) },
            // The WebSocket is of a page of a third site.
            nearly: { try HostRefusal.asked([HostRefusal.upgrade(refusedWith: 403, origin: "https://other.example")]) }),
        ProxyFindingCase(
            "host-refused",
            found(
                "403 to a request whose Host is localhost:PORT and Origin is http://localhost:PORT. Try --rewrite-host localhost:PORT --rewrite-origin http://localhost:PORT"
            ),
            // A page is taken, and the form on it refused for its Origin.
            fires: {
                try HostRefusal.asked([
                    .init("Host: localhost:PROXY", 200), .init("Host: localhost:PROXY\r\nOrigin: http://localhost:PROXY", 403),
                ])
            },
            // In http mode the request names the server.
            nearly: { try ProxyRuns.asked("", "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n") }),
    ]
}

/// Requests of a client of reverse mode on one connection, and what the server responds to each.
private enum HostRefusal {
    struct Step {
        /// `PROXY` and `SERVER` stand for the ports.
        let fields: String
        let status: Int
        let target: String

        init(_ fields: String, _ status: Int, target: String = "/") { (self.fields, self.status, self.target) = (fields, status, target) }
    }

    static let webSocket = upgrade(refusedWith: 403)

    static func upgrade(refusedWith status: Int, origin: String = "http://localhost:PROXY") -> Step {
        Step(
            """
            Host: localhost:PROXY\r\nOrigin: \(origin)\r\nConnection: Upgrade\r\nUpgrade: websocket\r
            Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
            """, status)
    }

    static func asked(_ steps: [Step], options: [String] = []) throws -> [String] {
        let listener = try LoopbackListener()
        return try ProxyRuns.proxied(["--upstream", "http://localhost:\(listener.port)"] + options) { proxy in
            let client = try LoopbackSocket(port: proxy.port)
            let server = try listener.accept()
            for step in steps {
                let fields = step.fields.replacing("PROXY", with: "\(proxy.port)").replacing("SERVER", with: "\(listener.port)")
                try client.send("GET \(step.target) HTTP/1.1\r\n\(fields)\r\n\r\n")
                _ = try server.receiveHead()
                try server.send("HTTP/1.1 \(step.status) Words\r\nContent-Length: 0\r\n\r\n")
                _ = try client.receiveHead()
            }
            client.finish()
            server.finish()
            _ = try server.receiveToTheEnd()
        }.filter { !$0.contains("proxy.header-rewritten") }.map { $0.replacing(/app\.example:\d+/, with: "app.example:PORT") }
    }
}
