import ArgumentParser

/// The long options of a command or of a group of options, read off its help.
struct KnownOptions {
    struct Option {
        var name: String
        var takesValue: Bool
        var isRepeatable: Bool
    }

    let all: [Option]

    // Wide enough for each option to have one line.
    private static let columns = 100_000

    init(of command: any ParsableCommand.Type) {
        self.init(help: Unmask.helpMessage(for: command, includeHidden: true, columns: Self.columns))
    }

    init(of group: any ParsableArguments.Type) {
        self.init(help: group.helpMessage(includeHidden: true, columns: Self.columns))
    }

    private init(help: String) {
        all = help.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("  -"), let start = line.firstRange(of: "--") else { return nil }
            let rest = line[start.upperBound...]
            let name = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" })
            return Option(
                name: name, takesValue: rest.dropFirst(name.count).hasPrefix(" <"), isRepeatable: rest.contains("Repeatable"))
        }
    }

    var names: [String] { all.map(\.name) }

    subscript(name: String) -> Option? { all.first { $0.name == name } }
}
