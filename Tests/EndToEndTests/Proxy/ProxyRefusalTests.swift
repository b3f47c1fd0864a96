import Foundation
import Support
import Testing

/// What `unmask proxy` refuses to begin with, and the way out that it names.
@Suite("What a proxy does not begin with") struct ProxyRefusalTests {
    @Test(
        "options that would do nothing",
        arguments: [
            (["--upstream", "ws://localhost:9", "--auth", "ana:secret"], "--auth asks clients of the http and socks5 modes"),
            (["--mode", "http", "--rewrite-host", "a"], "name the server with --upstream"),
            (["--mode", "socks5", "--rewrite-origin", "a"], "name the server with --upstream"),
            (["--upstream", "unix:/tmp/a.sock", "--via", "http://localhost:9"], "a Unix socket is not reached through it"),
            (["--mode", "transparent", "--listen", "unix:/tmp/a.sock"], "--listen takes HOST:PORT for it"),
            (["--mode", "http", "--sealed"], "--sealed goes with -w"),
        ])
    func withoutEffect(arguments: [String], words: String) throws {
        let outcome = try UnmaskProcess.run(["proxy"] + arguments)
        #expect(outcome.status == 2 && outcome.errors.contains(words), "\(outcome.status): \(outcome.errors)")
    }

    @Test("an address that cannot be listened at")
    func addresses() throws {
        let taken = try LoopbackListener()
        for (address, words) in [
            ("\(taken.port)", "address already in use; stop what listens there, or choose another address with --listen"),
            ("192.0.2.1:0", "this machine does not have that address; * stands for all that it has"),
            ("unix:/no/such/folder/a.sock", "the folder of the socket has to exist"),
            ("unix:/dev/null", "the path exists and is not a socket"),
        ] {
            let outcome = try UnmaskProcess.run(["proxy", "--upstream", "ws://localhost:9", "--listen", address])
            #expect(outcome.status == 1 && outcome.errors.hasSuffix("\(words)\n"), "\(outcome.status): \(outcome.errors)")
        }
        let log = try UnmaskProcess.run(["proxy", "--upstream", "ws://localhost:9", "--listen-port", "0", "--log", "/no/such/a"])
        #expect(log.status == 1)
        #expect(log.errors == "unmask: /no/such/a: cannot be opened for writing: No such file or directory; the folder has to exist\n")
    }

    @Test("what is meant for a standard output that the shell has closed goes nowhere else")
    func closedOutput() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-closed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = folder.appendingPathComponent("log").path
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = [
            "-c", "exec \"$0\" read fixtures/close-of-one-byte/capture.pcap --log \"$1\" <&- >&-", UnmaskProcess.executable.path, log,
        ]
        shell.currentDirectoryURL = UnmaskProcess.project
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        let alone = try UnmaskProcess.run(["read", "fixtures/close-of-one-byte/capture.pcap", "--format", "ndjson"])
        #expect(try String(contentsOfFile: log, encoding: .utf8) == alone.text)
    }
}
