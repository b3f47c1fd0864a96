import ArgumentParser
import Dissection
import Query
import Reports

/// What is shown of the conversations: the display filter and the short filters, all of which have to hold.
struct SelectionOptions: ParsableArguments {
    enum Sender: String, ExpressibleByArgument, CaseIterable {
        case client, server
    }

    @Option(
        name: [.customShort("Y"), .customLong("display-filter")],
        help: ArgumentHelp(
            "Show only what an expression of the display filter accepts, such as 'websocket and message.length > 4096'. See docs/filter.md.",
            valueName: "expression"),
        completion: .custom { _, _, typed in ExpressionCompletion.candidates(for: typed) })
    var expression: String?

    @Option(
        help: ArgumentHelp(
            """
            Show only what a regular expression (PCRE2) matches in payloads, header fields and targets. Repeatable: any of them. See docs/filter.md.
            """, valueName: "regex"))
    var grep: [String] = []

    @Flag(help: "Letters of either case are alike in --grep.")
    var ignoreCase = false

    @Option(
        help: ArgumentHelp(
            """
            Show only conversations and exchanges with this server: a name, an address or a pattern such as *.example.org, perhaps with :PORT. \
            Repeatable: any of them.
            """, valueName: "pattern"))
    var host: [String] = []

    @Option(
        help: ArgumentHelp(
            "Show only exchanges whose target matches, such as '/api/*', and what comes after their upgrade. Repeatable: any of them.",
            valueName: "pattern"))
    var path: [String] = []

    @Option(help: ArgumentHelp("Show only messages, bodies and data of at least this size, such as 64K.", valueName: "size"))
    var minSize: MemorySize?

    @Option(help: "Show only what this side sends: client or server.")
    var from: Sender?

    @Option(
        help: ArgumentHelp(
            """
            Show only what came at this time or later: 2026-11-20T21:48:00Z, 21:48[:SS] on the day of the first conversation, or +90s after it began. \
            Without a zone it is the clock that is shown: local time, or UTC with --utc.
            """, valueName: "time"))
    var since: String?

    @Option(help: ArgumentHelp("Show only what came at this time or earlier; as --since.", valueName: "time"))
    var until: String?

    @Flag(help: "Show only conversations with a finding at or above warning, or that ended abruptly.")
    var problems = false

    @Flag(help: "Show the whole conversation of everything that the filters pick.")
    var whole = false

    @Option(
        help: ArgumentHelp(
            "Show so many messages of the same conversation before and after each that the filters pick.", valueName: "number"))
    var context: Int?

    /// The most messages of `--context`.
    private static let mostContext = 10_000

    func validate() throws {
        if let expression { _ = try Self.expression(expression) }
        for text in grep {
            do { _ = try PatternText(text, ignoresCase: ignoreCase) } catch { throw ValidationError("--grep \(text): \(error).") }
        }
        if ignoreCase, grep.isEmpty { throw ValidationError("--ignore-case goes with --grep.") }
        for (name, patterns) in [("host", host), ("path", path)] where patterns.contains("") {
            throw ValidationError("--\(name) takes a pattern; * is any.")
        }
        for (name, text) in [("since", since), ("until", until)] {
            guard let text, TimeBound(text) == nil else { continue }
            throw ValidationError("--\(name) \(text): expected a time such as 2026-11-20T21:48:00Z, 21:48 or +90s.")
        }
        if let context, !(0...Self.mostContext).contains(context) {
            throw ValidationError("--context takes a number of messages from 0 to \(Self.mostContext).")
        }
        if whole, context != nil { throw ValidationError("--whole shows all of a conversation; --context does not go with it.") }
        let isEmpty = selection(utc: false).isEmpty
        if isEmpty, whole || context != nil {
            throw ValidationError("--\(whole ? "whole" : "context") goes with a filter, such as --grep or -Y.")
        }
    }

    static func expression(_ text: String) throws -> DisplayFilter {
        do { return try DisplayFilter(text) } catch { throw ValidationError("\(error)") }
    }

    /// What the options pick. That they can be read was seen when they were looked at.
    ///
    /// - Parameter utc: times of day are UTC.
    func selection(utc: Bool) -> Selection {
        var selection = Selection()
        selection.expression = expression.flatMap { try? DisplayFilter($0) }
        selection.patterns = grep.compactMap { try? PatternText($0, ignoresCase: ignoreCase) }
        selection.hosts = host.map { WildcardPattern($0, ignoresCase: true) }
        selection.paths = path.map { WildcardPattern($0) }
        selection.leastBytes = minSize.map { UInt64(clamping: $0.bytes) }
        selection.from = from.map { $0 == .client ? .client : .server }
        selection.since = since.flatMap { TimeBound($0) }
        selection.until = until.flatMap { TimeBound($0) }
        selection.zone = utc ? .utc : .local
        selection.problems = problems
        selection.whole = whole
        selection.context = context ?? 0
        return selection
    }
}
