import Foundation
import Support
import Testing

/// `unmask run --watch`. What real programs say is compared in `Tests/Peers/run_watch.py`.
@Suite struct WatchRunTests {
    @Test(arguments: [
        ["--via", "http://127.0.0.1:9"], ["--insecure"], ["--upstream-ca", "/etc/hostname"], ["--http1"], ["--keys", "keys.log"],
        ["--sealed", "-w", "talk.pcapng"], ["--lossy"], ["--all"],
    ])
    func `an option about the proxy is refused beside --watch`(options: [String]) throws {
        let outcome = try UnmaskProcess.run(["run", "--watch"] + options + ["--", "true"])
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(outcome.errors.contains("--watch has no proxy") || outcome.errors.contains("--all and --watch exclude each other"))
    }

    @Test func `a program that is watched says the same as through the proxy, and nothing is left`() throws {
        // In a network of the script's own, so that the one of this machine is left alone.
        let script = UnmaskProcess.project.appendingPathComponent("Tests/Peers/run_watch.py").path
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = (geteuid() == 0 ? ["unshare", "--net"] : []) + ["python3", script, UnmaskProcess.executable.path]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["PYTHONPATH": UnmaskProcess.project.appendingPathComponent(".build/peers").path]) { $1 }
        process.standardOutput = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        for line in said.split(separator: "\n") where line.hasPrefix("skipped: ") { print(line) }
        #expect(process.terminationStatus == 0, "\(said)")
        #expect(said.contains("same: ") || said.contains("skipped: "))
    }
}
