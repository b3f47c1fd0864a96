import CertificateAuthority
import Libc
import Synchronization

/// The temporary folder of one run: certificates for the command to trust, and what the command keeps there itself. Nothing in it is secret of
/// ours; the authority's key is in memory alone. What is the user's own may be.
///
/// A guard removes it where we cannot, because we were killed.
struct RunFolder: ~Copyable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    let path: String
    private let descriptor: Int32
    private var guardian: FolderGuard?
    private let staysInUse = Atomic(false)

    /// Makes it, with mode 0700. Root's is 0711: what root starts may become another user, and has to read the certificates.
    ///
    /// - Throws: `Failure`.
    init() throws {
        let parent = AuthorityFolder.environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array((parent + "/unmask-run.XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure(description: "cannot make a folder in \(parent): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if geteuid() == 0 { fchmod(descriptor, 0o711) }
        guardian = FolderGuard.start(for: descriptor)
    }

    /// Writes a file that everybody may read who finds it.
    ///
    /// - Parameters:
    ///   - name: of the file, or of one in a folder of this folder, which is made.
    ///   - isPrivate: the file is for its owner alone.
    /// - Returns: Its path.
    /// - Throws: `Failure`.
    func write(_ name: String, _ bytes: [UInt8], isPrivate: Bool = false) throws -> String {
        let file = path + "/" + name
        if let slash = name.lastIndex(of: "/") { mkdir(path + "/" + name[..<slash], 0o755) }
        let mode: mode_t = isPrivate ? 0o600 : 0o644
        let output = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard output >= 0 else { throw Failure(description: "\(file): \(String(cString: strerror(errno)))") }
        defer { close(output) }
        // The umask may have taken rights away.
        fchmod(output, mode)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(output, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(description: "\(file): \(String(cString: strerror(errno)))") }
            rest = rest.dropFirst(count)
        }
        return file
    }

    /// The command runs: should we be killed, it goes on to need the folder.
    func isUsed(by process: pid_t) {
        guardian?.say([ClearCommand.commandFollows] + withUnsafeBytes(of: process) { Array($0) })
    }

    /// There is a control group that has to go with it.
    func hasGroup(_ path: String) {
        let bytes = Array(path.utf8)
        guardian?.say([ClearCommand.groupFollows] + withUnsafeBytes(of: Int32(bytes.count)) { Array($0) } + bytes)
    }

    /// What the command has left running may need the folder, and its control group: the guard removes both when the group is empty.
    ///
    /// - Returns: false where there is no guard.
    func stays() -> Bool {
        guard guardian != nil else { return false }
        staysInUse.store(true, ordering: .relaxed)
        return true
    }

    /// Removes it, and says so where that cannot be done; or leaves it to the guard.
    consuming func remove() {
        if staysInUse.load(ordering: .relaxed), let guardian = guardian.take() {
            close(descriptor)
            return guardian.takeOver()
        }
        if !FolderTree.remove(descriptor) { writeLine("unmask: \(path) could not be removed") }
        close(descriptor)
        if let guardian = guardian.take() { guardian.dismiss() }
    }
}

/// The system's `write`, under a name that does not collide with methods.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(descriptor, bytes, count) }
