#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Files that are read at once: message types, baselines, files of /proc (whose size is not known before).
public enum WholeFile {
    /// The most bytes that one may have.
    public static let sizeLimit = 64 << 20

    /// The content of a file; nil where it cannot be read, or is too large.
    public static func read(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var (bytes, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 64 << 10))
        while bytes.count <= sizeLimit {
            let count = systemRead(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += buffer[..<count]
        }
        return nil
    }
}

/// The system's `read`, under a name that does not collide with methods.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int { read(descriptor, bytes, count) }
