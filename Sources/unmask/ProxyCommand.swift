import ArgumentParser
import Dissection
import Interception
import Libc
import NIOCore
import Reports

struct ProxyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Relays a live client's connection to its server unchanged, and shows what they send.",
        discussion: """
            Point the client at the address that is printed instead of at its server; Ctrl-C ends it and prints the totals. \
            For TLS the client has to trust the local CA: see `unmask ca`.

              unmask proxy ws://localhost:9000
              unmask proxy --mode http --listen-port 8080 -w talk.pcapng
              unmask proxy --upstream wss://chat.example --format ndjson > log.ndjson

            The first --mode or --upstream takes the first --listen or -p, the second the second, and so on; those without one get \
            the next port.
            """)

    @OptionGroup(title: "Listeners and modes")
    var ways: ProxyWayOptions

    @OptionGroup(title: "TLS")
    var tls: ProxyTLSOptions

    @OptionGroup(title: "Rewriting and timeouts")
    var conduct: ProxyConductOptions

    @Option(
        name: [.customShort("w"), .customLong("write")],
        help: ArgumentHelp("Also write the conversations to a pcapng file, decrypted.", valueName: "file"))
    var write: String?

    @Flag(
        help: """
            Never let connections wait for the reader of the output: what a pipe or terminal does not take in time is left out and \
            counted.
            """)
    var lossy = false

    @Flag(help: "Text: a block for each conversation at its end, instead of lines as they come.")
    var blocks = false

    @OptionGroup(title: "Output")
    var output: OutputOptions

    func validate() throws {
        _ = try settings()
        try output.checkLogs(beside: write)
        if write == "-" { throw ValidationError("-w - takes standard output, where the conversations go.") }
        if blocks && output.follow { throw ValidationError("--blocks and --follow exclude each other.") }
    }

    func run() throws {
        let wish = RunOutputs.Wish(source: .proxy(isLossy: lossy), follows: !blocks, write: write, drain: .whenFull)
        throw ExitCode(ProxyRun(settings: try settings(), wish: wish, output: output).run())
    }

    /// The options as a plan.
    private func settings() throws -> ProxySettings {
        do {
            var settings = try ways.settings()
            settings.tls = try tls.settings()
            settings.preambleBytes = output.shares(ofProxy: true).preambles
            try conduct.apply(to: &settings)
            try settings.check()
            return settings
        } catch let error as SpecError {
            throw ValidationError("\(error)")
        }
    }
}

