/// A page of docs with each of its tables as they are made now: what stands between the comments by which a table is found is replaced.
///
/// - Parameters:
///   - kind: `fields` of `<!-- fields: every -->`.
///   - table: a table by its name, with the comments around it.
package func renewed(_ page: String, _ kind: String, _ names: [String], _ table: (String) -> String) -> String {
    var page = page
    for name in names {
        guard let start = page.firstRange(of: "<!-- \(kind): \(name) -->\n"),
            let end = page[start.upperBound...].firstRange(of: "<!-- /\(kind) -->\n")
        else { continue }
        page.replaceSubrange(start.lowerBound..<end.upperBound, with: table(name))
    }
    return page
}
