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
    ///
    /// - Throws: `ProfileError` where the options of the profile are not valid, each by itself and together.
    static func arguments(
        of profile: Profile, for command: any ParsableCommand.Type, unless isLeftOut: (Profile.Entry) -> Bool = { _ in false }
    ) throws(ProfileError) -> [String] {
        let entries = profile.entries(for: command)
        let known = profile.knownOptions(of: command)
        let all = ProfileCheck(entries, known: known, in: profile)
        let held = ProfileCheck(entries.filter { !isLeftOut($0) }, known: known, in: profile)
        // What lacks an option that the command line has, and the profile too, is the command's to judge.
        if let complaint = held.complaint() {
            if held.arguments.count == all.arguments.count { throw complaint }
            if let complaint = all.complaint() { throw complaint }
        }
        return held.arguments
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
