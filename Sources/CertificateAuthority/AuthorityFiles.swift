import Libc

/// Reads and writes the two files of an authority, and minds who else could.
///
/// A new pair is written into a folder of its own beside the place where it belongs, and moved there in one step. The move fails where a pair
/// is already, so of several programs that begin at once one brings its pair into place, and the others take that one.
struct AuthorityFiles {
    let folder: AuthorityFolder

    /// No file of an authority comes near this size.
    private static let sizeLimit = 64 << 10

    // MARK: - Reading

    /// The content of both files, PEM.
    func readPair() throws(AuthorityError) -> (certificate: [UInt8], key: [UInt8]) {
        let certificate = try read(folder.certificatePath, isSecret: false)
        let key = try read(folder.keyPath, isSecret: true)
        switch (certificate, key) {
        case (let certificate?, let key?):
            try checkFolders()
            return (certificate, key)
        case (nil, nil):
            throw AuthorityError(
                kind: .missing, path: folder.pairPath, problem: "there is no local CA", advice: "unmask ca makes one")
        case (nil, _?): throw halfAPair(missing: folder.certificatePath, present: "key")
        case (_?, nil): throw halfAPair(missing: folder.keyPath, present: "certificate")
        }
    }

    /// The content of the certificate's file alone; the key is not looked at.
    func readCertificate() throws(AuthorityError) -> [UInt8] {
        if let certificate = try read(folder.certificatePath, isSecret: false) { return certificate }
        if access(folder.keyPath, F_OK) == 0 { throw halfAPair(missing: folder.certificatePath, present: "key") }
        throw AuthorityError(kind: .missing, path: folder.pairPath, problem: "there is no local CA", advice: "unmask ca makes one")
    }

    private func halfAPair(missing: String, present: String) -> AuthorityError {
        AuthorityError(
            kind: .halfAPair, path: missing, problem: "is missing, and its \(present) is there",
            advice: "put the file back, or let unmask ca remove --yes clear the rest away and begin anew")
    }

