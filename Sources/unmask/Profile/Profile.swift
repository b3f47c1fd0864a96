import ArgumentParser
import Libc
import Reports

/// A file of options that hold for the commands that show conversations: `unmask.yml`.
///
/// ```
/// hide: [heartbeats]           # holds for each command that has the option
/// framing: ["tcp.port=7000=length:u32be"]
/// proxy:                       # holds for unmask proxy alone
///   mode: http
/// ```
struct Profile {
    /// One option, and where it stands.
    struct Entry {
        var name: String
        /// Of a flag `true` or `false`.
        var values: [Value]
        var line: Int
        var column: Int
    }

    struct Value {
        var text: String
        var line: Int
        var column: Int
    }

    let path: String
    /// Found in the working folder, and not named on the command line.
    let isFound: Bool
    /// Those that hold for every command, and those of one command, in the order of the file.
    private(set) var shared: [Entry] = []
    private(set) var ofCommand: [(command: String, entries: [Entry])] = []
    /// The options of each command, in the order of `commands`: made once, since each is read off a page of help.
    private let known = Profile.commands.map { KnownOptions(of: $0) }

    /// The commands that take a profile.
    static let commands: [any ParsableCommand.Type] = [
        ReadCommand.self, CaptureCommand.self, ProxyCommand.self, RunCommand.self, ExtractCommand.self,
    ]
    static let fileName = "unmask.yml"
    /// Larger ones are none.
    private static let mostBytes = 1 << 20

    /// Reads a profile and checks what stands in it.
    init(path: String, isFound: Bool) throws(ProfileError) {
        self.path = path
        self.isFound = isFound
        let text = try Self.text(of: path)
        // Aliases make a short file cost as much as a long one, and options need none.
        if let line = Self.lineOfAnchor(text) {
            throw ProfileError(
                path: path, line: line, column: nil, words: "anchors and aliases (& and *) are not taken; quote a pattern that begins so")
        }
        let root: YAMLNode?
        do {
            root = try YAMLNode.document(of: text)
        } catch {
            throw Self.error(error, in: path)
        }
        guard let root else { return }
        for (key, value) in try members(of: root, "expected options, such as hide: [heartbeats]") {
            let name = try scalar(key, "the name of an option")
            if let command = Self.commands.first(where: { $0.configuration.commandName == name.text }) {
                ofCommand.append((name.text, try entries(of: value, for: command)))
            } else {
                shared.append(try entry(name, value, known: known, of: nil))
            }
        }
    }

    /// The options of a command, as its command line would have them.
    func entries(for command: any ParsableCommand.Type) -> [Entry] {
        let known = knownOptions(of: command)
        let own = ofCommand.filter { $0.command == command.configuration.commandName }.flatMap(\.entries)
        let ownNames = Set(own.map(\.name))
        return shared.filter { known[$0.name] != nil && !ownNames.contains($0.name) } + own
    }

    /// The options that a command of `commands` has.
    func knownOptions(of command: any ParsableCommand.Type) -> KnownOptions {
        Self.commands.firstIndex { $0 == command }.map { known[$0] } ?? KnownOptions(of: command)
    }

    private func entries(of node: YAMLNode, for command: any ParsableCommand.Type) throws(ProfileError) -> [Entry] {
        var entries: [Entry] = []
        let known = [knownOptions(of: command)]
        let expected = "expected options of unmask \(command.configuration.commandName ?? ""), such as hide: [heartbeats]"
        for (key, value) in try members(of: node, expected) {
            let name = try scalar(key, "the name of an option")
            entries.append(try entry(name, value, known: known, of: command.configuration.commandName))
        }
        return entries
    }

    /// The members of a mapping, each name once.
    private func members(of node: YAMLNode, _ expected: String) throws(ProfileError) -> [(key: YAMLNode, value: YAMLNode)] {
        guard case .mapping(let members, _) = node else { throw error(node, expected) }
        var marks: [String: [YAMLMark]] = [:]
        for case (.scalar(let name, let mark), _) in members { marks[name, default: []].append(mark) }
        let twice = marks.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
        guard let first = twice.first?.value.first else { return members }
        throw ProfileError(
            path: path, line: first.line, column: first.column,
            words: "has \(twice.map(\.key).joined(separator: ", ")) twice; give several values as a list")
    }

