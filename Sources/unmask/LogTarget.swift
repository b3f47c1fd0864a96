import ArgumentParser

/// What `--log` takes: a file, and the form of what goes into it.
struct LogTarget: ExpressibleByArgument, Sendable {
    enum Form: String, Sendable {
        case ndjson, json, text, har
    }

    let form: Form
    let path: String

    init(_ form: Form, path: String) {
        self.form = form
        self.path = path
    }

    /// `FORM:FILE`, or a file whose name ends in `.json`, `.har` or `.txt`; any other one takes NDJSON. Nil where there is no name.
    init?(argument: String) {
        var path = argument[...]
        var form: Form?
        if let colon = argument.firstIndex(of: ":"), let said = Form(rawValue: String(argument[..<colon])) {
            form = said
            path = argument[argument.index(after: colon)...]
        }
        guard !path.isEmpty else { return nil }
        let ending = path.hasSuffix(".json") ? Form.json : path.hasSuffix(".har") ? .har : path.hasSuffix(".txt") ? .text : .ndjson
        self.form = form ?? ending
        self.path = String(path)
    }
}
