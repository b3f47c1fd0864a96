import Libc

/// Whose an authority is that root makes: of the one whose folder it lies in. What root keeps there for itself a service that runs as its own
/// user could not read.
struct FolderOwner: Hashable {
    var user: uid_t
    var group: gid_t

    /// The owner of a folder, or of the nearest one above it that is there; nil where that is root, or where this process is not root and so
    /// can give nothing away.
    init?(of path: String) {
        guard geteuid() == 0 else { return nil }
        var path = path
        var status = stat()
        while stat(path, &status) != 0 {
            guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return nil }
            path = String(path[..<slash])
        }
        guard status.st_uid != 0 else { return nil }
        (user, group) = (status.st_uid, status.st_gid)
    }

    /// Gives the owner an open file.
    ///
    /// - Returns: whether the system did.
    func take(_ descriptor: Int32) -> Bool { fchown(descriptor, user, group) == 0 }

    /// Gives the owner a folder that root has made; not what may stand in its place by now.
    ///
    /// - Returns: whether the system did.
    func take(folder path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == 0 || status.st_uid == user else { return false }
        return take(descriptor)
    }
}