    private func entry(_ name: Value, _ node: YAMLNode, known: [KnownOptions], of command: String?) throws(ProfileError) -> Entry {
        guard let option = known.lazy.compactMap({ $0[name.text] }).first, !Self.neverInProfile.contains(name.text) else {
            let names = known.flatMap(\.names).filter { !Self.neverInProfile.contains($0) } + (command == nil ? Self.commandNames : [])
            let nearest = NearestName.of(name.text, among: names).map { "; did you mean \($0)?" } ?? ""
            let owner = command.map { "unmask \($0) has no option" } ?? "there is no option"
            throw ProfileError(path: path, line: name.line, column: name.column, words: "\(owner) '\(name.text)' for a profile\(nearest)")
        }
        if isFound, !Self.takenWhenFound.contains(name.text) {
            throw ProfileError(
                path: path, line: name.line, column: name.column,
                words: """
                    '\(name.text)' writes files, weakens TLS, changes what is spoken or captured, or says where a proxy listens and dials, so a \
                    profile that was only found may not set it; name it with --profile \(path)
                    """)
        }
        var values: [Value] = []
        if case .sequence(let sequence, _) = node {
            guard option.isRepeatable || sequence.count <= 1 else { throw error(node, "'\(name.text)' takes one value") }
            for element in sequence { values.append(try scalar(element, "a value")) }
        } else {
            values.append(try scalar(node, option.takesValue ? "a value" : "true or false"))
        }
        if !option.takesValue, values.count != 1 || !["true", "false"].contains(values[0].text) {
            throw error(node, "'\(name.text)' is true or false")
        }
        if isFound, name.text == "mode", let mode = values.first(where: { $0.text.contains(":") }) {
            throw ProfileError(
                path: path, line: mode.line, column: mode.column,
                words: "a profile that was only found may not say where a proxy dials; name it with --profile \(path)")
        }
        return Entry(name: name.text, values: values, line: name.line, column: name.column)
    }

    private func scalar(_ node: YAMLNode, _ expected: String) throws(ProfileError) -> Value {
        guard case .scalar(let text, let mark) = node else { throw error(node, "expected \(expected)") }
        return Value(text: text, line: mark.line, column: mark.column)
    }

    private func error(_ node: YAMLNode, _ words: String) -> ProfileError {
        ProfileError(path: path, line: node.mark.line, column: node.mark.column, words: words)
    }

    /// The first line on which an anchor stands: where a value may begin. What is quoted over several lines is not told from what is not, so
    /// that one too many is found and never one too few.
    static func lineOfAnchor(_ text: String) -> Int? {
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard line.first(where: { $0 != " " && $0 != "\t" }) != "#" else { continue }
            /// What stands before a blank, or the mark before the letter.
            var word: Substring = ""
            var isInWord = false
            for index in line.indices {
                let letter = line[index]
                if letter == " " || letter == "\t" {
                    isInWord = false
                    continue
                }
                let mark = word.last
                let beginsValue = mark.map { "[{,".contains($0) || !isInWord && (":-?".contains($0) || word.first == "!") } ?? true
                if letter == "&", beginsValue { return number + 1 }
                word = isInWord ? line[word.startIndex...index] : line[index...index]
                isInWord = true
            }
        }
        return nil
    }

    private static var commandNames: [String] { commands.compactMap { $0.configuration.commandName } }

    private static func text(of path: String) throws(ProfileError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ProfileError(path: path, words: "cannot be read: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count <= mostBytes {
            var part = [UInt8](repeating: 0, count: 64 << 10)
            let count = Libc.read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ProfileError(path: path, words: "cannot be read: \(String(cString: strerror(errno)))") }
            if count == 0 { break }
            bytes += part.prefix(count)
        }
        guard bytes.count <= mostBytes else { throw ProfileError(path: path, words: "is larger than 1 MiB, and no profile") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw ProfileError(path: path, words: "is not UTF-8") }
        return text
    }

    private static func error(_ problem: YAMLProblem, in path: String) -> ProfileError {
        let isOfAlias = "\(problem.words) \(problem.context)".contains("alias")
        return ProfileError(
            path: path, line: problem.mark?.line, column: problem.mark?.column,
            words: "is not valid YAML: \(problem.words)" + (isOfAlias ? "; quote a pattern that begins with *" : ""))
    }

    /// What makes no sense in a file that holds for every run.
    private static let neverInProfile: Set<String> = ["profile", "help", "version", "to", "force", "list-interfaces"]
    /// What says what is shown, and how. An option that is none of them may write files, trust more than it should, or say where a proxy listens
    /// and dials: not by a file that happens to lie in the working folder.
    private static let takenWhenFound: Set<String> = [
        "color", "connect-timeout", "context", "conversation", "count", "decode-as", "decoded", "decrypted",
        "display-filter", "duration", "filter", "first-bytes-timeout", "follow", "format", "frames", "framing", "from", "full", "grace",
        "grep", "headers", "hide", "host", "ignore", "ignore-case", "list", "listen-port", "log-filter",
        "log-payload", "memory", "min-size", "mode", "path", "payload", "payload-as", "payload-limit", "problems",
        "proto", "proto-path", "redact", "redact-header", "redact-json", "redact-pattern", "sealed", "since", "sort", "stats",
        "tls-timeout", "until", "utc", "whole", "without-secrets",
    ]
}
