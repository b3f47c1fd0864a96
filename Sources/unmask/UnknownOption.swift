import ArgumentParser
import Libc
import Reports

/// The first option on the command line that its command does not have. The parser reports what is missing before what is misspelt, and compares by
/// letters alone.
enum UnknownOption {
    /// What to say about it; nil where all options are known.
    static func message(in arguments: [String]) -> String? {
        let (command, name, rest) = command(in: arguments)
        // Without a subcommand its options are those of the one that stands for it.
        let known = ([command] + [command.configuration.defaultSubcommand].compactMap(\.self)).flatMap {
            names(in: Unmask.helpMessage(for: $0, includeHidden: true, columns: 1_000))
        }
        for argument in rest {
            if argument == "--" { return nil }
            guard argument.hasPrefix("--") else { continue }
            let written = argument.dropFirst(2).prefix { $0 != "=" }
            guard !known.contains(String(written)), written != "experimental-dump-help", !written.hasPrefix("generate-completion-script")
            else {
                continue
            }
            // A form of output that other programs have an option for.
            let isForm = known.contains("format") && ["json", "ndjson", "csv", "html"].contains(String(written))
            let nearest = isForm ? "format \(written)" : NearestName.of(String(written), among: known)
            return "Error: Unknown option '--\(written)'." + guess(nearest.map { "--\($0)" })
                + "\n  See '\(name) --help' for the options that there are."
        }
        return nil
    }

    /// The command that a command line is for, its words, and what follows them.
    static func command(in arguments: [String]) -> (command: any ParsableCommand.Type, name: String, rest: ArraySlice<String>) {
        var (command, name, rest): (any ParsableCommand.Type, String, _) = (Unmask.self, "unmask", arguments[...])
        while let word = rest.first, let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word }) {
            command = next
            name += " " + word
            rest.removeFirst()
        }
        return (command, name, rest)
    }

    /// What to say to a first word that is no command; nil where it is one, or an option. A file is probably meant to be read.
    static func unknownCommand(in arguments: [String]) -> String? {
        guard let word = arguments.first, !word.hasPrefix("-"), word != "help" else { return nil }
        let commands = Unmask.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard !commands.contains(word), !word.isEmpty else { return nil }
        if access(word, F_OK) == 0 { return "Error: There is no command '\(word)'. To read the file: unmask read \(word)" }
        return noCommand(word, among: commands)
    }

    /// What to say to `help` for a command that there is not; nil for any other command line.
    static func unknownHelp(in arguments: [String]) -> String? {
        guard arguments.first == "help" else { return nil }
        var command: any ParsableCommand.Type = Unmask.self
        for word in arguments.dropFirst() where !word.hasPrefix("-") {
            let commands = command.configuration.subcommands
            guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
                return noCommand(word, among: commands.compactMap { $0.configuration.commandName })
            }
            command = next
        }
        return nil
    }

    private static func noCommand(_ word: String, among commands: [String]) -> String {
        "Error: There is no command '\(word)'." + guess(NearestName.of(word, among: commands))
            + "\n  See 'unmask --help' for the commands that there are."
    }

    private static func guess(_ nearest: String?) -> String { nearest.map { " Did you mean '\($0)'?" } ?? "" }

    /// The long options that a help text names, without their dashes, in its order.
    private static func names(in help: String) -> [String] {
        var names: [String] = []
        for word in help.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "-") }) where word.hasPrefix("--") && word.count > 2
        {
            let name = String(word.dropFirst(2))
            if !names.contains(name) { names.append(name) }
        }
        return names
    }
}
