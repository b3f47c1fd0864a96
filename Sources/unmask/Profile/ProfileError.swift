import Reports

/// What is wrong with a profile, and where.
struct ProfileError: Error, CustomStringConvertible {
    var path: String
    /// From 1; nil where it is about the file.
    var line: Int?
    var column: Int?
    var words: String

    var description: String {
        let place = line.map { line in column.map { "\(path):\(line):\($0)" } ?? "\(path):\(line)" } ?? path
        return "\(place): \(words)"
    }

    /// Says it on standard error. Words about a filter have lines of their own, which show the place in it.
    func tell() {
        for line in "unmask: \(self)".split(separator: "\n") { writeLine(String(line)) }
    }
}
