import ArgumentParser
import Reports

/// What `--log` takes: a file, and what goes into it.
struct LogTarget: ExpressibleByArgument, Sendable {
    let row: OutputRow
    let path: String

    init(_ row: OutputRow, path: String) {
        self.row = row
        self.path = path
    }

    /// `NAME:FILE` with the name of an output, or a file whose name ends as its files do; any other one takes records. Nil where there is no file.
    init?(argument: String) {
        var path = argument[...]
        var row: OutputRow?
        if let colon = argument.firstIndex(of: ":"), let said = OutputRow.named(argument[..<colon]) {
            row = said
            path = argument[argument.index(after: colon)...]
        }
        guard !path.isEmpty else { return nil }
        self.row = row ?? OutputRow.ofFile(path)
        self.path = String(path)
    }
}
