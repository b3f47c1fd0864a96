import ArgumentParser

/// Puts the value of `--console` into one word with it, and gives it one where it has none: a program, a server or a file may follow.
enum ConsoleArguments {
    private static let option = "--console"

    static func joined(_ arguments: [String]) -> [String] {
        guard arguments.contains(option), let word = arguments.first,
            let command = Unmask.configuration.subcommands.first(where: { $0.configuration.commandName == word })
        else { return arguments }
        let known = KnownOptions(of: command)
        var (joined, rest) = ([word], arguments.dropFirst())
        while let argument = rest.popFirst() {
            if argument == "--" || (word == "run" && !argument.hasPrefix("-")) { return joined + [argument] + rest }
            if argument == option {
                let value = rest.first.flatMap { $0.hasPrefix("-") || !ConsoleAddress.isMeant(by: $0) ? nil : $0 }
                if value != nil { rest.removeFirst() }
                joined.append("\(option)=\(value ?? "0")")
                continue
            }
            joined.append(argument)
            let isLong = argument.hasPrefix("--") && !argument.contains("=")
            let takesValue = isLong ? known[String(argument.dropFirst(2))]?.takesValue == true : shortWithValue.contains(argument)
            if takesValue, let value = rest.popFirst() { joined.append(value) }
        }
        return joined
    }

    private static let shortWithValue: Set = ["-w", "-Y", "-f", "-i", "-c", "-p", "-r"]
}
