import Foundation
import Libc
import Support
import Testing

/// What `make install` puts in place, and the service that docs/service.md sets up.
@Suite struct InstallTests {
    private static func shell(_ command: String, _ arguments: [String] = []) throws -> (status: Int32, output: String) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", command, "bash"] + arguments
        process.currentDirectoryURL = UnmaskProcess.project
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    private static func folder() throws -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-install-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    @Test func theProgramComesWithPagesAndCompletionsAndGoesWithoutATrace() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let installed = try Self.shell(
            #"DESTDIR="$1" scripts/install.sh "$2" /usr/local"#, [folder.path, UnmaskProcess.executable.path])
        #expect(installed.status == 0, "\(installed.output)")
        let root = folder.appendingPathComponent("usr/local").path

        let program = root + "/bin/unmask"
        #expect(try Self.shell(#""$1" --version"#, [program]).output == UnmaskProcess.run(["--version"]).text)
        let size = { (path: String) in try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0 }
        #expect(try size(program) * 3 < size(UnmaskProcess.executable.path) * 2)
        if DrivenProgram.isAnotherBuild { #expect(try size(program) <= 40_000_000) }

        let completion = root + "/share/bash-completion/completions/unmask"
        #expect(try Self.shell(#"bash -n "$1" && grep -q -- --upstream "$1""#, [completion]).status == 0)
        for file in ["/share/zsh/site-functions/_unmask", "/share/fish/vendor_completions.d/unmask.fish"] {
            #expect(try String(contentsOfFile: root + file, encoding: .utf8).contains("upstream"), "\(file)")
        }

        let pages = try FileManager.default.contentsOfDirectory(atPath: root + "/share/man/man1").sorted()
        #expect(pages.contains("unmask.1") && pages.contains("unmask-proxy.1") && pages.contains("unmask-ca-install.1"))
        // Commands that nobody types have no page.
        #expect(!pages.contains { $0.contains("when-killed") || $0.contains("help") })
        let proxy = try String(contentsOfFile: root + "/share/man/man1/unmask-proxy.1", encoding: .utf8)
        #expect(proxy.contains(#"\fB\-\-upstream\fR \fIurl\fR"#) && proxy.contains(".SH TLS"))

        let removed = try Self.shell(#"DESTDIR="$1" scripts/install.sh --remove /usr/local"#, [folder.path])
        #expect(removed.status == 0, "\(removed.output)")
        #expect(try Self.shell(#"find "$1" -type f"#, [folder.path]).output == "")
    }

    @Test(.enabled(if: DrivenProgram.isAnotherBuild))
    func `the program carries Swift, and neither Foundation nor its data nor a second BoringSSL`()
        throws
    {
        let program = UnmaskProcess.executable.path
        let libraries = try Self.shell(#"ldd "$1""#, [program])
        #expect(libraries.status == 0 && libraries.output.contains("libsqlite3") && !libraries.output.contains("libswift"))
        #expect(!libraries.output.contains("Foundation"), "\(libraries.output)")
        // FoundationEssentials is another module, without them. NIOSSL has a BoringSSL, and libcrypto is the system's.
        let found = try Self.shell(#"nm "$1" | grep -cE ' \$s10Foundation[0-9]|icudt[0-9]*_dat|CCryptoBoringSSL' || true"#, [program])
        #expect(found.output.trimmingCharacters(in: .whitespacesAndNewlines) == "0", "\(found.output)")
    }

    @Test func thePagesAreWellFormed() throws {
        guard PeerProgram.has("groff") else { return print("skipped: groff is missing") }
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let made = try Self.shell(
            #""$1" --experimental-dump-help | scripts/man-pages.py "$2" && groff -Kutf8 -man -Tutf8 -ww -z "$2"/*.1"#,
            [UnmaskProcess.executable.path, folder.path])
        #expect(made.status == 0 && made.output == "")
    }

    /// The first block of docs/service.md in a language that holds a text.
    private static func block(_ language: String, with text: String) throws -> String {
        let page = try String(contentsOf: UnmaskProcess.project.appendingPathComponent("docs/service.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```\(language)\n").dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
        return try #require(blocks.first { $0.contains(text) })
    }

    @Test func theServiceOfTheGuideRunsAndItsLogRotates() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let listener = try LoopbackListener()
        let start = try Self.block("ini", with: "ExecStart=").split(separator: "\n").first {
            $0.hasPrefix("ExecStart=/usr/local/bin/unmask proxy ")
        }
        let line = try #require(start).dropFirst("ExecStart=/usr/local/bin/unmask proxy ".count)
            .replacing("ws://localhost:9000", with: "tcp://127.0.0.1:\(listener.port)").replacing("127.0.0.1:8080", with: "127.0.0.1:0")
            .replacing("/var/lib/unmask", with: folder.path).replacing("/var/log/unmask", with: folder.path)
        let proxy = try UnreadProxy(line.split(separator: " ").map(String.init), output: FileHandle(forWritingAtPath: "/dev/null"))
        let client = try LoopbackSocket(port: proxy.port)
        let server = try listener.accept()
        try client.send(Array("hello".utf8))
        try client.finish()
        try server.finish()
        let log = folder.appendingPathComponent("chat.ndjson")
        #expect(Self.waits(for: "\"kind\":\"closed\"", in: log))
        try FileManager.default.moveItem(at: log, to: log.appendingPathExtension("1"))
        #expect(try Self.block("ini", with: "ExecStart=").contains("ExecReload=/bin/kill -HUP $MAINPID"))
        kill(proxy.process.processIdentifier, SIGHUP)
        #expect(Self.waits(for: "\"kind\":\"capture\"", in: log))
        // As systemd ends a service.
        kill(proxy.process.processIdentifier, SIGTERM)
        proxy.process.waitUntilExit()
        #expect(proxy.process.terminationStatus == 0)
        #expect(Self.waits(for: "\"kind\":\"end\"", in: log))
    }

    private static func waits(for text: String, in file: URL) -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < deadline {
            if let content = try? String(contentsOf: file, encoding: .utf8), content.contains(text) { return true }
            poll(nil, 0, 5)
        }
        return false
    }

    @Test func theRotationOfTheGuideIsOneThatLogrotateTakes() throws {
        guard PeerProgram.has("logrotate") else { return print("skipped: logrotate is missing") }
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let rules = try Self.block("", with: "postrotate").replacing("/var/log/unmask", with: folder.path)
        try rules.write(to: folder.appendingPathComponent("rules"), atomically: true, encoding: .utf8)
        try "a record\n".write(to: folder.appendingPathComponent("chat.ndjson"), atomically: true, encoding: .utf8)
        chmod(folder.appendingPathComponent("rules").path, 0o644)
        let tried = try Self.shell(#"PATH=$PATH:/usr/sbin logrotate -d -f -s "$1/state" "$1/rules""#, [folder.path])
        #expect(tried.status == 0 && tried.output.contains("considering log \(folder.path)/chat.ndjson"), "\(tried.output)")
    }
}
