import Foundation
import Support
import Testing

/// `unmask run`: what a program is given, how it ends, and what is left. What real programs make of it is in `Tests/Peers/run_peers.py`.
@Suite struct RunCommandTests {
    private static func folder() throws -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-runs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    private static func leftovers(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("unmask-run.") }
    }

    /// Runs it with a folder for temporary files of its own, in which nothing may be left.
    private func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) throws -> UnmaskProcess.Outcome {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let outcome = try UnmaskProcess.run(
            ["run"] + arguments, input: Data(input.utf8), environment: ["TMPDIR": folder.path].merging(environment) { $1 })
        #expect(try Self.leftovers(in: folder) == [])
        return outcome
    }

    @Test func inputOutputAndStatusAreTheProgramsOwn() throws {
        let outcome = try run(["--", "sh", "-c", "cat; echo to err >&2; exit 7"], input: "in\n")
        #expect(outcome.status == 7 && outcome.text == "in\n")
        #expect(outcome.errors.contains("to err\n") && outcome.errors.contains("0 conversations"), "\(outcome.errors)")
        // Without the dashes too, and an option behind the program is the program's.
        #expect(try run(["sh", "-c", "echo $0", "--log"]).text == "--log\n")
        #expect(try run(["--", "sh", "-c", "kill -KILL $$"]).status == 137)
    }

    @Test(arguments: [
        (["--", "no-such-program"], 127, "unmask: no-such-program: command not found"),
        (["--", "/no/such/program"], 127, "unmask: /no/such/program: No such file or directory"),
        (["--", "/etc/passwd"], 126, "unmask: /etc/passwd: Permission denied"), (["--", "/tmp"], 126, "unmask: /tmp: Is a directory"),
        (["--", ""], 2, "Error: The name of the program is empty."), ([], 2, "Error: Name the program, such as unmask run -- curl"),
        (["--lgo", "x", "--", "true"], 2, "Error: Unknown option '--lgo'. Did you mean '--log'?"),
        (["-w", "-", "--", "true"], 2, "Error: -w - takes standard output, which belongs to the program."),
        (["--format", "json", "--log", "x", "--", "true"], 2, "Error: --format is about standard error"),
        (["--log", "/no/such/folder/log", "--", "true"], 125, "unmask: /no/such/folder/log: "),
    ])
    func whatCannotBeginSaysSoAsAShellDoes(arguments: [String], status: Int32, words: String) throws {
        let outcome = try run(arguments)
        #expect(outcome.status == status && outcome.errors.hasPrefix(words), "\(outcome.status) \(outcome.errors)")
        #expect(outcome.text == "")
    }

    @Test func helpIsOursBeforeTheProgramAndTheProgramsBehindIt() throws {
        #expect(try run(["-h"]).text.hasPrefix("Starts a program"))
        for arguments in [["--help"], ["--all", "--help"]] {
            #expect(try run(arguments).text.hasPrefix("OVERVIEW: Starts a program"), "\(arguments)")
        }
        #expect(try run(["--version"]).text == UnmaskProcess.run(["--version"]).text)
        #expect(try run(["sh", "-c", "echo $0", "--help"]).text == "--help\n")
    }

    @Test func theEnvironmentLeadsToTheProxyAndKeepsWhatWasThere() throws {
        let outcome = try run(
            ["--", "env"],
            environment: ["no_proxy": "localhost", "NODE_OPTIONS": "--no-deprecation", "JAVA_TOOL_OPTIONS": "-Da=b", "KEPT": "ü"])
        let variables = Dictionary(
            outcome.lines.map { line in
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                return (parts[0], parts.last ?? "")
            }, uniquingKeysWith: { $1 })
        let proxy = try #require(variables["HTTPS_PROXY"])
        #expect(proxy.hasPrefix("http://127.0.0.1:"))
        for name in ["http_proxy", "https_proxy", "all_proxy", "ws_proxy", "wss_proxy"] {
            #expect(variables[name] == proxy && variables[name.uppercased()] == proxy, "\(name)")
        }
        #expect(variables["no_proxy"] == nil && variables["NO_PROXY"] == nil && variables["KEPT"] == "ü")
        #expect(variables["NODE_OPTIONS"]?.hasPrefix("--no-deprecation --require=") == true)
        #expect(variables["JAVA_TOOL_OPTIONS"]?.hasPrefix("-Da=b -Djavax.net.ssl.trustStore=") == true)
        for name in ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO", "AWS_CA_BUNDLE"] {
            #expect(variables[name]?.hasSuffix("/everything.pem") == true, "\(name)")
        }
        #expect(variables["NODE_EXTRA_CA_CERTS"]?.hasSuffix("/authority.pem") == true && variables["DENO_CERT"] != nil)
        #expect(variables["SSL_CERT_DIR"]?.contains("/folder") == true && variables["NODE_USE_ENV_PROXY"] == "1")
    }

    @Test func `wget gets the CA and the proxy after the options of its user`() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let own = folder.appendingPathComponent("wgetrc")
        try Data("tries = 7\nuse_proxy = off".utf8).write(to: own)
        let script =
            "cat $WGETRC; stat -c %a $WGETRC; echo $SSL_CERT_FILE; echo $HTTP_PROXY"
        let lines = try run(["--", "sh", "-c", script], environment: ["WGETRC": own.path]).lines
        try #require(lines.count == 10, "\(lines)")
        let (authorities, proxy) = (lines[8], lines[9])
        #expect(lines[..<2] == ["tries = 7", "use_proxy = off"] && lines[7] == "600")
        #expect(
            lines[2..<7] == [
                "ca_certificate = \(authorities)", "use_proxy = on", "http_proxy = \(proxy)", "https_proxy = \(proxy)", "no_proxy =",
            ])
        // Without WGETRC it is the file at home.
        let home = folder.appendingPathComponent(".wgetrc")
        try Data("tries = 9\n".utf8).write(to: home)
        let atHome = try run(["--", "sh", "-c", "unset HOME; cat $WGETRC"], environment: ["HOME": folder.path, "WGETRC": ""]).lines
        #expect(atHome.first == "tries = 9" && atHome.dropFirst().first?.hasPrefix("ca_certificate = ") == true, "\(atHome)")
    }

    @Test func noKeyIsInTheFolderAndTheSystemsAuthoritiesAreKept() throws {
        let keys = "grep -rl 'PRIVATE KEY' $(dirname $SSL_CERT_FILE); stat -c %a $(dirname $SSL_CERT_FILE); grep -c BEGIN $SSL_CERT_FILE"
        let lines = try run(["--", "sh", "-c", keys]).lines
        #expect(lines.first == (geteuid() == 0 ? "711" : "700") && lines.count == 2, "\(lines)")
        let system = try? String(contentsOfFile: "/etc/ssl/certs/ca-certificates.crt", encoding: .utf8)
        if let system { #expect(Int(lines.last ?? "") == system.components(separatedBy: "BEGIN CERTIFICATE").count) }
    }

    @Test func conversationsGoToStandardErrorAndWithALogToItAlone() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = folder.appendingPathComponent("log.ndjson").path
        // Nobody listens at port 9 of this machine; the proxy says so.
        let asking = "import os, urllib.request as u\ntry: u.urlopen('http://127.0.0.1:9/')\nexcept u.HTTPError as e: print(e.code)"
        let shown = try run(["--", "python3", "-c", asking])
        #expect(shown.text == "502\n" && shown.errors.contains("proxy.connect-failed") && shown.errors.contains("1 conversation,"))
        let logged = try run(["--log", log, "--", "python3", "-c", asking])
        #expect(logged.text == "502\n" && logged.errors == "", "\(logged.errors)")
        #expect(try String(contentsOfFile: log, encoding: .utf8).contains("\"id\":\"proxy.connect-failed\""))
        let counted = try run(["--stats", "--log", log, "--", "python3", "-c", asking])
        #expect(counted.errors.contains("proxy.connect-failed") && !counted.errors.contains("opened on"), "\(counted.errors)")
    }

    @Test func aProgramOfWhichNothingCameThroughIsNamed() throws {
        let words = "unmask: nothing came through the proxy: sh made no connection, or does not follow proxy settings"
        #expect(try run(["--", "sh", "-c", "true"]).errors.contains(words))
        let asking = "import os, urllib.request as u\ntry: u.urlopen('http://127.0.0.1:9/')\nexcept u.HTTPError as e: print(e.code)"
        let outcome = try run(["--", "python3", "-c", asking])
        #expect(outcome.text == "502\n" && !outcome.errors.contains("nothing came through"), "\(outcome.errors)")
    }

    @Test func withAnArchiveTheTotalsAreShownAndNothingElse() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let archive = folder.appendingPathComponent("talk.har").path
        let asking = "import os, urllib.request as u\ntry: u.urlopen('http://127.0.0.1:9/')\nexcept u.HTTPError as e: print(e.code)"
        let outcome = try run(["--har", archive, "--", "python3", "-c", asking])
        #expect(outcome.text == "502\n" && outcome.errors.hasPrefix("1 conversation, "), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    }

    @Test func aProxyOfTheEnvironmentIsNamedAndNotUsed() throws {
        let outcome = try run(["--", "true"], environment: ["https_proxy": "http://proxy.example:3128"])
        #expect(outcome.errors.contains("https_proxy is set to http://proxy.example:3128, and servers are reached directly; --via URL"))
        #expect(
            !(try run(["--via", "http://proxy.example:3128", "--", "true"], environment: ["https_proxy": "x"])).errors.contains("is set to")
        )
    }

    @Test(
        "the user and password of a proxy of the environment are never shown",
        arguments: [
            ("http://ana:sesame@proxy.example:3128", " to http://proxy.example:3128"),
            ("ana:sesame@proxy.example:3128/", " to proxy.example:3128"),
            ("http://ana:se/sa@same?x#y@[::1]:3128", " to http://[::1]:3128"), ("http://ana:sesame", ""), ("sesame word", ""),
        ] as [(value: String, shown: String)], [[], ["--redact"]])
    func credentialsOfAProxyOfTheEnvironment(_ one: (value: String, shown: String), options: [String]) throws {
        for name in ["HTTP_PROXY", "https_proxy", "ALL_PROXY"] {
            let outcome = try run(options + ["--", "true"], environment: [name: one.value])
            #expect(outcome.errors.contains("unmask: \(name) is set\(one.shown), and servers are reached directly"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("ana") && !outcome.errors.contains(/se\/?sa|same/), "\(outcome.errors)")
        }
    }

    @Test("a program that closes three connections right after the handshake may not trust the CA, and --all is named")
    func leavesAfterTheHandshake() throws {
        let peers = try PeerProgram("handshakes.py", ["serves"])
        let authority = try #require(peers.announced.last)
        let leaving = """
            import os, socket, ssl
            context = ssl.create_default_context()
            for _ in range(3):
                proxy = socket.create_connection(os.environ["https_proxy"].split("//")[1].split(":"))
                proxy.sendall(b"CONNECT localhost:\(peers.port) HTTP/1.1\\r\\n\\r\\n")
                proxy.recv(4096)
                context.wrap_socket(proxy, server_hostname="localhost").close()
            """
        let outcome = try run(["--format", "ndjson", "--upstream-ca", authority, "--", "python3", "-c", leaving])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let words = "It may not trust the local CA, or it may pin the server's certificate. Run it with sudo unmask run --all, "
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
        try peers.say(#"{"port":0,"authority":null,"acts":[]}"#)
        _ = peers.finish()
    }

    /// A run whose program has said its first line.
    private final class Running {
        let process = Process()
        let input = Pipe()
        let output = Pipe()
        let folder: URL

        init(_ script: String) throws {
            folder = try RunCommandTests.folder()
            process.executableURL = UnmaskProcess.executable
            process.arguments = ["run", "--log", folder.appendingPathComponent("log").path, "--", "python3", "-c", script]
            process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { $1 }
            process.standardInput = input
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
        }

        deinit {
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            try? FileManager.default.removeItem(at: folder)
        }

        func line() -> String {
            var text = ""
            while !text.hasSuffix("\n"), let data = try? output.fileHandleForReading.read(upToCount: 1), !data.isEmpty {
                text += String(decoding: data, as: UTF8.self)
            }
            return text.trimmingCharacters(in: .newlines)
        }

        func status() -> Int32 {
            process.waitUntilExit()
            return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGUSR1]) func aSignalForUsIsOneForTheProgram(number: Int32) throws {
        let running = try Running(
            """
            import signal, sys
            # The thread that started us may have blocked it, which programs inherit.
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            signal.signal(\(number), lambda *_: (print("heard", flush=True), sys.exit(9)))
            print("ready", flush=True)
            sys.stdin.read()
            """)
        #expect(running.line() == "ready")
        kill(running.process.processIdentifier, number)
        #expect(running.line() == "heard")
        #expect(running.status() == 9)
        #expect(try Self.leftovers(in: running.folder) == [])
    }

    @Test func whenItIsKilledTheFolderGoesWithTheProgram() throws {
        let running = try Running("import os, sys; print(os.environ['SSL_CERT_FILE'], flush=True); sys.stdin.read()")
        let file = running.line()
        kill(running.process.processIdentifier, SIGKILL)
        // Nothing is left of it, while the program still runs and has what it was given.
        let process = "/proc/\(running.process.processIdentifier)/stat"
        while let state = try? String(contentsOfFile: process, encoding: .utf8), !state.contains(") Z") { poll(nil, 0, 10) }
        #expect(FileManager.default.fileExists(atPath: file))
        try running.input.fileHandleForWriting.close()
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline, try !Self.leftovers(in: running.folder).isEmpty { poll(nil, 0, 10) }
        #expect(try Self.leftovers(in: running.folder) == [])
    }

    @Test func aNetworkOfItsOwnTakesRoot() throws {
        guard geteuid() != 0 else { return }
        let outcome = try run(["--all", "--", "true"])
        #expect(outcome.status == 125 && outcome.errors.contains("takes root: sudo unmask run --all"), "\(outcome.errors)")
    }

    @Test func aProgramIsPutIntoANetworkOfItsOwnAndNothingIsLeft() throws {
        try NetworkScript.run("run_network.py", namespaces: ["--net", "--mount"])
    }
}
