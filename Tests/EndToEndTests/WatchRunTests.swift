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
        try NetworkScript.run("run_watch.py", namespaces: ["--net"])
    }
}
