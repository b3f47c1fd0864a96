import Foundation
import Support
import Testing

/// Which way in listens where.
@Suite("Modes and addresses in order", .serialized)
struct PairedWaysTests {
    @Test("--upstream and -p take their turn as --mode and --listen do")
    func order() throws {
        let proxy = try ProxyProcess(
            ["--mode", "socks5", "--upstream", "tcp://localhost:9", "-p", "0", "--mode", "http", "--upstream", "tcp://localhost:8"],
            listen: "127.0.0.2:0", listeners: 4)
        let lines = proxy.errors.split(separator: "\n").filter { $0.contains("listening on") }
        #expect(lines.count == 1)
        let places = lines.first?.matches(of: /(\S+) \(([^)]*\))/) ?? []
        let ways = places.map { place in (place.1.contains("127.0.0.2:"), String(place.2)) }
        #expect(ways.map(\.0) == [true, false, false, false], "\(lines)")
        #expect(ways.map(\.1) == ["socks5)", "reverse tcp://localhost:9)", "http)", "reverse tcp://localhost:8)"], "\(lines)")
    }

    @Test("more addresses than modes are refused")
    func tooMany() throws {
        let outcome = try UnmaskProcess.run(["proxy", "--mode", "http", "--listen", "0", "-p", "0"])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("2 addresses to listen on, and 1 mode to go with them: each --listen takes a --mode or --upstream"))
    }

    @Test("a Unix socket is reached directly where --via leads to the other servers")
    func unixBesideVia() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("u\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("s").path
        let listener = try LoopbackListener()
        // It has the Unix socket; the other way in is for the port that tells that it is there.
        let server = try ProxyProcess(
            ["--upstream", "tcp://127.0.0.1:\(listener.port)", "--mode", "http"], listen: "unix:\(path)")
        let via = try LoopbackListener()
        let proxy = try ProxyProcess(
            ["--upstream", "unix:\(path)", "--mode", "socks5", "--via", "http://127.0.0.1:\(via.port)"], listeners: 2)
        let client = try LoopbackSocket(port: proxy.port)
        try client.send("direct")
        let accepted = try listener.accept()
        #expect(try accepted.receive(6) == Array("direct".utf8))
        #expect(!via.isDialled(within: 0))
        withExtendedLifetime(server) {}
    }
}