/// Where clients come in, and how they and the proxy come to their servers.
struct ProxyWayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            reverse:URL (ws, wss, http, https, tcp, tls or unix:PATH) for one server; http or socks5 for clients that know a \
            proxy; transparent for connections that nftables redirects here. Repeatable.
            """,
            valueName: "mode"))
    var mode: [InOrder<String>] = []

    @Option(help: ArgumentHelp("The server of reverse mode; the same as --mode reverse:URL. Repeatable.", valueName: "url"))
    var upstream: [InOrder<String>] = []

    @Argument(help: ArgumentHelp("The same as --upstream URL.", valueName: "url"))
    var servers: [InOrder<String>] = []

    @Option(
        help: ArgumentHelp(
            "Where to listen: HOST:PORT, [IPv6]:PORT, PORT or unix:PATH; port 0 is any. Repeatable. (default: 127.0.0.1:8080)",
            valueName: "address"))
    var listen: [InOrder<String>] = []

    @Option(
        name: [.customLong("listen-port"), .customShort("p")],
        help: ArgumentHelp("The same as --listen 127.0.0.1:PORT. Repeatable.", valueName: "port"))
    var listenPort: [InOrder<UInt16>] = []

    @Option(
        help: ArgumentHelp(
            "Reach servers through this proxy: http:// or socks5://[user:password@]host:port. Unix sockets are reached without it.",
            valueName: "url"))
    var via: String?

    @Option(help: ArgumentHelp("Ask clients of the http and socks5 modes for this user and password.", valueName: "user:password"))
    var auth: String?

    /// The options as the beginning of a plan.
    func settings() throws -> ProxySettings {
        let modes = try Self.inOrder(
            mode.map { option throws(SpecError) in (option.place, try ModeSpec(option.value)) },
            (upstream + servers).map { option throws(SpecError) in (option.place, .reverse(try UpstreamURL(option.value))) })
        guard !modes.isEmpty else {
            throw ValidationError("Name the server, such as unmask proxy ws://localhost:9000, or a --mode.")
        }
        var addresses = try Self.inOrder(
            listen.map { option throws(SpecError) in (option.place, try ListenAddress(option.value)) },
            listenPort.map { ($0.place, .tcp(host: ListenAddress.defaultHost, port: $0.value)) })
        guard addresses.count <= modes.count else {
            throw ValidationError(
                """
                There are \(addresses.count) addresses to listen on, and \(modes.count) \(modes.count == 1 ? "mode" : "modes") to go \
                with them: each --listen takes a --mode or --upstream of its own.
                """)
        }
        while addresses.count < modes.count { addresses.append(next(after: addresses.last)) }
        var settings = ProxySettings(entrances: zip(modes, addresses).map(ProxySettings.Entrance.init))
        settings.via = try via.map { text throws(SpecError) in try ViaURL(text) }
        settings.credentials = try auth.map { text throws(SpecError) in try ProxyCredentials(text) }
        return settings
    }

    /// The values of two options in the order in which they stand on the command line.
    private static func inOrder<Value>(_ one: [(place: Int, Value)], _ other: [(place: Int, Value)]) -> [Value] {
        (one + other).sorted { $0.place < $1.place }.map(\.1)
    }

    private func next(after address: ListenAddress?) -> ListenAddress {
        if case .tcp(let host, let port) = address, port < .max { return .tcp(host: host, port: port == 0 ? 0 : port + 1) }
        return .tcp(host: ListenAddress.defaultHost, port: 8_080)
    }
}

struct ProxyTLSOptions: ParsableArguments {
    @Flag(help: "Accept any certificate of the server.")
    var insecure = false

    @Option(
        name: .customLong("upstream-ca"),
        help: ArgumentHelp("Trust the authorities in this PEM file as well as the system's. Repeatable.", valueName: "file"))
    var upstreamCA: [String] = []

    @Option(
        name: .customLong("client-cert"),
        help: ArgumentHelp("Show this certificate to servers that ask for one: PEM, with its chain and perhaps its key.", valueName: "file")
    )
    var clientCert: String?

    @Option(
        name: .customLong("client-key"),
        help: ArgumentHelp("The key of --client-cert, where it is in a file of its own.", valueName: "file"))
    var clientKey: String?

    @Option(help: ArgumentHelp("Append the session secrets of both sides, in the format of SSLKEYLOGFILE.", valueName: "file"))
    var keys: String?

    @Option(help: ArgumentHelp("Do not open TLS to this host: a name or a pattern such as *.example.org. Repeatable.", valueName: "host"))
    var passthrough: [String] = []

    @Flag(name: .customLong("passthrough-on-failure"), help: "Do not open TLS again to a host whose client refused our certificate.")
    var passthroughOnFailure = false

    @Option(name: .customLong("ca-folder"), help: ArgumentHelp("Folder of the local CA.", valueName: "folder"))
    var caFolder: String?

    func settings() throws -> TLSSettings {
        for path in upstreamCA { try checkPath(path, of: "--upstream-ca") }
        try checkPath(clientCert, of: "--client-cert")
        try checkPath(clientKey, of: "--client-key")
        try checkPath(keys, of: "--keys", isWritten: true)
        try checkPath(caFolder, of: "--ca-folder", what: "folder")
        if clientKey != nil, clientCert == nil { throw ValidationError("--client-key goes with --client-cert.") }
        if insecure, !upstreamCA.isEmpty { throw ValidationError("--insecure verifies nothing; --upstream-ca does not go with it.") }
        var settings = TLSSettings()
        settings.isInsecure = insecure
        settings.upstreamAuthorities = upstreamCA
        settings.clientCertificate = clientCert
        settings.clientKey = clientKey
        settings.keyLog = keys
        settings.passthrough = try passthrough.map { text throws(SpecError) in try HostGlob(text) }
        settings.passesThroughOnFailure = passthroughOnFailure
        settings.authorityFolder = caFolder
        return settings
    }
}

struct ProxyConductOptions: ParsableArguments {
    @Option(
        name: .customLong("rewrite-host"),
        help: ArgumentHelp("Reverse mode: replace the Host of each request, for servers that insist.", valueName: "host"))
    var rewriteHost: String?

    @Option(
        name: .customLong("rewrite-origin"),
        help: ArgumentHelp("Reverse mode: replace the Origin of each request that has one.", valueName: "origin"))
    var rewriteOrigin: String?

    @Option(
        name: .customLong("connect-timeout"), help: ArgumentHelp("Seconds to wait for a connection to the server.", valueName: "seconds"))
    var connectTimeout = 10.0

    @Option(
        name: .customLong("tls-timeout"), help: ArgumentHelp("Seconds to wait for a TLS handshake on either side.", valueName: "seconds"))
    var tlsTimeout = 10.0

    @Option(
        name: .customLong("first-bytes-timeout"),
        help: ArgumentHelp(
            "Reverse mode with TLS: seconds to wait for a client's first bytes before connecting to the server anyway.",
            valueName: "seconds"))
    var firstBytesTimeout = 0.5

    @Option(help: ArgumentHelp("Grace period in seconds for open connections at shutdown.", valueName: "seconds"))
    var grace = 1.0

    func apply(to settings: inout ProxySettings) throws {
        settings.patience.connect = try time(connectTimeout, "--connect-timeout", from: 0.01)
        settings.patience.handshake = try time(tlsTimeout, "--tls-timeout", from: 0.01)
        settings.patience.firstBytes = try time(firstBytesTimeout, "--first-bytes-timeout")
        settings.patience.grace = try time(grace, "--grace")
        for (text, option) in [(rewriteHost, "--rewrite-host"), (rewriteOrigin, "--rewrite-origin")] {
            guard let text else { continue }
            guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw ValidationError("\(option) takes the value of a header field, without spaces.")
            }
        }
        settings.rewrittenHost = rewriteHost
        settings.rewrittenOrigin = rewriteOrigin
    }

    private func time(_ seconds: Double, _ option: String, from least: Double = 0) throws -> TimeAmount {
        guard seconds >= least, seconds <= 86_400 else {
            throw ValidationError("\(option) takes seconds from \(least) to 86400.")
        }
        return .nanoseconds(Int64(seconds * 1e9))
    }
}

extension ProxySettings {
    /// Refuses what would have no effect, which nobody would notice: a password that no mode asks for is none.
    fileprivate func check() throws {
        let modes = entrances.map(\.mode)
        if credentials != nil, !modes.contains(.http), !modes.contains(.socks5) {
            throw ValidationError("--auth asks clients of the http and socks5 modes; reverse and transparent mode have no password.")
        }
        let upstreams = modes.compactMap { if case .reverse(let upstream) = $0 { upstream } else { nil } }
        if rewrittenHost ?? rewrittenOrigin != nil, upstreams.isEmpty {
            throw ValidationError("--rewrite-host and --rewrite-origin are for reverse mode; name the server with --upstream.")
        }
        if via != nil, upstreams.count == modes.count, upstreams.allSatisfy({ if case .unix = $0.place { true } else { false } }) {
            throw ValidationError("--via leads to other machines; a Unix socket is not reached through it. Remove --via.")
        }
        for entrance in entrances {
            if case .unix = entrance.address, entrance.mode == .transparent {
                throw ValidationError("transparent mode takes connections that the kernel redirects; --listen takes HOST:PORT for it.")
            }
        }
    }
}
