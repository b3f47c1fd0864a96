import Libc

/// Paths whose last part is a link to an open descriptor of ours: what is written to them goes where the caller has led the descriptor.
package enum DescriptorPath {
    /// The descriptor that a path stands for; nil where it is any other path.
    package static func number(of path: String) -> Int32? {
        switch path {
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default: break
        }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            let number = path.dropFirst(folder.count)
            guard !number.isEmpty, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return Int32(number) ?? .max
        }
        return nil
    }

    /// A copy of the descriptor that such a path stands for; nil where it is no such path, or the descriptor is not open for writing.
    static func copy(of path: String) -> Int32? {
        guard let number = number(of: path) else { return nil }
        let mode = fcntl(number, F_GETFL)
        guard mode >= 0, mode & O_ACCMODE != O_RDONLY else { return nil }
        let descriptor = fcntl(number, F_DUPFD_CLOEXEC, 0)
        return descriptor >= 0 ? descriptor : nil
    }

    /// The descriptors that are open at the moment.
    package static var open: Set<Int32> {
        guard let folder = unsafe opendir("/dev/fd") else {
            return Set((0..<1_024).filter { fcntl($0, F_GETFD) >= 0 })
        }
        defer { unsafe closedir(folder) }
        let own = unsafe dirfd(folder)
        var numbers: Set<Int32> = []
        while let entry = unsafe readdir(folder) {
            // Where the entry is, up to the zero that ends it: a copy would take what the C library has not written after that.
            guard let offset = unsafe MemoryLayout<dirent>.offset(of: \dirent.d_name) else { continue }
            let name = unsafe String(cString: (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self))
            if let number = Int32(name), number != own { numbers.insert(number) }
        }
        return numbers
    }
}
