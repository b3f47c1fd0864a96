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
        let entries = profile.entries(for: command)
        let all = ProfileCheck(entries, for: command, in: profile)
        let given = Given(rest, known: profile.knownOptions(of: command))
        var held = ProfileCheck(
            entries.filter { !given.names.contains($0.name) && !(given.hasWay && ways.contains($0.name)) }, for: command, in: profile)
        // What does not go with the command line gives way to it, unless it is wrong by itself.
        while let refusal = held.refusal(beside: rest) {
            if let complaint = all.complaint() { throw complaint }
            held = held.without(refusal.name)
        }
        if let complaint = held.filterComplaint() { throw complaint }
        let added = held.arguments
        if !added.isEmpty, profile.isFound {
            writeLine("unmask: with the options of \(profile.path); --profile none leaves them out")
        }
        return [word] + added + rest
    }

    /// What a profile adds to the command line of a command.
    ///
    /// - Throws: `ProfileError` where the options of the profile are not valid, each by itself and together.
    static func arguments(of profile: Profile, for command: any ParsableCommand.Type) throws(ProfileError) -> [String] {
        let check = ProfileCheck(profile.entries(for: command), for: command, in: profile)
        if let complaint = check.complaint() { throw complaint }
        return check.arguments
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

    /// What says where a proxy listens and dials, which is one thing.
    private static let ways: Set<String> = ["mode", "upstream", "listen", "listen-port"]

    /// What a command line names.
    private struct Given {
        var names: Set<String> = []
        /// It says where a proxy listens or dials.
        var hasWay = false

        init(_ arguments: [String], known: KnownOptions) {
            var isValue = false
            for argument in arguments.prefix(while: { $0 != "--" }) {
                if isValue {
                    isValue = false
                } else if argument.hasPrefix("--") {
                    let name = String(argument.dropFirst(2).prefix { $0 != "=" })
                    names.insert(name)
                    if ProfileArguments.ways.contains(name) { hasWay = true }
                    isValue = !argument.contains("=") && known[name]?.takesValue == true
                } else if argument.hasPrefix("-"), argument.count > 1 {
                    if argument.hasPrefix("-p") { hasWay = true }
                    let short = argument.prefix(2)
                    let long = ["-f": "filter", "-w": "write", "-i": "interface", "-c": "count", "-Y": "display-filter"][short]
                    if let long { names.insert(long) }
                    isValue = argument.count == 2 && (long != nil || short == "-p")
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
