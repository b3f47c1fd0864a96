import ArgumentParser

/// What `--log` takes: a file, and the form of what goes into it.
struct LogTarget: ExpressibleByArgument, Sendable {
    enum Form: String, Sendable {
        case ndjson, json, text, har, csv
        /// A session file.
        case session = "unmask"
    }

    let form: Form
    let path: String

    init(_ form: Form, path: String) {
        self.form = form
        self.path = path
    }

    /// `FORM:FILE`, or a file whose name ends in `.json`, `.har`, `.csv`, `.unmask` or `.txt`; any other one takes NDJSON. Nil where there is no name.
    init?(argument: String) {
        var path = argument[...]
        var form: Form?
        if let colon = argument.firstIndex(of: ":"), let said = Form(rawValue: String(argument[..<colon])) {
            form = said
            path = argument[argument.index(after: colon)...]
        }
        guard !path.isEmpty else { return nil }
        let endings: [(String, Form)] = [(".json", .json), (".har", .har), (".csv", .csv), (".unmask", .session), (".txt", .text)]
        self.form = form ?? endings.first { path.hasSuffix($0.0) }?.1 ?? .ndjson
        self.path = String(path)
    }
}
