import ArgumentParser
import Reports

struct ReadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Prints the conversations in capture files.",
        discussion: """
            Reads pcap, pcapng, snoop and Microsoft Network Monitor files, plain or compressed with gzip or zstd; - is standard input. \
            Several files are one run: \
            packets and conversations are numbered on. A log that unmask wrote (ndjson or json) is an input like a capture.

              unmask read talk.pcapng
              unmask read --format ndjson talk.pcapng | jq 'select(.kind == "message")'
              tcpdump -i lo -U -w - | unmask read --follow -
              unmask read --conversation 3 proxy.ndjson
              unmask read --problems -w problems.pcapng talk.pcapng
            """)

    @Argument(help: ArgumentHelp("Capture files or logs, or - for standard input.", valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(
        name: .customShort("r"), help: ArgumentHelp("Capture file (the same as -r of tshark and tcpdump). Repeatable.", valueName: "file"))
    var readFiles: [String] = []

    @Option(name: [.customShort("f"), .customLong("filter")], help: "Only packets that a BPF expression accepts, such as 'tcp port 8080'.")
    var filter: String?

    @Flag(name: .customLong("list"), help: "List the conversations, one a line: the same as unmask list.")
    var isList = false

    @Option(help: "The order of --list: time, or bytes, duration or messages with the greatest first.")
    var sort: ListSettings.Order = .time

    @OptionGroup
    var recording: PacketRecordOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "Keys")
    var keys: KeyOptions

    func validate() throws {
        try checkInputs(readFiles + files, of: "read", mayBeEmpty: true)
        if isList { try output.checkList() }
        try recording.check(with: output, isList: isList)
    }

    func run() throws {
        try FileReading(
            paths: readFiles + files, filter: filter, output: output, keys: keys, list: isList ? sort : nil,
            recording: recording.write == nil ? nil : recording
        ).run()
    }
}
