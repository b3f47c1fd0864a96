import ArgumentParser
import Demonstration

struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Shows a chat between an app and its server, both built in, as it goes through the proxy.",
        discussion: """
            First in plaintext through a reverse proxy, then in TLS through an HTTP proxy. Everything happens on this machine, at ports that \
            are free, and leaves nothing behind; your own authority is not used.
            """)

    @Flag(help: "Without the pauses that let one read along.")
    var fast = false

    @Option(
        name: [.customShort("w"), .customLong("write")],
        help: ArgumentHelp("Also write the conversations to a pcapng file, decrypted.", valueName: "file"))
    var write: String?

    @OptionGroup
    var console: ConsoleOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    func validate() throws {
        try output.checkLogs(beside: write)
        if write == "-" { throw ValidationError("-w - takes standard output, where the conversations go.") }
    }

    func run() throws {
        throw ExitCode(DemoRun(pace: fast ? .fast : .readable, write: write, output: output, console: console).run())
    }
}
