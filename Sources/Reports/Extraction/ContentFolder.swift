import Dissection
import Libc

/// A folder that bodies and messages are written to, each into a file of its own. Names are ours: letters, digits, hyphens and dots.
///
/// Each file is made new (O_EXCL) and opened without following a link (O_NOFOLLOW), below the folder that was opened first, so that nothing
/// outside it can be written, whatever stands in the folder or happens to it meanwhile.
package final class ContentFolder {
    package let path: String
    private let descriptor: Int32
    private let replaces: Bool
    /// It was not there before.
    private let isNew: Bool

    /// Opens the folder, and makes it (mode 0700) where it is not there.
    ///
    /// - Parameter replaces: whether it may have files, those of the same names being replaced; otherwise it has to be empty.
    /// - Throws: `OutputFileError`.
    package init(path: String, replaces: Bool) throws(OutputFileError) {
        self.path = path
        self.replaces = replaces
        isNew = unsafe mkdir(path, 0o700) == 0
        if !isNew, errno != EEXIST { throw OutputFileError(path: path, problem: "cannot make the folder: \(Self.reason)") }
        descriptor = Self.systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw OutputFileError(path: path, problem: "cannot write to this folder: \(Self.reason)") }
        if !isNew, !replaces, !Self.isEmpty(descriptor) {
            throw OutputFileError(path: path, problem: "the folder is not empty; name a new one, or add --force to write into it")
        }
    }

    deinit { close(descriptor) }

    /// Removes the folder where it was made for this run and nothing is in it.
    package func removeIfNew() { if isNew { _ = unsafe rmdir(path) } }

    /// Makes a file of mode 0600.
    func make(_ name: String) throws(OutputFileError) -> Int32 {
        if replaces { _ = unsafe unlinkat(descriptor, name, 0) }
        let file = unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if file < 0 { throw fault(name) }
        return file
    }

    /// Opens a file that `make` has made, to go on at its end.
    func goOn(_ name: String, _ identity: FileIdentity?) throws(OutputFileError) -> Int32 {
        let file = unsafe openat(descriptor, name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC)
        if file < 0 { throw fault(name) }
        guard let identity, identity == FileIdentity(file) else {
            close(file)
            throw OutputFileError(path: "\(path)/\(name)", problem: "another file has this name now")
        }
        return file
    }

    /// Removes a file that `make` has made.
    func remove(_ name: String, _ identity: FileIdentity?) {
        let file = unsafe openat(descriptor, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return }
        if let identity, identity == FileIdentity(file) { _ = unsafe unlinkat(descriptor, name, 0) }
        close(file)
    }

    /// Gives a file its last name, which no other file has.
    func rename(_ old: String, to new: String) throws(OutputFileError) {
        if replaces { _ = unsafe unlinkat(descriptor, new, 0) }
        if unsafe linkat(descriptor, old, descriptor, new, 0) == 0 {
            _ = unsafe unlinkat(descriptor, old, 0)
            return
        }
        // Where there are no links: a file of ours is made first, and then replaced.
        if errno == EEXIST { throw fault(new) }
        close(try make(new))
        if unsafe renameat(descriptor, old, descriptor, new) != 0 { throw fault(new) }
    }

    /// Writes all of it.
    func write(_ bytes: RawSpan, to file: Int32, _ name: String) throws(OutputFileError) {
        var start = 0
        while start < bytes.byteCount {
            let rest = bytes.suffix(from: start)
            let count = unsafe rest.withUnsafeBytes { unsafe Libc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { throw fault(name) }
            start += count
        }
    }

    private func fault(_ name: String) -> OutputFileError {
        let (code, problem) = (errno, Self.reason)
        guard code == EEXIST, replaces else { return OutputFileError(path: "\(path)/\(name)", problem: problem) }
        return OutputFileError(
            path: "\(path)/\(name)",
            problem: "cannot write this file: a folder has its name; move it away, or name another folder with --to", isNameTaken: true)
    }

    private static var reason: String { unsafe String(cString: strerror(errno)) }

    private static func systemOpen(_ path: String, _ flags: Int32) -> Int32 { unsafe open(path, flags) }

    private static func isEmpty(_ descriptor: Int32) -> Bool {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, let folder = unsafe fdopendir(copy) else { return false }
        defer { unsafe closedir(folder) }
        while let entry = unsafe readdir(folder) {
            // Besides . and .. there is nothing.
            let (first, second, third) = unsafe (entry.pointee.d_name.0, entry.pointee.d_name.1, entry.pointee.d_name.2)
            guard first == 0x2e, second == 0 || second == 0x2e && third == 0 else { return false }
        }
        return true
    }
}
