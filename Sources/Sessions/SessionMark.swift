import CaptureFiles
import Libc
import Reports

/// Whether a session file is still the one that was opened.
///
/// A run that overwrites a session file empties it in its place and goes on under the same name: a program that has it open reads the new content, mixed
/// with what it knows of the old one. Each new file has a random number where SQLite counts the changes of its tables (the schema cookie, bytes 40 to
/// 43 of the file, https://www.sqlite.org/fileformat2.html, section 1.3.9); the file itself is read for it, as SQLite may know the old content still.
///
/// Rows that were read before a look that finds the file unchanged are all of the one that was opened.
package final class SessionMark: Sendable {
    private let path: String
    private let descriptor: Int32
    private let file: FileIdentity?
    private let number: UInt32

    /// The tables of one file change seldom: with the first note, by VACUUM.
    private static let mostChanges: UInt32 = 64
    private static let place = 40

    /// - Parameter path: A file that this process does not write to: closing any descriptor of a file takes away the locks that SQLite has on it in the same
    ///   process.
    /// - Returns: nil where the file cannot be read, or has no header.
    package init?(path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        guard let number = Self.number(in: descriptor) else {
            close(descriptor)
            return nil
        }
        (self.path, self.descriptor, self.number) = (path, descriptor, number)
        file = FileIdentity(descriptor)
    }

    deinit { close(descriptor) }

    /// The number of a new file.
    static func new() -> Int32 { .random(in: 1 << 16...1 << 30) }

    /// Whether the file was overwritten or emptied, or another one has its name. One that has lost its name is still itself.
    package var isGone: Bool {
        guard let now = Self.number(in: descriptor), now &- number < Self.mostChanges else { return true }
        return FileIdentity(path: path).map { $0 != file } ?? false
    }

    private static func number(in descriptor: Int32) -> UInt32? {
        var bytes: [UInt8] = [0, 0, 0, 0]
        guard pread(descriptor, &bytes, bytes.count, off_t(place)) == bytes.count else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
