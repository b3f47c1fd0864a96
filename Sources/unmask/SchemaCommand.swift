import ArgumentParser
import Query
import Reports

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the JSON Schema of the log's records.",
        discussion: """
            unmask schema > log-format.schema.json
            """)

    @Flag(help: .hidden)
    var tables = false

    func run() {
        let pages = FieldPage.names.map(FieldPage.table) + FilterPage.names.map(FilterPage.table)
        printText(tables ? pages.joined() : FieldSchema.text)
    }
}
