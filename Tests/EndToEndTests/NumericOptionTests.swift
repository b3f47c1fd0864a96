import Foundation
import Support
import Testing

/// Whatever a user writes for a number, the program works with it or ends with 2 and says why. It never traps.
@Suite struct NumericOptionTests {
    static let values = [
        "nan", "inf", "-inf", "1e300", "-1", "0", "99999999999999999999", "18446744073709551615", "65536", "", " 5", "1e5", "0x10", "٣",
    ]

    /// Each option that takes a number, `%` in its place. What would listen for good is stopped as soon as it says so.
    static let uses: [[String]] = [
        ["read", "--payload-limit=%", "/dev/null"], ["read", "--conversation=%", "/dev/null"],
        ["read", "--grep=x", "--context=%", "/dev/null"], ["read", "--min-size=%", "/dev/null"], ["read", "--since=%", "/dev/null"],
        ["read", "--until=%", "fixtures/abrupt-ends/capture.pcap"], ["list", "--memory=%", "fixtures/abrupt-ends/capture.pcap"],
        ["read", "--memory=%", "/dev/null"], ["proxy", "--mode", "http", "--listen", "127.0.0.1:0", "--memory=%"],
        ["read", "--decode-as=tcp.port=%,http", "/dev/null"], ["read", "--payload-as=tcp.port=%=msgpack", "/dev/null"],
        ["read", "-f", "port %", "fixtures/abrupt-ends/capture.pcap"],
        ["read", "-f", "greater %", "fixtures/abrupt-ends/capture.pcap"], ["capture", "-i", "lo", "-c%"],
        ["capture", "-i", "lo", "--count=%"], ["capture", "-i", "lo", "--duration=%"],
        ["proxy", "--mode", "http", "--mode", "socks5", "--listen=127.0.0.1:%", "--listen", "unix:/dev/null/x"],
        ["proxy", "--mode", "http", "--mode", "socks5", "--listen=%", "--listen", "unix:/dev/null/x"],
        ["proxy", "--mode", "http", "--mode", "socks5", "--listen-port=%", "--listen", "unix:/dev/null/x"],
        ["proxy", "--mode", "http", "--listen", "unix:/dev/null/x", "--via=http://127.0.0.1:%"],
        ["proxy", "--mode", "reverse:ws://127.0.0.1:%", "--listen", "unix:/dev/null/x"],
        ["proxy", "--upstream=ws://127.0.0.1:%", "--listen", "unix:/dev/null/x"],
        ["proxy", "ws://127.0.0.1:%", "--listen", "unix:/dev/null/x"],
        ["proxy", "--mode", "http", "--listen", "127.0.0.1:0", "--connect-timeout=%"],
        ["proxy", "--mode", "http", "--listen", "127.0.0.1:0", "--tls-timeout=%"],
        ["proxy", "--mode", "http", "--listen", "127.0.0.1:0", "--first-bytes-timeout=%"],
        ["proxy", "--mode", "http", "--listen", "127.0.0.1:0", "--grace=%"],
        ["run", "--connect-timeout=%", "true"], ["run", "--tls-timeout=%", "true"], ["run", "--grace=%", "true"],
        ["run", "--memory=%", "true"], ["run", "--payload-limit=%", "true"], ["check", "--memory=%", "/dev/null"],
        ["check", "--conversation=%", "/dev/null"], ["stats", "--memory=%", "/dev/null"], ["diff", "--memory=%", "/dev/null", "/dev/null"],
        ["diff", "--slower=%", "/dev/null", "/dev/null"],
        ["proxy", "--mode", "http", "--listen", "127.0.0.1:0", "--console=%"], ["capture", "-i", "lo", "-c1", "--console=%"],
        ["console", "--listen=%", "/dev/null"], ["console", "--port=127.0.0.1:%", "fixtures/abrupt-ends/capture.pcap"],
        ["console", "--payload-limit=%", "fixtures/abrupt-ends/capture.pcap"],
    ]

