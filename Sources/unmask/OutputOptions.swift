import ArgumentParser
import Dissection
import Interception
import Libc
import Query
import Reports

/// What is printed and how: shared by every command that shows conversations.
struct OutputOptions: ParsableArguments {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, ndjson, json, csv, html

        var row: OutputRow { OutputRow.named(rawValue) ?? .records }
    }

    enum Payload: String, ExpressibleByArgument, CaseIterable {
        case full, preview, none
    }

    enum Color: String, ExpressibleByArgument, CaseIterable {
        case auto, always, never
    }

    /// What can be left out.
    enum Hidden: String, ExpressibleByArgument, CaseIterable {
        case heartbeats
    }

    @Option(
        help: "text for people, ndjson for one record a line, json for one array, csv for one row a message, html for one page to send.")
    var format: Format = .text

    @Flag(help: "Show every WebSocket frame.")
    var frames = false

    @Option(help: "How much of payloads to show: full, preview (256 bytes) or none. (default: preview for text, full for records)")
    var payload: Payload?

    @Option(
        name: .customLong("payload-limit"),
        help: "The most bytes to show of one payload, up to 16777216. (default: 1048576; 256 for preview)")
    var payloadLimit: Int?

    @Flag(
        help: """
            Records: add what messages and bodies say in the words of their format (Socket.IO, MQTT, JSON-RPC, protobuf and others), under the \
            key decoded. Text shows it without this.
            """)
    var decoded = false

    @Flag(help: "Text: show the header fields of requests and responses, and trailers.")
    var headers = false

    @Flag(
        help: """
            Text: show payloads in full, binary ones as a hex dump and JSON indented, with what they say under them, and fold lines at the \
            width of the terminal instead of cutting them.
            """)
    var full = false

    @Flag(help: "Text: print lines as they come instead of a block for each conversation. The default of proxy, run and capture.")
    var follow = false

    @OptionGroup
    var reading: ConversationOptions

    @OptionGroup(title: "Finding")
    var selection: SelectionOptions

    @Option(
        help: ArgumentHelp(
            """
            Leave out conversations with this server, also from --log: a name, an address or a pattern such as *.example.org, perhaps \
            with :PORT. Repeatable. They are counted at the end.
            """,
            valueName: "host"))
    var ignore: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Leave out what says nothing: heartbeats (pings, their answers, and the same message at regular times). They are counted at the end of \
            their conversation. A --log has them all. Repeatable.
            """, valueName: "what"))
    var hide: [Hidden] = []

    @Flag(help: "Text: show times in UTC instead of local time.")
    var utc = false

    @Flag(help: "Show the totals alone.")
    var stats = false

    @Option(
        name: .customLong("log"),
        help: ArgumentHelp(
            """
            Also write everything to a file: records one a line, or as its name ends \
            (\(OutputRow.all.map(\.ending).joined(separator: ", "))) or begins \
            (\(OutputRow.all.map { "\($0.name):FILE" }.joined(separator: ", "))). Repeatable. Reopened on SIGHUP, but for session files.
            """,
            valueName: "file"),
        completion: .file())
    var logs: [LogTarget] = []

    @Option(
        help: ArgumentHelp(
            "Write only what an expression of the display filter accepts to each --log, which has everything without this.",
            valueName: "expression"),
        completion: .custom { _, _, typed in ExpressionCompletion.candidates(for: typed) })
    var logFilter: String?

    @Option(
        help: ArgumentHelp(
            """
            Also write the HTTP and WebSocket conversations to an HTTP archive (HAR 1.2), which the developer tools of browsers and mitmproxy open: the \
            exchanges in which the filters pick anything. The same as --log har:FILE.
            """, valueName: "file"),
        completion: .file())
    var har: String?

    @Option(
        help: ArgumentHelp(
            """
            Also write everything to a session file: an SQLite database with indexes and full-text search, which unmask reads like a log and sqlite3 \
            like any database. The same as --log unmask:FILE. See docs/session-file.md.
            """, valueName: "file"),
        completion: .file())
    var save: String?

    @Option(
        help: ArgumentHelp(
            """
            Also write the messages that the filters pick as CSV, one a row, for a spreadsheet or data frame; - for standard output, instead of \
            text. The same as --log csv:FILE and --format csv.
            """, valueName: "file"),
        completion: .file())
    var csv: String?

    @Flag(
        name: .customLong("csv-raw"),
        help: """
            CSV: leave cells as they are that a spreadsheet takes for formulas (they begin with = + - @ or a tab); without this they get an \
            apostrophe in front.
            """)
    var csvRaw = false

    @Flag(help: "Go on at the end of each --log and --save file instead of emptying it. Not for json, har, csv and html.")
    var append = false

    @Option(
        name: .customLong("log-payload"),
        help: "How much of payloads --log has: full, preview or none. (default: full in records, preview in text)")
    var logPayload: Payload?

    @OptionGroup(title: "Redaction")
    var redaction: RedactionOptions

    @OptionGroup(title: "Payloads")
    var payloads: PayloadOptions

    @Option(
        help: ArgumentHelp(
            """
            Take options from this file instead of unmask.yml in the working folder; none for neither. What the command line names wins. See \
            `unmask profile`.
            """, valueName: "file"),
        completion: .file())
    var profile: String?

    @Option(help: "Colour: auto (on a terminal, unless NO_COLOR is set), always or never.")
    var color: Color = .auto

    mutating func validate() throws {
        if let har { logs.append(LogTarget(.archive, path: har)) }
        if let save { logs.append(LogTarget(.session, path: save)) }
        if csv == "-" {
            guard format == .text || format == .csv else {
                throw ValidationError("--csv - goes to standard output, where --format \(format) goes.")
            }
            format = .csv
        } else if let csv {
            logs.append(LogTarget(.table, path: csv))
        }
        if csvRaw, format != .csv, !logs.contains(where: { $0.row.name == OutputRow.table.name }) {
            throw ValidationError("--csv-raw goes with --csv or --format csv.")
        }
        if let payloadLimit, !(0...MemoryShares.longestPayload).contains(payloadLimit) {
            throw ValidationError("--payload-limit takes a number of bytes from 0 to 16777216.")
        }
        if let payloadLimit, payloadLimit > MemoryShares.longestPayload(in: reading.memory) {
            throw ValidationError(
                """
                --payload-limit \(payloadLimit) needs at least --memory \((payloadLimit * 16 + (1 << 20) - 1) >> 20)M: \
                a payload may take a sixteenth of the memory.
                """)
        }
        if payload == Payload.none, payloadLimit != nil {
            throw ValidationError("--payload none shows no payload; --payload-limit does not go with it.")
        }
        if logPayload != nil, logs.isEmpty { throw ValidationError("--log-payload goes with --log.") }
        if append {
            if logs.isEmpty { throw ValidationError("--append goes with --log.") }
            for log in logs {
                guard let whole = log.row.whole else { continue }
                throw ValidationError(
                    "--append goes on after the last line of a log, and \(log.path) is \(whole); use ndjson:FILE or text:FILE.")
            }
        }
        for (index, log) in logs.enumerated() where logs[..<index].contains(where: { $0.path == log.path }) {
            throw ValidationError("--log \(log.path) is there twice; each log takes a file of its own.")
        }
        do {
            for text in ignore { _ = try HostGlob(text) }
        } catch {
            throw ValidationError("--ignore: \(error)")
        }
        if stats, format == .csv || format == .html {
            throw ValidationError("--stats shows the totals alone; a table or a page of messages has none.")
        }
        if stats, picked != nil { throw ValidationError("--stats counts everything; filters do not go with it.") }
        if let logFilter { _ = try SelectionOptions.expression(logFilter) }
        if logFilter != nil, logs.isEmpty { throw ValidationError("--log-filter goes with --log.") }
        if stats, follow { throw ValidationError("--stats shows the totals at the end; --follow does not go with it.") }
        if stats, reading.selection != nil {
            throw ValidationError("--stats counts everything; --conversation does not go with it.")
        }
        if format != .text {
            if headers { throw ValidationError("--headers is about text; records always have the header fields.") }
            if full { throw ValidationError("--full is about text; records have --payload full.") }
            if follow { throw ValidationError("--follow is about text; records always come at once.") }
            if utc, format != .html, selection.since == nil, selection.until == nil {
                throw ValidationError("--utc is about text; times in records are always UTC.")
            }
        }
    }

    /// Looks at whether each file can be one, and is written by one output.
    func checkLogs(beside write: String?) throws {
        try checkPath(write, of: "-w", isWritten: true)
        for log in logs {
            try checkPath(log.path, of: "--log", isWritten: true)
            if log.path == "-" { throw ValidationError("--log takes a file; --format ndjson prints the records on standard output.") }
            if log.path == write { throw ValidationError("--log and -w take different files.") }
        }
    }

    /// Whether conversations with a server are left out; nil where all are shown.
    var isIgnored: (@Sendable (_ host: String, _ port: UInt16) -> Bool)? {
        let patterns = ignore.compactMap { try? HostGlob($0) }
        guard !patterns.isEmpty else { return nil }
        return { host, port in
            guard let server = try? HostPort.parse(host.utf8, defaultPort: max(1, port)) else { return false }
            return patterns.contains { $0.matches(server) }
        }
    }

    private var zone: TextClock.Zone { utc ? .utc : .local }

    /// How much of a payload standard output shows.
    var payloadPolicy: PayloadPolicy {
        // All of it is as much as the memory allows.
        if full, payload ?? .full == .full { return .full(limit: payloadLimit ?? MemoryShares.longestPayload(in: reading.memory)) }
        return policy(payload, unlessSaid: format == .text ? .preview : .full)
    }

    /// How much of a payload a log has.
    private func logPolicy(_ row: OutputRow) -> PayloadPolicy { policy(logPayload, unlessSaid: row.previews ? .preview : .full) }

    private func policy(_ said: Payload?, unlessSaid standard: Payload) -> PayloadPolicy {
        switch said ?? standard {
        case .full: .full(limit: payloadLimit ?? 1 << 20)
        case .preview: .preview(limit: payloadLimit ?? 256)
        case .none: .none
        }
    }

    /// Whether escape sequences for colour go to where conversations are shown.
    var usesColor: Bool {
        switch color {
        case .always: true
        case .never: false
        case .auto:
            isatty(TerminalSize.descriptor) == 1 && getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
                && getenv("TERM").map { String(cString: $0) } != "dumb"
        }
    }

    /// The most seconds that an option takes: ten years.
    static let longestTime = 315_360_000.0
}

extension OutputOptions {
    /// Refuses what a list of conversations has no place for.
    func checkList() throws {
        for (isGiven, name) in [
            (frames, "frames"), (headers, "headers"), (full, "full"), (follow, "follow"), (stats, "stats"), (decoded, "decoded"),
            (!hide.isEmpty, "hide"), (selection.whole, "whole"), (selection.context != nil, "context"),
        ] where isGiven {
            throw ValidationError("A list has one line for each conversation; --\(name) does not go with it.")
        }
        if format == .json || format == .html { throw ValidationError("A list is text, ndjson or csv.") }
    }

    /// What a list of the conversations looks like.
    func listForm(_ order: ListSettings.Order, _ shares: MemoryShares) -> any OutputForm {
        var settings = ListSettings(
            form: format == .text ? .text : format == .csv ? .commaSeparated : .records, order: order, width: TerminalSize.width)
        settings.usesColor = usesColor
        settings.zone = zone
        settings.conversations = reading.selection
        settings.payloads = payloads.formats
        settings.keptBytes = shares.waitingLines
        settings.guardsFormulas = !csvRaw
        return settings
    }

    /// What is asked of outputs, those that are shown and logs.
    private func wish(_ payload: PayloadPolicy, follow: Bool, isFull: Bool, _ shares: MemoryShares) -> OutputWish {
        var wish = OutputWish()
        (wish.payload, wish.showsFrames, wish.conversations) = (payload, frames, reading.selection)
        wish.bodyBytes = payloadLimit ?? MemoryShares.longestPayload(in: reading.memory)
        (wish.payloads, wish.decodes) = (payloads.formats, decoded || payloads.isGiven)
        (wish.showsHeaders, wish.isFull, wish.follows, wish.isUTC) = (headers, isFull, follow, utc)
        wish.guardsFormulas = !csvRaw
        wish.keptBytes = (shares.waitingLines, shares.archive)
        return wish
    }

    /// What standard output is made into.
    ///
    /// - Parameter follow: text as lines that come as things happen, rather than as blocks.
    func shownForm(follow: Bool, _ shares: MemoryShares) -> any OutputForm {
        var wish = wish(payloadPolicy, follow: follow, isFull: full, shares)
        (wish.hidesHeartbeats, wish.totalsAlone) = (hide.contains(.heartbeats), stats)
        let form = format.row.make(wish)
        guard var text = form as? TextSettings else { return form }
        (text.usesColor, text.width, text.terminal) = (usesColor, TerminalSize.width, TerminalSize.columns)
        return text
    }

    /// What a log is made into: the same conversations.
    func logForm(_ row: OutputRow, follow: Bool, _ shares: MemoryShares) -> any OutputForm {
        row.make(wish(logPolicy(row), follow: follow, isFull: logPayload == .full, shares))
    }
}
