import ArgumentParser

/// What `-h` prints for a command: one line an option, in groups by what one wants to do. `--help` and the man page have the whole.
enum ShortHelp {
    /// An option, or another argument, as the whole help has it.
    struct Entry: Equatable {
        /// Such as `-w, --write <file>`.
        var label: String
        /// The first sentence about it.
        var sentence: String
        /// The section of the whole help that it stands in.
        var section: String

        /// The long name without its dashes; empty of an argument without a name.
        var name: String {
            guard let start = label.firstRange(of: "--") else { return "" }
            return String(label[start.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "-" })
        }
    }

    /// What options are for, whatever the command. What is in none of them stands under the title of its own section.
    static let groups: [(title: String, names: Set<String>)] = [
        ("Capture", ["interface", "list-interfaces", "count", "duration", "promiscuous", "filter"]),
        (
            "Show",
            [
                "format", "frames", "payload", "payload-limit", "headers", "full", "follow", "utc", "color", "stats", "list", "sort", "by",
                "fast", "output",
            ]
        ),
        (
            "Find",
            [
                "display-filter", "grep", "ignore-case", "host", "path", "min-size", "from", "since", "until", "problems", "whole",
                "context",
                "conversation", "severity", "allow", "baseline", "slower",
            ]
        ),
        ("Decode", ["decoded", "decode-as", "framing", "payload-as", "proto", "proto-path"]),
        ("Keys", ["keys"]),
        (
            "Write",
            [
                "log", "log-filter", "har", "save", "csv", "csv-raw", "append", "log-payload", "write", "sealed", "decrypted",
                "write-baseline", "to",
                "force", "lossy", "without-secrets",
            ]
        ),
        ("Hide", ["redact", "redact-header", "redact-json", "redact-pattern", "ignore", "ignore-header", "compare-header", "hide"]),
    ]

    /// What to print; nil where `-h` is not asked for, or the command line is somebody else's from there on.
    static func asked(in arguments: [String], width: Int) -> String? {
        let (command, name, rest) = UnknownOption.command(in: arguments)
        guard command.configuration.subcommands.isEmpty else { return nil }
        // What follows the program that `run` starts is the program's.
        let own = command == RunCommand.self ? rest.prefix(1) : rest.prefix { $0 != "--" }
        guard own.contains("-h"), !own.contains("--help") else { return nil }
        return text(of: Unmask.helpMessage(for: command, columns: 1_000), command: name, width: width)
    }

    /// - Parameter help: the whole help, in lines of at least 1,000 columns.
    static func text(of help: String, command: String, width: Int) -> String {
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let abstract = lines.first { $0.hasPrefix("OVERVIEW: ") }?.dropFirst("OVERVIEW: ".count) ?? ""
        let usage = lines.first { $0.hasPrefix("USAGE: ") }?.dropFirst("USAGE: ".count) ?? ""
        let entries = entries(of: lines)
        var text = wrapped(String(abstract), width) + "\n\nUsage: \(usage)\n"
        // What the command alone has comes first.
        let own = entries.map(\.section).filter { $0 != "Arguments" && $0 != "Other" }
        let titles = ["Arguments"] + own + groups.map(\.title) + ["Other"]
        for title in titles.unique {
            let listed = entries.filter { Self.title(of: $0) == title }
            guard !listed.isEmpty else { continue }
            text += "\n\(title):\n"
            for entry in listed { text += line(entry, width: width) + "\n" }
        }
        return text + "\n\(command) --help says more of each, and docs/user-guide.md more still.\n"
    }

    private static func title(of entry: Entry) -> String {
        entry.section == "Arguments" ? entry.section : groups.first { $0.names.contains(entry.name) }?.title ?? entry.section
    }

    /// The options and arguments of a help text, in its order.
    static func entries(of lines: [String]) -> [Entry] {
        var (entries, section) = ([Entry](), "")
        for line in lines {
            if line.hasSuffix(":"), line.first?.isLetter == true {
                // The parser writes titles in capitals.
                let words = line.dropLast().lowercased()
                section = ["tls"].contains(words) ? "TLS" : words.prefix(1).uppercased() + words.dropFirst()
                if ["Options", "Output", "Finding", "Redaction"].contains(section) { section = "Other" }
            } else if line.hasPrefix("  "), !line.hasPrefix("   "), !section.isEmpty {
                let body = line.dropFirst(2)
                let end = body.firstRange(of: "  ")?.lowerBound ?? body.endIndex
                entries.append(
                    Entry(label: String(body[..<end]), sentence: sentence(body[end...].drop { $0 == " " }), section: section))
            } else if line.hasPrefix("      "), let last = entries.indices.last, entries[last].sentence.isEmpty {
                // A long label has a line of its own.
                entries[last].sentence = sentence(line.drop { $0 == " " })
            }
        }
        return entries
    }

    /// The first sentence, without what the parser adds in parentheses.
    private static func sentence(_ words: some StringProtocol) -> String {
        var sentence = String(words)
        if let end = sentence.firstRange(of: ". ") { sentence = String(sentence[..<end.lowerBound]) }
        if let end = sentence.firstRange(of: " (values: ") ?? sentence.firstRange(of: " (default: ") {
            sentence = String(sentence[..<end.lowerBound])
        }
        if sentence.hasSuffix(".") { sentence.removeLast() }
        return sentence
    }

    /// The column at which sentences begin.
    private static let column = 30

    /// Words in lines of so many columns.
    private static func wrapped(_ words: String, _ width: Int) -> String {
        var (text, column) = ("", 0)
        for word in words.split(separator: " ") {
            if column > 0 { text += column + 1 + word.count > width ? "\n" : " " }
            column = text.last == "\n" ? word.count : column + 1 + word.count
            text += word
        }
        return text
    }

    /// One line, cut at the width.
    private static func line(_ entry: Entry, width: Int) -> String {
        // Options without a short name stand under the others' long names.
        let label = entry.label.hasPrefix("--") ? "    " + entry.label : entry.label
        var line = "  " + label
        line += String(repeating: " ", count: max(2, column - line.count)) + entry.sentence
        guard line.count > width else { return line }
        let cut = line.prefix(width - 1)
        // At a word, where that leaves most of it.
        let end = cut.lastIndex(of: " ").flatMap { cut.distance(from: cut.startIndex, to: $0) > width * 3 / 4 ? $0 : nil } ?? cut.endIndex
        return cut[..<end] + "…"
    }
}

extension [String] {
    /// Each once, in the order in which they came.
    fileprivate var unique: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
