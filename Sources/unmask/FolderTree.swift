import Libc

/// Removes a folder with all that is in it, through its descriptor: whatever stands at its path by then, nothing else is touched, and no link is
/// followed.
enum FolderTree {
    /// The deepest that folders lie in each other; what is deeper stays.
    private static let deepest = 64
    /// How often it is tried anew while a program that ends still writes there, with a pause of 50 ms.
    private static let attempts = 40

    /// - Returns: Whether it is gone.
    static func remove(_ folder: Int32) -> Bool {
        for attempt in 0..<attempts {
            if attempt > 0 {
                var moment = timespec(tv_sec: 0, tv_nsec: 50_000_000)
                nanosleep(&moment, nil)
            }
            empty(folder, depth: 0)
            guard let path = OwnProcess.path(of: folder) else { return false }
            // Only an empty one goes.
            if rmdir(path) == 0 || errno == ENOENT { return true }
        }
        return false
    }

    private static func empty(_ folder: Int32, depth: Int) {
        // A descriptor of its own: reading a folder moves the place in it.
        let reading = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard reading >= 0 else { return }
        guard let entries = fdopendir(reading) else {
            close(reading)
            return
        }
        defer { closedir(entries) }
        while let entry = readdir(entries) {
            var name = entryName(entry)
            if name == Array(".".utf8) || name == Array("..".utf8) { continue }
            name.append(0)
            name.withUnsafeBytes { bytes in
                guard let path = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
                if unlinkat(folder, path, 0) == 0 || depth >= deepest { return }
                let inner = openat(folder, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                guard inner >= 0 else { return }
                empty(inner, depth: depth + 1)
                close(inner)
                _ = unlinkat(folder, path, AT_REMOVEDIR)
            }
        }
    }
}
