/// One place that says whom programs trust, and what has to be done there.
package struct TrustPlace: Sendable {
    /// What has to happen.
    package enum Work: Sendable {
        /// These commands, in order.
        case run([Command])
        /// These commands, for which we lack the right.
        case needsRoot([Command])
        /// Nothing, and why.
        case skip(String)
    }

    /// A program with its arguments.
    package struct Command: Hashable, Sendable {
        package var words: [String]

        init(_ words: [String]) { self.words = words }

        /// As it is typed in a shell.
        package var line: String { ShellWord.line(words) }
    }

    /// What the place is, for a person.
    package var name: String
    package var work: Work
    /// Runs before the work: where it fails, the authority is not there and nothing has to be done.
    package var onlyIf: Command?
    /// What remains for the user; empty where nothing does.
    package var note = ""

    /// What became of it.
    package enum Outcome: Sendable, Hashable {
        case done
        case skipped(String)
        /// The lines to type, as one.
        case needsRoot(String)
        /// What failed and what the program said about it.
        case failed(String)
    }

    /// Does the work, unless it has to be skipped.
    package func carryOut() -> Outcome {
        switch work {
        case .skip(let reason): return .skipped(reason)
        case .needsRoot(let commands): return .needsRoot(commands.map { "sudo " + $0.line }.joined(separator: " && "))
        case .run(let commands):
            if let onlyIf, ProgramRun.run(onlyIf.words).status != 0 { return .skipped("it is not in there") }
            for command in commands {
                let result = ProgramRun.run(command.words)
                guard result.status == 0 else {
                    return .failed("\(command.line) ended with \(result.status)" + (result.said.isEmpty ? "" : ": " + result.said))
                }
            }
            return .done
        }
    }
}
