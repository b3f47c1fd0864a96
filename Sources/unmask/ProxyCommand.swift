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

    @OptionGroup
    var record: ProxyRecordOptions

    @OptionGroup
    var console: ConsoleOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    func validate() throws {
        _ = try settings()
        try record.check(with: output)
        if record.write == "-" { throw ValidationError("-w - takes standard output, where the conversations go.") }
    }

    func run() throws {
        var wish = record.wish
        wish.announcesSource = false
        throw ExitCode(ProxyRun(settings: try settings(), wish: wish, output: output, console: console).run())
    }

    /// The options as a plan.
    private func settings() throws -> ProxySettings {
        do {
            var settings = try ways.settings()
            settings.tls = try tls.settings()
            settings.recordsConnections = record.sealed
            output.reading.shares(ofProxy: true).apply(to: &settings)
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

    @OptionGroup
    var way: ProxyViaOption

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
        settings.via = try way.url()
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
