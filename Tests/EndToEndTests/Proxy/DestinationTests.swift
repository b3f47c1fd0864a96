import Foundation
import Support
import Testing

@Suite("Where the proxy goes, and where not") struct DestinationTests {
    @Test("behind another proxy only the name and port of the server are known, and the bytes go through")
    func via() throws {
        let server = try LoopbackListener()
        let behind = try ProxyProcess(["--mode", "http"])
        let proxy = try ProxyProcess(["--mode", "http", "--via", "http://127.0.0.1:\(behind.port)"])
        let client = try LoopbackSocket(port: proxy.port)
        try client.send("CONNECT localhost:\(server.port) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let accepted = try server.accept()
        #expect(try client.receiveHead().hasPrefix("HTTP/1.1 200 "))
        try client.send("knock\n")
        #expect(try accepted.receive(6) == Array("knock\n".utf8))
        client.finish()
        accepted.finish()
        let opened = proxy.records(until: "closed").records.first { $0["kind"] as? String == "opened" }
        let told = try #require(opened?["server"] as? [String: Any])
        #expect(told["address"] as? String == "0.0.0.0")
        #expect(told["port"] as? Int == Int(server.port))
        #expect(told["name"] as? String == "localhost")
        #expect(proxy.stop().status == 0)
        #expect(behind.stop().status == 0)
    }

    @Test("what the other proxy says of a failure stands in the answer, once")
    func failureBehind() throws {
        let behind = try ProxyProcess(["--mode", "socks5"])
        let proxy = try ProxyProcess(["--mode", "http", "--via", "socks5://127.0.0.1:\(behind.port)"])
        let answer = try ask(proxy, "http://nobody.invalid/")
        #expect(answer.hasPrefix("HTTP/1.1 502 "))
        let told = "unmask: socks5://127.0.0.1:\(behind.port) cannot connect to nobody.invalid:80: host unreachable\n"
        #expect(answer.hasSuffix("\r\n\r\n" + told))
    }

    @Test(
        "a name that leads back to the proxy is refused as such, whatever its other addresses say", arguments: ["localhost", "127.0.0.1"])
    func itself(host: String) throws {
        let proxy = try ProxyProcess(["--mode", "http"])
        let answer = try ask(proxy, "http://\(host):\(proxy.port)/x")
        #expect(answer.hasPrefix("HTTP/1.1 502 "))
        #expect(answer.contains("error=proxy_loop_detected"))
        #expect(answer.contains("127.0.0.1:\(proxy.port) is an address at which this proxy listens"))
    }

    /// What the proxy answers to a plain request, to its end.
    private func ask(_ proxy: ProxyProcess, _ target: String) throws -> String {
        let client = try LoopbackSocket(port: proxy.port)
        try client.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
        return String(decoding: try client.receiveToTheEnd().bytes, as: UTF8.self)
    }
}
