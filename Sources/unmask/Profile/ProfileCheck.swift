import ArgumentParser
import LiveCapture

/// The options of a profile as the command line of a command has them, and whether the command takes them.
struct ProfileCheck {
    /// One argument, and the value of the file that it comes from.
    private struct Given {
        var argument: String
        var name: String
        var value: Profile.Value
    }

    private let path: String
    private let command: String
    private var given: [Given] = []

    /// What the command line gets.
    var arguments: [String] { given.map(\.argument) }

    init(_ entries: [Profile.Entry], for command: any ParsableCommand.Type, in profile: Profile) {
        path = profile.path
        self.command = command.configuration.commandName ?? ""
        let known = profile.knownOptions(of: command)
        for entry in entries {
            let isFlag = known[entry.name]?.takesValue == false
            for value in entry.values {
                if isFlag {
                    if value.text == "true" { given.append(Given(argument: "--\(entry.name)", name: entry.name, value: value)) }
                } else {
                    let argument = "--\(entry.name)=\(profile.resolved(value.text, of: entry.name))"
                    given.append(Given(argument: argument, name: entry.name, value: value))
                }
            }
        }
        // What a rule refers to stands before it: a message type, and the folders of its file.
        given = given.filter(Self.isOfSchema) + given.filter { !Self.isOfSchema($0) }
    }

    /// The option that the command does not take together with the rest of its command line, and why; nil where it takes all of them, or would
    /// not take the rest alone either.
    func refusal(beside rest: [String]) -> (name: String, error: ProfileError)? {
        let alone = words(0, rest)
        func isTaken(_ count: Int) -> Bool {
            let words = words(count, rest)
            return words == nil || words == alone
        }
        guard !isTaken(given.count) else { return nil }
        // The first `taken` are taken, and the first `refused` are not.
        var taken = 0
        var refused = given.count
        while refused - taken > 1 {
            let middle = taken + (refused - taken) / 2
            if isTaken(middle) { taken = middle } else { refused = middle }
        }
        let (name, place) = (given[refused - 1].name, given[refused - 1].value)
        return (name, ProfileError(path: path, line: place.line, column: place.column, words: words(refused, rest) ?? ""))
    }

    /// What is wrong with the options of a profile, whatever else the command line has, at the place of the value with which it begins.
    func complaint() -> ProfileError? { filterComplaint() ?? refusal(beside: Self.leastArguments[command] ?? [])?.error }

    /// What is wrong with a filter of packets, for which the parser takes any text.
    func filterComplaint() -> ProfileError? {
        for option in given where option.name == "filter" {
            do {
                _ = try PacketFilter(option.value.text)
            } catch {
                return ProfileError(path: path, line: option.value.line, column: option.value.column, words: "\(error)")
            }
        }
        return nil
    }

    /// The options without those of a name.
    func without(_ name: String) -> ProfileCheck {
        var fewer = self
        fewer.given.removeAll { $0.name == name }
        return fewer
    }

    /// Why the command does not take the first options beside the rest of its command line.
    private func words(_ count: Int, _ rest: [String]) -> String? {
        do {
            _ = try Unmask.parseAsRoot([command] + given.prefix(count).map(\.argument) + rest)
            return nil
        } catch {
            return Unmask.message(for: error)
        }
    }

    private static func isOfSchema(_ given: Given) -> Bool { given.name == "proto" || given.name == "proto-path" }

    /// What a command cannot do without.
    private static let leastArguments = ["read": ["capture"], "extract": ["capture"], "run": ["--", "true"]]
}
