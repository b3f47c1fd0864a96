import ArgumentParser

/// The options of a profile as a command line has them, and whether the parser takes them together.
struct ProfileCheck {
    /// One argument, and the value of the file that it comes from.
    private struct Given {
        var argument: String
        var name: String
        var value: Profile.Value
    }

    private let path: String
    private let given: [Given]

    /// What the command line gets.
    var arguments: [String] { given.map(\.argument) }

    /// - Parameter known: The options of the command that the entries are for.
    init(_ entries: [Profile.Entry], known: KnownOptions, in profile: Profile) {
        path = profile.path
        var given: [Given] = []
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
        self.given = given
    }

    /// What is wrong with the options, at the place of the value with which it begins; nil where the parser takes them.
    ///
    /// They are parsed once, all together, and only where that fails as often again as halving them finds the value.
    func complaint() -> ProfileError? {
        var left = given
        for group in Self.groups {
            let names = Set(group.options.names)
            // What a rule refers to stands before it: a message type, and the folders of its file.
            let own =
                left.filter { names.contains($0.name) && Self.isOfSchema($0) }
                + left.filter { names.contains($0.name) && !Self.isOfSchema($0) }
            left.removeAll { names.contains($0.name) }
            guard let words = Self.words(of: group.type, own[...]) else { continue }
            // Fewer than `taken` are not refused with these words, and `refused` are.
            var taken = 0
            var refused = own.count
            while refused - taken > 1 {
                let middle = taken + (refused - taken) / 2
                if Self.words(of: group.type, own[..<middle]) == words { refused = middle } else { taken = middle }
            }
            let place = own[refused - 1].value
            return ProfileError(path: path, line: place.line, column: place.column, words: words)
        }
        return nil
    }

    private static func words(of group: any ParsableArguments.Type, _ given: ArraySlice<Given>) -> String? {
        guard !given.isEmpty else { return nil }
        do {
            _ = try group.parse(given.map(\.argument))
            return nil
        } catch {
            return group.message(for: error)
        }
    }

    private static func isOfSchema(_ given: Given) -> Bool { given.name == "proto" || given.name == "proto-path" }

    /// What the commands are made of. An option of none of them is left to its command.
    private static let groups: [(type: any ParsableArguments.Type, options: KnownOptions)] =
        ([OutputOptions.self, ProxyTLSOptions.self, ProxyConductOptions.self] as [any ParsableArguments.Type])
        .map { ($0, KnownOptions(of: $0)) }
}
