import ArgumentParser
import Interception
import Reports
import Runs

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Starts a program so that its connections go through the proxy, and shows what it sends and receives.",
        discussion: """
            Nothing has to be set up: the program gets the proxy's address and a CA of its own in its environment. Its input, output and exit \
            status are as without unmask; the conversations go to standard error, or with --log to a file alone.

              unmask run -- curl https://chat.example/
              unmask run --log log.ndjson -- node app.js
              unmask run -- chromium https://chat.example/
              sudo unmask run --all -- ./app
              sudo unmask run --watch -- curl https://localhost:8443/

            Exit status: that of the program, or 128 and the number of the signal that ended it; 127 where there is no such program, \
            126 where it cannot be run, 125 where unmask itself cannot begin.
            """)

    @Flag(
        help: """
            Linux, as root: give the program a network of its own in which every TCP connection leads to the proxy, for programs that \
            follow no proxy setting.
            """)
    var all = false

    @Flag(
        help: """
            Linux, as root: capture the TCP packets of the program instead of relaying them, and decrypt TLS with the keys that it writes to \
            SSLKEYLOGFILE. There is no proxy and no CA.
            """)
    var watch = false

    @Option(
        help: ArgumentHelp(
            """
            With --watch: an agent that has Java write the keys of its TLS sessions, such as extract-tls-secrets or jSSLKeyLog. It is loaded by \
            JAVA_TOOL_OPTIONS.
            """, valueName: "file.jar"),
        completion: .file(extensions: ["jar"]))
    var javaAgent: String?

    @OptionGroup
    var way: ProxyViaOption

    @OptionGroup(title: "TLS")
    var tls: ProxyTLSOptions

    @OptionGroup(title: "Timeouts")
    var times: ProxyTimeOptions

    @OptionGroup
    var record: ProxyRecordOptions

    @OptionGroup
    var console: ConsoleOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp(
            "The program and its arguments, after all options of unmask; -- in front of it is optional.", valueName: "command"))
    var words: [String] = []

    /// The program and its arguments.
    private var command: ArraySlice<String> { words.first == "--" ? words.dropFirst() : words[...] }

    func validate() throws {
        // What the parser does not take for an option of ours comes here, these two among it.
        if let word = words.first, ["--help", "-h", "--version"].contains(word) {
            throw word == "--version" ? CleanExit.message(Unmask.version) : CleanExit.helpRequest(self)
        }
        if words.first != "--", let word = words.first, word.hasPrefix("-"), word != "-" {
            throw ValidationError("Unknown option '\(word)'.")
        }
        guard let program = command.first else {
            throw ValidationError("Name the program, such as unmask run -- curl https://chat.example/")
        }
        guard !program.isEmpty else { throw ValidationError("The name of the program is empty.") }
        _ = try settings()
        if watch { try checkWatch() }
        if javaAgent != nil, !watch { throw ValidationError("--java-agent goes with --watch: the proxy decrypts Java without it.") }
        try record.check(with: output)
        if record.write == "-" { throw ValidationError("-w - takes standard output, which belongs to the program.") }
        if !output.logs.isEmpty, output.format != .text, !output.stats {
            throw ValidationError(
                "--format is about standard error, where nothing is shown with --log; the name of the log says its form, such as json:FILE."
            )
        }
    }

    /// Nothing is relayed with --watch, and so what is about the proxy does not go with it.
    private func checkWatch() throws {
        if all { throw ValidationError("--all and --watch exclude each other.") }
        let isAboutTLS =
            tls.insecure || !tls.upstreamCA.isEmpty || tls.clientCert != nil || tls.keys != nil || !tls.passthrough.isEmpty
            || tls.passthroughOnFailure || tls.http1 || tls.caFolder != nil
        if way.via != nil || isAboutTLS || record.sealed || record.lossy {
            throw ValidationError(
                "--watch has no proxy: --via, --sealed, --lossy and the options about TLS do not go with it. -w writes the packets and the keys."
            )
        }
    }

    func run() throws {
        var wish = record.wish
        if watch { (wish.source, wish.recording, wish.announcesSource) = (.interface, PacketRecording(), false) }
        // The totals are few enough to stand beside a log.
        wish.shown = output.logs.isEmpty || output.stats ? .standardError : .nowhere
        // Every other output ends with its totals; an archive has no place for them.
        if wish.shown == .nowhere, output.format == .text, output.logs.allSatisfy({ $0.row.name == OutputRow.archive.name }) {
            (wish.shown, wish.showsTotalsOnly) = (.standardError, true)
        }
        if watch { throw ExitCode(watched(wish)) }
        var run = CommandRun(
            settings: try settings(), wish: wish, output: output, console: console, words: Array(command), hasOwnNetwork: all)
        throw ExitCode(run.run())
    }

    private func watched(_ wish: RunWish) -> Int32 {
        #if os(Linux)
        do throws(JavaAgent.Failure) {
            let agent: JavaAgent? = if let javaAgent { try JavaAgent(javaAgent) } else { nil }
            return WatchRun(wish: wish, output: output, console: console, words: Array(command), agent: agent, grace: times.grace).run()
        } catch {
            writeLine("unmask: \(error)")
            return 2
        }
        #else
        writeLine("unmask: --watch is for Linux")
        return 125
        #endif
    }

    /// The options as a plan, which lacks the ways in.
    private func settings() throws -> ProxySettings {
        do {
            var settings = ProxySettings(entrances: [])
            settings.via = try way.url()
            settings.tls = try tls.settings()
            settings.recordsConnections = record.sealed
            output.reading.shares(ofProxy: true).apply(to: &settings)
            try times.apply(to: &settings)
            return settings
        } catch let error as SpecError {
            throw ValidationError("\(error)")
        }
    }
}
