import ArgumentParser
import Dissection
import Reports

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains what an app says (an error, a close code): what it means, and what to look for.",
        discussion: """
              unmask explain 1006
              unmask explain "RSV1 must be clear"
              unmask explain socket hang up
              unmask explain --list

            The name of a finding is explained as `unmask findings` does. Exit status: 1 when nothing is known of it.
            """)

    @Argument(
        parsing: .allUnrecognized, help: ArgumentHelp("A code, some words of a message, or a whole line of a log.", valueName: "words"))
    var words: [String] = []

    @Flag(help: "Lists what can be explained.")
    var list = false

    @Flag(help: .hidden)
    var markdown = false

    /// So many are shown whole.
    private static let mostShown = 3

    func run() throws {
        if markdown { return printText(SymptomsPage.markdown) }
        if list { return printText(SymptomsPage.list) }
        let text = words.joined(separator: " ")
        guard !text.isEmpty else { throw ValidationError("Say what to explain, such as 1006, or use --list.") }
        if let row = FindingCatalogue.rows.first(where: { $0.id == text }) { return printText(FindingsPage.plain(row)) }
        let found = SymptomSearch.symptoms(for: text)
        guard found.isEmpty else {
            var shown = found.prefix(Self.mostShown).map(SymptomsPage.plain)
            if found.count > Self.mostShown {
                shown.append("Also: " + found.dropFirst(Self.mostShown).map { $0.said[0] }.joined(separator: " · "))
            }
            return printText(shown.joined(separator: "\n\n"))
        }
        writeLine("unmask: nothing is known of \"\(text)\"; unmask explain --list has what is")
        for near in SymptomSearch.nearest(to: text) { writeLine("  near: \(near.said[0])") }
        throw ExitCode(1)
    }
}
