import ArgumentParser
import Dissection
import Reports

struct FindingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "findings",
        abstract: "Lists everything that can be found, or a group of it, or explains one finding.",
        discussion: """
              unmask findings
              unmask findings websocket
              unmask findings websocket.mask-missing
            """)

    @Argument(help: ArgumentHelp("The finding to explain, or a group such as websocket.", valueName: "id"))
    var id: String?

    @Flag(help: .hidden)
    var markdown = false

    func run() throws {
        if markdown {
            printText(FindingsPage.markdown)
            return
        }
        let group = FindingCatalogue.rows.filter { row in id.map { row.id.hasPrefix($0 + ".") } ?? true }
        if !group.isEmpty { return list(group) }
        guard let id, let row = FindingCatalogue.rows.first(where: { $0.id == id }) else { throw ValidationError(unknown(id ?? "")) }
        print(FindingsPage.plain(row))
    }

    private func list(_ rows: [FindingRow]) {
        let width = rows.map(\.id.count).max() ?? 0
        for row in rows { print(row.id.padding(to: width + 2) + "\(row.severity)".padding(to: 11) + row.reference) }
    }

    private func unknown(_ id: String) -> String {
        let ids = FindingCatalogue.rows.map(\.id)
        var groups: [String] = []
        for group in ids.map({ String($0.prefix { $0 != "." }) }) where !groups.contains(group) { groups.append(group) }
        let nearest = NearestName.of(id, among: id.contains(".") ? ids : groups + ids)
        return "There is no finding '\(id)'." + (nearest.map { " Did you mean '\($0)'?" } ?? "") + " `unmask findings` lists them all."
    }
}

extension String {
    /// The text, followed by spaces up to a number of columns.
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
