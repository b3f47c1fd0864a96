import Foundation
import Support
import Testing

/// `unmask console` and `--console`, as a browser or an attacker would ask them: what they serve, to whom, and what they refuse.
@Suite struct ConsoleCommandTests {
    @Test(arguments: [
        "rows", "filters", "hostile", "slow", "live", "loop", "redacted", "unchanged", "notes", "alone", "user", "program", "demo", "wild",
        "full", "pings", "numbers", "overwritten", "counts",
    ])
    func `the console keeps what it promises`(part: String) throws {
        let run = try PeerProgram("console_requests.py", [UnmaskProcess.executable.path, part], seconds: 240, announces: false).finish()
        #expect(run.status == 0 && run.lines.contains { $0.hasPrefix("same") }, "\(run.lines.joined(separator: "\n"))")
    }

    @Test(arguments: ["words", "pages", "differences", "calls"])
    func `the console says, hands on and compares what the commands do`(part: String) throws {
        let run = try PeerProgram("console_handing.py", [UnmaskProcess.executable.path, part], seconds: 240, announces: false).finish()
        #expect(run.status == 0 && run.lines.contains { $0.hasPrefix("same") }, "\(run.lines.joined(separator: "\n"))")
    }

    @Test(arguments: [
        (["console"], "Name a capture file"), (["console", "-p", "x", "a.pcapng"], "-p"),
        (["console", "--console-host", "a b", "a"], "--console-host"),
        (["proxy", "--console-host", "a", "ws://localhost:1"], "--console-host goes with --console"),
        (["proxy", "--console=70000", "ws://localhost:1"], "the port is not a number from 1 to 65535"),
        (["run", "--console", "99999", "--", "true"], "“99999” is not a valid listen address: the port is not a number from 1 to 65535"),
        (["run", "--console", "localhost:99999", "true"], "the port is not a number from 1 to 65535"),
        (["console", "/nonexistent/file"], "/nonexistent/file"),
    ])
    func `wrong use says what is wrong, and ends with 2`(arguments: [String], words: String) throws {
        let outcome = try UnmaskProcess.run(arguments)
        #expect(outcome.status == 2 && outcome.errors.contains(words), "\(outcome.status): \(outcome.errors)")
    }

    @Test func `a port that is taken is named, and nothing is read`() throws {
        let server = try LoopbackServer()
        let outcome = try UnmaskProcess.run(["console", "-p", String(server.port), "fixtures/chromium-websocket/capture.pcapng"])
        #expect(outcome.status == 1 && outcome.errors.contains("cannot listen on 127.0.0.1:\(server.port)"), "\(outcome.errors)")
    }
}
