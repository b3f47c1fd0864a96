import ArgumentParser
import Libc
import Reports

/// Puts the options of a profile into a command line, between the command and what the user wrote.
///
/// What the user names on the command line wins: an option of the same name is left out of the profile. So are the ways of a proxy, all of
/// them, where the user names one.
enum ProfileArguments {
    /// The command line with the profile's options.
    ///
    /// - Throws: `ProfileError` for a profile that cannot be read, or has what no command takes.
    static func expand(_ arguments: [String]) throws(ProfileError) -> [String] {
        guard let word = arguments.first, let command = Profile.commands.first(where: { $0.configuration.commandName == word }) else {
            return arguments
        }
        let rest = Array(arguments.dropFirst())
        guard let profile = try profile(for: rest) else { return arguments }
        let given = Given(rest)
        let added = try self.arguments(of: profile, for: command) { entry in
            given.names.contains(entry.name) || given.hasWay && ways.contains(entry.name)
                || given.wantsRecords && ofText.contains(entry.name)
        }
        if !added.isEmpty, profile.isFound {
            writeLine("unmask: with the options of \(profile.path); --profile none leaves them out")
        }
        return [word] + added + rest
    }

    /// What a profile adds to the command line of a command.
    static func arguments(
        of profile: Profile, for command: any ParsableCommand.Type, unless isLeftOut: (Profile.Entry) -> Bool = { _ in false }
    ) throws(ProfileError) -> [String] {
        var added: [String] = []
        let known = KnownOptions(of: command)
        for entry in profile.entries(for: command) where !isLeftOut(entry) {
            let isFlag = known[entry.name]?.takesValue == false
            for value in entry.values {
                if isFlag {
                    if value.text == "true" { added.append("--\(entry.name)") }
                } else {
                    try check(entry, value, of: command, in: profile)
                    added.append("--\(entry.name)=\(profile.resolved(value.text, of: entry.name))")
                }
            }
        }
        return added
    }

    /// The profile that holds: the one that is named, or the one in the working folder; none for `--profile none`, or where only help is wanted.
    static func profile(for arguments: [String]) throws(ProfileError) -> Profile? {
        let options = arguments.prefix { $0 != "--" }
        if options.contains("--help") || options.contains("-h") || options.contains("--version") { return nil }
        var named: String?
        for (index, argument) in options.enumerated() {
            if argument == "--profile", index + 1 < options.count { named = options[index + 1] }
            if argument.hasPrefix("--profile=") { named = String(argument.dropFirst("--profile=".count)) }
        }
        if let named { return named == "none" ? nil : try Profile(path: named, isFound: false) }
        return access(Profile.fileName, F_OK) == 0 ? try Profile(path: Profile.fileName, isFound: true) : nil
    }

    /// Has the parser look at one value alone, so that what is wrong with it is said with its place in the file.
    private static func check(
        _ entry: Profile.Entry, _ value: Profile.Value, of command: any ParsableCommand.Type, in profile: Profile
    ) throws(ProfileError) {
        var given = ["--\(entry.name)=\(profile.resolved(value.text, of: entry.name))"]
        // A rule may name a message type, and a folder makes sense with its files alone.
        if ["payload-as", "proto-path"].contains(entry.name) {
            for other in profile.entries(for: command) where other.name == "proto" || other.name == "proto-path" && other.name != entry.name
            {
                given += other.values.map { "--\(other.name)=\(profile.resolved($0.text, of: other.name))" }
            }
        }
        for group in [OutputOptions.self, ProxyTLSOptions.self, ProxyConductOptions.self] as [any ParsableArguments.Type] {
            do {
                _ = try group.parse(given)
                return
            } catch {
                let words = group.message(for: error)
                // Another group has the option.
                if words.hasPrefix("Unknown option") { continue }
                throw ProfileError(path: profile.path, line: value.line, column: value.column, words: words)
            }
        }
    }

    /// What says where a proxy listens and dials, which is one thing.
    private static let ways: Set<String> = ["mode", "upstream", "listen", "listen-port"]

    /// What is about text alone, and would be refused where the command line wants records.
    private static let ofText: Set<String> = ["headers", "full", "follow", "utc"]

    /// What a command line names.
    private struct Given {
        var names: Set<String> = []
        /// It says where a proxy listens or dials.
        var hasWay = false
        /// It asks for another format than text.
        var wantsRecords = false

        init(_ arguments: [String]) {
            let options = arguments.prefix { $0 != "--" }
            for (index, argument) in options.enumerated() {
                let next = index + 1 < options.count ? options[options.startIndex + index + 1] : ""
                if ["--format=ndjson", "--format=json"].contains(argument) || argument == "--format" && next != "text" {
                    wantsRecords = true
                }
                if argument.hasPrefix("--") {
                    let name = String(argument.dropFirst(2).prefix { $0 != "=" })
                    names.insert(name)
                    if ProfileArguments.ways.contains(name) { hasWay = true }
                } else if argument.hasPrefix("-") {
                    if argument.hasPrefix("-p") { hasWay = true }
                    if let long = ["-f": "filter", "-w": "write", "-i": "interface", "-c": "count", "-Y": "display-filter"][
                        String(argument.prefix(2))]
                    {
                        names.insert(long)
                    }
                } else if argument.contains("://") {
                    hasWay = true
                }
            }
        }
    }
}

extension Profile {
    /// A value as it is on the command line: files of schemas lie beside the profile that names them.
    func resolved(_ text: String, of name: String) -> String {
        guard ["proto", "proto-path"].contains(name), !text.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return text }
        return path[...slash] + text
    }
}
