import Dissection
import Libc

extension OutputFile {
    /// Whether the file has no name any more, so that nobody will find what is written to it. Never of what is no regular file, or of a
    /// descriptor that the path stands for.
    package var isRemoved: Bool {
        var status = stat()
        guard isRegular, !isInherited, unsafe fstat(descriptor, &status) == 0 else { return false }
        return status.st_nlink == 0
    }

    /// Another descriptor on the same file, whatever has become of its name: it was opened for writing alone. The caller closes it.
    ///
    /// - Returns: nil where the file cannot be read, with errno; also where the system has no proc(5) and the name is another file's by now.
    func openForReading() -> Int32? {
        var reader: Int32 = -1
        #if os(Linux)
        reader = unsafe open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
        #endif
        if reader < 0 { reader = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard reader >= 0 else { return nil }
        if let file = FileIdentity(reader), file == FileIdentity(descriptor) { return reader }
        close(reader)
        errno = ENOENT
        return nil
    }

    /// How many lines it has, whatever has become of its name; nil where it cannot be read.
    package var lineCount: UInt64? {
        guard let reader = openForReading() else { return nil }
        defer { close(reader) }
        let size = Int64(lseek(reader, 0, SEEK_END))
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        var (position, lines) = (Int64(0), UInt64(0))
        while position < size {
            let count = Int(min(size - position, Int64(piece.count)))
            guard WholeEnd.read(reader, &piece, count, at: position) else { return nil }
            lines &+= UInt64(piece.rawBytes.extracting(0..<count).count(of: 0x0A))
            position += Int64(count)
        }
        return lines
    }
}
