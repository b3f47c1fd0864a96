import ArgumentParser

/// What `--log` takes: a file, and the form of what goes into it.
struct LogTarget: ExpressibleByArgument, Sendable {
    enum Form: String, Sendable {
        case ndjson, json, text
    }

    let form: Form
    let path: String

    /// `FORM:FILE`, or a file whose name ends in `.json` or `.txt`; any other one takes NDJSON. Nil where there is no name.
    init?(argument: String) {
        var path = argument[...]
        var form: Form?
        if let colon = argument.firstIndex(of: ":"), let said = Form(rawValue: String(argument[..<colon])) {
            form = said
            path = argument[argument.index(after: colon)...]
        }
        guard !path.isEmpty else { return nil }
        self.form = form ?? (path.hasSuffix(".json") ? .json : path.hasSuffix(".txt") ? .text : .ndjson)
        self.path = String(path)
    }
}
