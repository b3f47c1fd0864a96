import ArgumentParser
import Interception
import Reports
import Runs

/// How servers are reached: of every command with a proxy.
struct ProxyViaOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Reach servers through this proxy: http:// or socks5://[user:password@]host:port. Unix sockets are reached without it.",
            valueName: "url"))
    var via: String?

    func url() throws(SpecError) -> ViaURL? { try via.map { text throws(SpecError) in try ViaURL(text) } }
}

/// What becomes of what a proxy records, beside the options that every command has.
struct ProxyRecordOptions: ParsableArguments {
    @Option(
        name: [.customShort("w"), .customLong("write")],
        help: ArgumentHelp("Also write the conversations to a pcapng file, decrypted.", valueName: "file"))
    var write: String?

    @Flag(
        help: """
            With -w, write both connections as they were on the wire (client to proxy, proxy to server), TLS included, and the secrets that \
            decrypt it.
            """)
    var sealed = false

    @Flag(
        help: """
            Never let connections wait for the reader of the output: what a pipe or terminal does not take in time is left out and \
            counted.
            """)
    var lossy = false

    @Flag(help: "Text: a block for each conversation at its end, instead of lines as they come.")
    var blocks = false

    /// What the outputs are asked for.
    var wish: RunWish {
        .init(source: .proxy(isLossy: lossy), follows: !blocks, write: write, isSealed: sealed, drain: .whenFull)
    }

    func check(with output: OutputOptions) throws {
        try output.checkLogs(beside: write)
        if sealed, write == nil { throw ValidationError("--sealed goes with -w.") }
        if blocks && output.follow { throw ValidationError("--blocks and --follow exclude each other.") }
    }
}