    /// Options that take no number: words, names, paths, expressions, URLs without what stands in `uses`.
    static let others: Set<String> = [
        "auth", "ca-folder", "console-host", "client-cert", "client-key", "color", "filter", "format", "framing", "hide", "ignore",
        "interface", "java-agent", "keys",
        "log", "log-payload",
        "passthrough",
        "csv", "display-filter", "from", "grep", "har", "host", "log-filter", "path", "payload", "payload-as", "profile", "proto",
        "proto-path",
        "save",
        "r",
        "redact-header", "redact-json", "redact-pattern", "rewrite-host", "rewrite-origin", "sort", "to", "upstream-ca", "write",
        "output", "allow", "baseline", "by", "compare-header", "ignore-header", "severity", "write-baseline",
    ]

    @Test(arguments: uses) func noValueTraps(use: [String]) throws {
        for value in Self.values {
            let arguments = use.map { $0.replacing("%", with: value) }
            let (status, errors) = try Self.run(arguments)
            #expect([0, 1, 2].contains(status), "\(arguments): \(status) \(errors)")
            #expect(status != 2 || !errors.isEmpty, "\(arguments)")
            #expect(!errors.contains("Fatal error"), "\(arguments): \(errors)")
        }
    }

    @Test func theWidthOfTheTerminalIsBelievedWithinReason() throws {
        for value in Self.values {
            let outcome = try UnmaskProcess.run(["read", "fixtures/abrupt-ends/capture.pcap"], environment: ["COLUMNS": value])
            #expect(outcome.status == 0, "COLUMNS=\(value): \(outcome.errors)")
        }
    }

    @Test(arguments: ["nan", "inf", "-1", "1e300", "", "１"]) func durationSaysWhatItTakes(value: String) throws {
        let outcome = try UnmaskProcess.run(["capture", "-i", "lo", "--duration=\(value)"])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("--duration"), "\(outcome.errors)")
    }

    @Test("A new option stands in one of the lists above")
    func everyOptionIsKnown() throws {
        let tested = Set(Self.uses.flatMap { $0 }.compactMap { $0.hasPrefix("--") ? $0.dropFirst(2).split(separator: "=")[0] : nil })
        let help = try UnmaskProcess.run(["--experimental-dump-help"])
        let root = try #require(JSONSerialization.jsonObject(with: help.output) as? [String: Any])
        let commands = (root["command"] as? [String: Any])?["subcommands"] as? [[String: Any]] ?? []
        for command in ["read", "list", "capture", "proxy", "run", "extract", "check", "stats", "diff", "demo", "findings", "console"] {
            let description = try #require(commands.first { $0["commandName"] as? String == command })
            let arguments = description["arguments"] as? [[String: Any]] ?? []
            for argument in arguments where argument["kind"] as? String == "option" {
                let names = (argument["names"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
                let isKnown = names.contains { tested.contains($0[...]) || Self.others.contains($0) || $0 == "mode" }
                #expect(isKnown, "\(command) has \(names): does it take a number?")
            }
        }
    }

    /// Runs it to its end, or until it listens, when it is asked to end; a signal that ends it makes the status 128 and more.
    private static func run(_ arguments: [String]) throws -> (status: Int32, errors: String) {
        let process = Process()
        process.executableURL = UnmaskProcess.executable
        process.arguments = arguments
        process.currentDirectoryURL = UnmaskProcess.project
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = pipe
        try process.run()
        let identifier = process.processIdentifier
        let watchdog = DispatchSource.makeTimerSource()
        watchdog.schedule(deadline: .now() + .seconds(60))
        watchdog.setEventHandler { _ = kill(identifier, SIGKILL) }
        watchdog.resume()
        defer { watchdog.cancel() }
        var errors = Data()
        var isStopped = false
        while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
            errors += data
            let said = String(decoding: errors, as: UTF8.self)
            if !isStopped, said.contains("listening on") || said.contains("console at") {
                isStopped = true
                kill(identifier, SIGTERM)
            }
        }
        process.waitUntilExit()
        let status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        return (status, String(decoding: errors, as: UTF8.self))
    }
}
