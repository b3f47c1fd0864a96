import Libc

/// A session file without a name, for a console whose run keeps none: a folder of its own for its owner alone, removed as soon as all who need the file
/// have it open.
package struct TemporarySession: Sendable {
    /// A folder that cannot be made.
    package struct Failure: Error, CustomStringConvertible { package let description: String }

    package let path: String
    private static let name = "console.unmask"

    /// Makes the folder, with mode 0700.
    package init() throws(Failure) {
        let parent = getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array((parent + "/unmask-console.XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure(description: "cannot make a folder in \(parent): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/" + Self.name
    }

    /// Removes the folder where the file was not opened.
    package func remove() { Self.removeNames(of: path) }

    /// Removes the file, what SQLite has beside it, and the folder. Who has them open keeps them.
    static func removeNames(of path: String) {
        for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) }
        guard let slash = path.lastIndex(of: "/") else { return }
        rmdir(String(path[..<slash]))
    }
}
