import ArgumentParser
import Dissection
import Reports

struct FindingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "findings",
        abstract: "Lists everything that can be found, or explains one finding.",
        discussion: """
            unmask findings
            unmask findings websocket.mask-missing
            """)

    @Argument(help: ArgumentHelp("The finding to explain.", valueName: "id"))
    var id: String?

    @Flag(help: .hidden)
    var markdown = false

    func run() throws {
        if markdown {
            printText(FindingsPage.markdown)
            return
        }
        guard let id else {
            let width = FindingCatalogue.rows.map(\.id.count).max() ?? 0
            for row in FindingCatalogue.rows {
                print(row.id.padding(to: width + 2) + "\(row.severity)".padding(to: 11) + row.reference)
            }
            return
        }
        guard let row = FindingCatalogue.rows.first(where: { $0.id == id }) else {
            throw ValidationError("There is no finding '\(id)'; unmask findings lists them all.")
        }
        print(FindingsPage.plain(row))
    }
}

extension String {
    /// The text, followed by spaces up to a number of columns.
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
