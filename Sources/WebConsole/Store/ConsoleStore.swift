import CaptureFiles
import Libc
import Reports
import Sessions
import Synchronization

/// The session file that a console is a view of, open for reading on a fixed number of connections.
///
/// Each connection is for one thread: what the page waits for (`quick`), what takes longer (`slow`), and the scans of views.
package final class ConsoleStore: Sendable {
    /// What the page says that it shows.
    package struct Origin: Sendable {
        /// Name and version of the program.
        package var tool: String
        /// The names of what is read.
        package var inputs: [String]
        /// Conversations come from peers that are at it.
        package var isLive = false
        /// The name of the session file that stays; nil where it goes with the run.
        package var saved: String?

        package init(tool: String, inputs: [String]) { (self.tool, self.inputs) = (tool, inputs) }
    }

    private struct Status {
        var isFinished = false
        var problem: String?
        /// For good.
        var isOverwritten = false
    }

    /// Another file took the name of the session file while it was opened.
    private struct Replaced: Error, CustomStringConvertible {
        var description: String { "the session file was replaced while it was opened" }
    }

    /// Another run has overwritten the session file, or another file has its name: what is read of it by now does not go with what was read before.
    struct Overwritten: Error, CustomStringConvertible {
        var description: String { "the session file was overwritten by another run; start the console again to see what it has now" }
    }

    package let origin: Origin
    /// Reports when more was stored, where this process writes to the file, and when everything is in it.
    let growth: Growth
    /// What this process has stored last; nil where it does not write to the file.
    let tail: SessionTail?
    let quick, slow, scans: SessionRows
    /// What writes notes: of a file that the user names, it is opened with the first note.
    private let notes: Mutex<SessionNotes?>
    private let path: String
    private let file: FileIdentity?
    /// What the file is known by; nil where no other program can overwrite it, as this one holds its lock while it is shown.
    private let mark: SessionMark?
    private let status: Mutex<Status>
    private let counted = Mutex(SessionCounts())

    /// - Parameters:
    ///   - isOwn: This process writes to the file; it is finished when `finish` says so.
    ///   - growth: Reports when more was stored.
    ///   - tail: Has what was stored last, where this process writes to the file.
    ///   - isTemporary: Its folder and its names go as soon as all connections have it open.
    /// - Throws: where it is not a session file, or cannot be opened.
    package init(
        path: String, isOwn: Bool, isTemporary: Bool = false, origin: Origin, growth: Growth = Growth(), tail: SessionTail? = nil
    ) throws(CaptureFileError) {
        (self.origin, self.growth, self.tail) = (origin, growth, tail)
        let file = FileIdentity(path: path)
        mark = isOwn || isTemporary ? nil : SessionMark(path: path)
        quick = try SessionRows(path: path, isOwn: isOwn)
        slow = try SessionRows(path: path, isOwn: isOwn)
        scans = try SessionRows(path: path, isOwn: isOwn)
        notes = Mutex(isOwn ? try SessionNotes(path: path, of: nil) : nil)
        // One that was replaced meanwhile takes no notes.
        self.file = file == FileIdentity(path: path) ? file : nil
        self.path = path
        status = Mutex(Status(isFinished: !isOwn))
        if isTemporary { TemporarySession.removeNames(of: path) }
        _ = counts(through: quick)
    }

    /// Whether notes can be written, as far as the rights to the file and its folder say.
    var takesNotes: Bool {
        if notes.withLock({ $0 != nil }) { return true }
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return access(path, W_OK) == 0 && access(folder, W_OK) == 0
    }

    /// Keeps a note in the file.
    ///
    /// - Throws: Why it cannot be kept.
    func write(_ note: StoredNote) throws {
        try check()
        try notes.withLock { notes in
            if notes == nil, file == nil { throw Replaced() }
            let writer = try notes ?? SessionNotes(path: path, of: file)
            notes = writer
            try writer.set(note)
        }
    }

    /// Ends the reading that is under way.
    func interrupt() { for rows in [quick, slow, scans] { rows.interrupt() } }

    /// Everything that will come is in the file.
    ///
    /// - Parameter problem: Why some of it is not, for the page to say.
    package func finish(problem: String? = nil) {
        status.withLock { status in
            status.isFinished = true
            if let problem, !status.isOverwritten { status.problem = problem }
        }
        growth.report()
    }

    /// Something went wrong that the page has to say.
    package func note(problem: String) { status.withLock { if !$0.isOverwritten { $0.problem = problem } } }

    /// The session file could not be read.
    func note(_ error: any Error) { if !isOverwritten { note(problem: "the session file cannot be read: \(error)") } }

    /// Looks whether the session file is another one by now. If not, what was read before is all of the one that was opened; if so, nothing is shown of it
    /// any more, as the rows of both would be mixed.
    var isOverwritten: Bool {
        guard let mark else { return false }
        if status.withLock({ $0.isOverwritten }) { return true }
        guard mark.isGone else { return false }
        status.withLock { ($0.isOverwritten, $0.problem) = (true, "\(Overwritten())") }
        return true
    }

    /// - Throws: `Overwritten`.
    func check() throws { if isOverwritten { throw Overwritten() } }

    var isFinished: Bool { status.withLock { $0.isFinished } }
    var problem: String? { status.withLock { $0.problem } }

    /// How much there is by now.
    ///
    /// - Parameter rows: The connection of the calling thread.
    func counts(through rows: SessionRows) -> SessionCounts {
        counted.withLock { counts in
            if let stored = tail?.counts {
                if stored.last >= counts.last { counts = stored }
                return counts
            }
            do {
                var counted = counts
                try rows.count(&counted)
                if !isOverwritten { counts = counted }
            } catch {
                note(error)
            }
            return counts
        }
    }

    /// The first number from `id` on that a record has.
    ///
    /// - Parameter rows: The connection of the calling thread.
    func next(from id: Int64, through rows: SessionRows) throws -> Int64? {
        // Of what this process writes the numbers follow one another.
        if let stored = tail?.counts, id >= stored.first { return id <= stored.last ? id : nil }
        return try rows.next(from: id)
    }

    /// How much there was at the last count.
    var lastCounts: SessionCounts { counted.withLock { $0 } }
}
