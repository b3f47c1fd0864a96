#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What the system says of this process: by proc(5) on Linux, by calls on macOS.
public enum OwnProcess {
    /// A folder with an entry for each descriptor that is open.
    public static var descriptorFolder: String {
        #if os(Linux)
        "/proc/self/fd"
        #else
        "/dev/fd"
        #endif
    }

    /// The file of the program that runs; nil where the system does not say.
    public static var program: String? {
        #if os(Linux)
        return target(of: "/proc/self/exe")
        #elseif canImport(Darwin)
        var (path, size) = ([CChar](repeating: 0, count: 4_096), UInt32(4_096))
        return _NSGetExecutablePath(&path, &size) == 0 ? String(cString: path) : nil
        #else
        return nil
        #endif
    }

    /// The path of what a descriptor stands for; nil where the system does not say.
    public static func path(of descriptor: Int32) -> String? {
        #if os(Linux)
        return target(of: "/proc/self/fd/\(descriptor)")
        #elseif canImport(Darwin)
        // At most so many bytes are written (fcntl(2)).
        var path = [CChar](repeating: 0, count: Int(MAXPATHLEN))
        return fcntl(descriptor, F_GETPATH, &path) == 0 ? String(cString: path) : nil
        #else
        return nil
        #endif
    }

    #if os(Linux)
    private static func target(of link: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = bytes.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map { readlink(link, $0.assumingMemoryBound(to: CChar.self), buffer.count) } ?? 0
        }
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
    #endif
}