    /// A file's content; nil where there is none.
    private func read(_ path: String, isSecret: Bool) throws(AuthorityError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw unreadable(path, errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw AuthorityError(kind: .damaged, path: path, problem: "is not a file")
        }
        if isSecret, status.st_mode & 0o077 != 0 {
            let remedy = "chmod 600 \(ShellWord.quoted(path)); if somebody may have read it: unmask ca remove --yes, and make another"
            throw AuthorityError(
                kind: .exposed, path: path, problem: "users other than its owner have access to the CA's private key", advice: remedy)
        }
        // Somebody else's authority would be somebody else's eyes. Root may use whose it likes.
        if geteuid() != 0, status.st_uid != geteuid(), status.st_uid != 0 {
            throw AuthorityError(
                kind: .exposed, path: path, problem: "belongs to another user (\(status.st_uid))",
                advice: "name a folder of yours with --ca-folder")
        }
        var bytes = [UInt8](repeating: 0, count: Self.sizeLimit + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                buffer.baseAddress.map { systemRead(descriptor, $0 + count, buffer.count - count) } ?? 0
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw unreadable(path, errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= Self.sizeLimit else { throw AuthorityError(kind: .damaged, path: path, problem: "is far too large") }
        return Array(bytes[..<count])
    }

    private func unreadable(_ path: String, _ code: Int32) -> AuthorityError {
        AuthorityError(
            kind: .unreadable, path: path, problem: "cannot be read: \(String(cString: strerror(code)))",
            advice: code == EACCES || code == EPERM
                ? "was it made with sudo? then give it back with sudo chown -R \(ownName) \(ShellWord.quoted(folder.path))" : "")
    }

    /// The user as whom this process runs, which for a service is nobody who types the command: the name, or else the number.
    private var ownName: String {
        getpwuid(geteuid()).flatMap { $0.pointee.pw_name }.map { ShellWord.quoted(String(cString: $0)) } ?? "\(geteuid())"
    }

    /// Whoever may write to the folders may put another authority there.
    private func checkFolders() throws(AuthorityError) {
        for (path, forbidden) in [(folder.pairPath, mode_t(0o022)), (folder.path, mode_t(0o002))] {
            var status = stat()
            guard stat(path, &status) == 0 else { throw unreadable(path, errno) }
            // In a sticky folder, such as /tmp, nobody may replace what is not theirs.
            if status.st_mode & forbidden != 0, status.st_mode & 0o1000 == 0 {
                throw AuthorityError(
                    kind: .exposed, path: path, problem: "others than its owner may put another authority into this folder",
                    advice: "chmod go-w \(ShellWord.quoted(path))")
            }
        }
    }

    // MARK: - Writing

    /// Puts a new pair in place, unless there is one.
    ///
    /// - Returns: whether it is this pair that is in place now.
    func writePair(certificate: String, key: String) throws(AuthorityError) -> Bool {
        let owner = FolderOwner(of: folder.path)
        try makeFolder(folder.path, for: owner)
        var template = Array((folder.path + "/.authority.XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw unwritable(folder.path, errno) }
        let draft = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let names = [folder.certificatePath, folder.keyPath].map { String($0.dropFirst(folder.pairPath.count)) }
        var isInPlace = false
        defer {
            if !isInPlace {
                for name in names { unlink(draft + name) }
                rmdir(draft)
            }
        }
        try write(certificate, to: draft + names[0], mode: 0o644, for: owner)
        try write(key, to: draft + names[1], mode: 0o600, for: owner)
        try give(draft, to: owner)
        try synchronize(draft)
        // An empty folder in the way is replaced; one with anything in it is not.
        if rename(draft, folder.pairPath) != 0 {
            if errno == ENOTEMPTY || errno == EEXIST { return false }
            throw unwritable(folder.pairPath, errno)
        }
        isInPlace = true
        try synchronize(folder.path)
        return true
    }

    /// Deletes the pair; what else lies in its folder stays.
    ///
    /// - Returns: the paths that were deleted.
    func removePair() throws(AuthorityError) -> [String] {
        var removed: [String] = []
        // The key first: whatever stops us after it, the authority can sign no more.
        for path in [folder.keyPath, folder.certificatePath] {
            if unlink(path) == 0 {
                removed.append(path)
            } else if errno != ENOENT && errno != ENOTDIR {
                throw AuthorityError(kind: .unwritable, path: path, problem: "cannot be deleted: \(String(cString: strerror(errno)))")
            }
        }
        rmdir(folder.pairPath)
        return removed
    }

    /// Makes a folder and those above it, as far as they are missing, for the owner alone.
    private func makeFolder(_ path: String, for owner: FolderOwner?) throws(AuthorityError) {
        if mkdir(path, 0o700) == 0 { return try give(path, to: owner) }
        if errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else { throw unwritable(path, errno) }
        try makeFolder(String(path[..<slash]), for: owner)
        if mkdir(path, 0o700) == 0 { return try give(path, to: owner) }
        guard errno == EEXIST else { throw unwritable(path, errno) }
    }

    private func give(_ path: String, to owner: FolderOwner?) throws(AuthorityError) {
        if let owner, !owner.take(folder: path) { throw unwritable(path, errno) }
    }

    private func write(_ text: String, to path: String, mode: mode_t, for owner: FolderOwner?) throws(AuthorityError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw unwritable(path, errno) }
        defer { close(descriptor) }
        // The creation mask may have taken rights away, never added any.
        guard fchmod(descriptor, mode) == 0, owner?.take(descriptor) ?? true else { throw unwritable(path, errno) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw unwritable(path, errno) }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw unwritable(path, errno) }
    }

    /// Makes a folder's entries durable, where the file system can.
    private func synchronize(_ path: String) throws(AuthorityError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unwritable(path, errno) }
        _ = fsync(descriptor)
        close(descriptor)
    }

    private func unwritable(_ path: String, _ code: Int32) -> AuthorityError {
        AuthorityError(
            kind: .unwritable, path: path, problem: "cannot be written: \(String(cString: strerror(code)))",
            advice: "name another folder with --ca-folder")
    }
}

// The methods above have the names of the system's calls.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int { read(descriptor, bytes, count) }
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(descriptor, bytes, count) }
