import ArgumentParser
import Dissection
import Reports

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What is printed and how: shared by every command that shows conversations.
struct OutputOptions: ParsableArguments {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, ndjson, json
    }

    enum Payload: String, ExpressibleByArgument, CaseIterable {
        case full, preview, none
    }

    enum Color: String, ExpressibleByArgument, CaseIterable {
        case auto, always, never
    }

    @Option(help: "text for people, ndjson for one record a line, json for one array.")
    var format: Format = .text

    @Flag(help: "Show every WebSocket frame.")
    var frames = false

    @Option(help: "How much of payloads to show: full, preview (256 bytes) or none. (default: preview for text, full for records)")
    var payload: Payload?

    @Option(
        name: .customLong("payload-limit"),
        help: "The most bytes to show of one payload, up to 16777216. (default: 1048576; 256 for preview)")
    var payloadLimit: Int?

    @Flag(help: "Text: do not cut lines at the width of the terminal, and show payloads in full.")
    var full = false

    @Flag(help: "Text: print lines as they come instead of a block for each conversation.")
    var follow = false

    @Option(help: ArgumentHelp("Show only this conversation.", valueName: "number"))
    var conversation: UInt64?

    @Flag(help: "Show the totals alone.")
    var stats = false

    @Option(help: "Colour: auto (on a terminal, unless NO_COLOR is set), always or never.")
    var color: Color = .auto

    @Option(
        name: .customLong("decode-as"),
        help: ArgumentHelp(
            "Take conversations of a port for http, websocket, tls or data, such as tcp.port=9000,websocket. Repeatable.",
            valueName: "rule"))
    var decodeAs: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            The memory for all conversations together, such as 64M or 1G. When it is used up, the least recently used \
            conversations are evicted.
            """,
            valueName: "size"))
    var memory = MemorySize(bytes: 256 << 20)

    func validate() throws {
        guard (MemorySize.least...MemorySize.most).contains(memory.bytes) else {
            throw ValidationError("--memory takes a size from 16M to 1024G.")
        }
        if let payloadLimit, !(0...16 << 20).contains(payloadLimit) {
            throw ValidationError("--payload-limit takes a number of bytes from 0 to 16777216.")
        }
        if let payloadLimit, payloadLimit > MemoryShares.longestPayload(in: memory) {
            throw ValidationError(
                """
                --payload-limit \(payloadLimit) needs at least --memory \((payloadLimit * 16 + (1 << 20) - 1) >> 20)M: \
                a payload may take a sixteenth of the memory.
                """)
        }
        if payload == Payload.none, payloadLimit != nil {
            throw ValidationError("--payload none shows no payload; --payload-limit does not go with it.")
        }
        if conversation == 0 { throw ValidationError("Conversations are numbered from 1.") }
        for rule in decodeAs where DecodeRule(rule) == nil {
            throw ValidationError(
                "--decode-as \(rule): expected tcp.port=PORT,WHAT with WHAT one of "
                    + ForcedLayer.allCases.map(\.rawValue).joined(separator: ", ") + ".")
        }
        if stats, follow { throw ValidationError("--stats shows the totals at the end; --follow does not go with it.") }
        if stats, conversation != nil {
            throw ValidationError("--stats counts everything; --conversation does not go with it.")
        }
        if format != .text {
            if full { throw ValidationError("--full is about text; records have --payload full.") }
            if follow { throw ValidationError("--follow is about text; records always come at once.") }
        }
    }

    var rules: [DecodeRule] { decodeAs.compactMap { DecodeRule($0) } }

    /// How much of a payload the output shows.
    var payloadPolicy: PayloadPolicy { policy(unlessSaid: format == .text && !full ? .preview : .full) }

    private func policy(unlessSaid standard: Payload) -> PayloadPolicy {
        switch payload ?? standard {
        case .full: .full(limit: payloadLimit ?? 1 << 20)
        case .preview: .preview(limit: payloadLimit ?? 256)
        case .none: .none
        }
    }

    /// How much of payloads what is printed shows.
    var shownPolicies: [PayloadPolicy] { stats ? [] : [payloadPolicy] }

    /// The most bytes that are kept of one payload: no more than one of several outputs shows.
    private func keptPayload(for policies: [PayloadPolicy]) -> Int {
        var kept = 0
        for policy in policies {
            switch policy {
            case .full(let limit), .preview(let limit): kept = max(kept, limit)
            case .none: break
            }
        }
        return kept
    }

    /// How the memory is shared out.
    var shares: MemoryShares { memoryShares(for: shownPolicies, ofProxy: false) }

    func memoryShares(for policies: [PayloadPolicy], ofProxy: Bool) -> MemoryShares {
        MemoryShares(memory, payload: keptPayload(for: policies), ofProxy: ofProxy)
    }

    /// Bounds that keep no more of a payload than is shown, and no more in all than the memory allows.
    func limits(within shares: MemoryShares, for policies: [PayloadPolicy]? = nil) -> Limits {
        var limits = Limits()
        limits.messageBytes = keptPayload(for: policies ?? shownPolicies)
        limits.totalBytes = shares.conversations
        return limits
    }

    /// Whether escape sequences for colour go to standard output.
    var usesColor: Bool {
        switch color {
        case .always: true
        case .never: false
        case .auto:
            isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
                && getenv("TERM").map { String(cString: $0) } != "dumb"
        }
    }

    /// The most seconds that an option takes: ten years.
    static let longestTime = 315_360_000.0

    /// The most columns that COLUMNS is believed.
    private static let widestTerminal = 10_000

    /// Columns of the terminal on standard output, or what COLUMNS says where it is none; otherwise nothing is cut.
    var terminalWidth: Int? {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return getenv("COLUMNS").flatMap { Int(String(cString: $0)) }.flatMap { $0 > 0 ? min($0, Self.widestTerminal) : nil }
    }

    var recordSettings: RecordSettings {
        RecordSettings(
            layout: format == .json ? .array : .lines, payload: payloadPolicy, showsFrames: frames, conversation: conversation,
            totalsAlone: stats)
    }

    /// What a log has that is written beside standard output: the same conversations, and payloads as records have them.
    var logSettings: RecordSettings {
        RecordSettings(layout: .lines, payload: policy(unlessSaid: .full), showsFrames: frames, conversation: conversation)
    }
}

extension OutputOptions {
    /// Tells the user what standard output did not take.
    ///
    /// - Parameters:
    ///   - count: records or lines of text that were made and not written.
    ///   - packet: the packet after which nothing more was made, where something was left.
    func tellLoss(_ error: OutputError, _ count: UInt64, stoppedAfter packet: UInt64? = nil) {
        let unit = format == .text ? "line" : "record"
        var line = "unmask: standard output: \(error.message); \(count) \(unit)\(count == 1 ? "" : "s") could not be written"
        if let packet { line += ", and nothing was read after packet \(packet)" }
        writeLine(line)
    }

    /// - Parameter follow: whether lines come as they happen rather than as blocks.
    func textSettings(follow: Bool) -> TextSettings {
        var settings = TextSettings(
            usesColor: usesColor, width: full ? nil : terminalWidth, payload: payloadPolicy, follows: follow, showsFrames: frames,
            conversation: conversation)
        settings.totalBytes = shares.waitingLines
        return settings
    }
}
