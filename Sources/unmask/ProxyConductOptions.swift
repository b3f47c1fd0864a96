import ArgumentParser
import Interception
import NIOCore

struct ProxyConductOptions: ParsableArguments {
    @Option(
        name: .customLong("rewrite-host"),
        help: ArgumentHelp("Reverse mode: replace the Host of each request, for servers that insist.", valueName: "host"))
    var rewriteHost: String?

    @Option(
        name: .customLong("rewrite-origin"),
        help: ArgumentHelp("Reverse mode: replace the Origin of each request that has one.", valueName: "origin"))
    var rewriteOrigin: String?

    @OptionGroup
    var times: ProxyTimeOptions

    @Option(
        name: .customLong("first-bytes-timeout"),
        help: ArgumentHelp(
            "Reverse mode with TLS: seconds to wait for a client's first bytes before connecting to the server anyway.",
            valueName: "seconds"))
    var firstBytesTimeout = 0.5

    func apply(to settings: inout ProxySettings) throws {
        try times.apply(to: &settings)
        settings.patience.firstBytes = try ProxyTimeOptions.time(firstBytesTimeout, "--first-bytes-timeout")
        for (text, option) in [(rewriteHost, "--rewrite-host"), (rewriteOrigin, "--rewrite-origin")] {
            guard let text else { continue }
            guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw ValidationError("\(option) takes the value of a header field, without spaces.")
            }
        }
        settings.rewrittenHost = rewriteHost
        settings.rewrittenOrigin = rewriteOrigin
    }
}

/// How long each step may take: of every command with a proxy.
struct ProxyTimeOptions: ParsableArguments {
    @Option(
        name: .customLong("connect-timeout"), help: ArgumentHelp("Seconds to wait for a connection to the server.", valueName: "seconds"))
    var connectTimeout = 10.0

    @Option(
        name: .customLong("tls-timeout"), help: ArgumentHelp("Seconds to wait for a TLS handshake on either side.", valueName: "seconds"))
    var tlsTimeout = 10.0

    @Option(help: ArgumentHelp("Grace period in seconds for open connections at shutdown.", valueName: "seconds"))
    var grace = 1.0

    func apply(to settings: inout ProxySettings) throws {
        settings.patience.connect = try Self.time(connectTimeout, "--connect-timeout", from: 0.01)
        settings.patience.handshake = try Self.time(tlsTimeout, "--tls-timeout", from: 0.01)
        settings.patience.grace = try Self.time(grace, "--grace")
    }

    /// Checks what an option takes.
    static func time(_ seconds: Double, _ option: String, from least: Double = 0) throws -> TimeAmount {
        guard seconds >= least, seconds <= 86_400 else {
            throw ValidationError("\(option) takes seconds from \(least) to 86400.")
        }
        return .nanoseconds(Int64(seconds * 1e9))
    }
}
