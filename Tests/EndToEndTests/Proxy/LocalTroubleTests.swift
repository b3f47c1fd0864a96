import Foundation
import Libc
import Support
import Testing

/// What the proxy itself lacks, said so that its user knows what to do: a CA that can be used, descriptors.
@Suite("Trouble of the proxy's own", .serialized) struct LocalTroubleTests {
    @Test func `a CA that cannot be used is told at the start, and in the records as it has to be typed`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Unmask-CA-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try #require(try UnmaskProcess.run(["ca", "--ca-folder", folder.path]).status == 0)
        let key = folder.appendingPathComponent("authority/unmask-authority-key.pem")
        try FileManager.default.removeItem(at: key)
        let listener = try LoopbackListener()
        let log = folder.appendingPathComponent("log").path
        let proxy = try UnreadProxy(
            [
                "--listen", "127.0.0.1:0", "--upstream", "tcp://127.0.0.1:\(listener.port)", "--grace", "0", "--ca-folder", folder.path,
                "--log", log,
            ], output: FileHandle(forWritingAtPath: "/dev/null"))
        let advice = "\(key.path): is missing, and its certificate is there; put the file back, or let unmask ca remove --yes"
        #expect(proxy.said.hasPrefix("unmask: TLS with clients fails, because the local CA cannot be used: \(advice)"), "\(proxy.said)")
        let client = try LoopbackSocket(port: proxy.port)
        try client.send(Hello.bytes(name: "api.example"))
        let server = try listener.accept()
        _ = try client.receiveToTheEnd()
        client.close()
        server.close()
        let end = proxy.interrupt()
        // Once, however many clients there are.
        #expect(end.errors.components(separatedBy: "TLS with clients fails").count == 2, "\(end.errors)")
        let records = LogRecords(lines: try Data(contentsOf: URL(fileURLWithPath: log)).split(separator: 0x0A).map { Data($0) })
        let details = records.all("finding").compactMap { $0["detail"] as? String }
        #expect(details.contains { $0.contains("with the client: the local CA cannot be used: \(advice)") }, "\(details)")
    }

    @Test func `a CA without which the proxy cannot begin is told once`() throws {
        let arguments = ["proxy", "--mode", "http", "--listen", "127.0.0.1:0", "--ca-folder", "/dev/null"]
        let outcome = try UnmaskProcess.run(arguments)
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("unmask: /dev/null: ") && outcome.errors.count { $0 == "\n" } == 1, "\(outcome.errors)")
    }

    @Test func `a name that cannot be looked up for want of descriptors is told as that`() throws {
        let proxy = try ProxyProcess(["--mode", "http"], files: 64)
        let first = try LoopbackSocket(port: proxy.port)
        let idle = try (0..<80).map { _ in try LoopbackSocket(port: proxy.port) }
        let paused = proxy.records(until: "finding")
        #expect(paused.findings == ["proxy.out-of-files"])
        let advice = "raise the limit (ulimit -Hn, or LimitNOFILE= of a systemd service)"
        #expect((paused.all("finding").first?["detail"] as? String)?.hasSuffix("Too many open files (64); \(advice)") ?? false)
        try first.send("CONNECT localhost:9 HTTP/1.1\r\nHost: localhost:9\r\n\r\n")
        let answer = String(decoding: try first.receiveToTheEnd().bytes, as: UTF8.self)
        withExtendedLifetime(idle) {}
        #expect(answer.hasPrefix("HTTP/1.1 502 ") && answer.contains("too many open files (64); \(advice)"), "\(answer)")
        #expect(!answer.contains("System error"))
    }
}
