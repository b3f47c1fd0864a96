import ArgumentParser
import Reports

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the conversations in capture files and logs, one a line.",
        discussion: """
            Each line has the number, the time, the client, the server, the protocol, messages, bytes, duration, how the conversation ended, its worst \
            finding and its path. Filters choose the conversations in which something matches.

              unmask list talk.pcapng
              unmask list --sort bytes --problems talk.pcapng
              unmask list --host '*.example.org' --format csv talk.pcapng proxy.ndjson
            """)

    @Argument(help: ArgumentHelp("Capture files or logs, or - for standard input.", valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(
        name: .customShort("r"), help: ArgumentHelp("Capture file (the same as -r of tshark and tcpdump). Repeatable.", valueName: "file"))
    var readFiles: [String] = []

    @Option(name: [.customShort("f"), .customLong("filter")], help: "Only packets that a BPF expression accepts, such as 'tcp port 8080'.")
    var filter: String?

    @Option(help: "The order: time, or bytes, duration or messages with the greatest first.")
    var sort: ListSettings.Order = .time

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "Keys")
    var keys: KeyOptions

    func validate() throws {
        try checkInputs(readFiles + files, of: "list", mayBeEmpty: true)
        try output.checkList()
        try output.checkLogs(beside: nil)
    }

    func run() throws { try FileReading(paths: readFiles + files, filter: filter, output: output, keys: keys, list: sort).run() }
}

extension ListSettings.Order: ExpressibleByArgument {}
