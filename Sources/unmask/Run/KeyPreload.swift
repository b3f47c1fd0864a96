#if os(Linux)
import Libc

/// The library that has a dynamic OpenSSL write its keys (preload/keys.c). It is a file of its own beside the program, since the loader of another
/// program reads it.
enum KeyPreload {
    private static let name = "libunmask-keys.so"

    /// Where it is: in the folder of the program (a build), or in `../lib/unmask` from there (installed); nil where it is not.
    static let path: String? = {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0, let slash = buffer[..<count].lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let folder = String(decoding: buffer[..<slash], as: UTF8.self)
        return ["\(folder)/\(name)", "\(folder)/../lib/unmask/\(name)"].first { access($0, R_OK) == 0 }
    }()

    /// What LD_PRELOAD (ld.so(8)) becomes: this library, and then those that are there. A path with a blank or a colon would be taken apart.
    static func variable(after given: String?) -> String? {
        guard let path, !path.contains(where: { $0 == ":" || $0 == " " }) else { return nil }
        return given.flatMap { $0.isEmpty ? nil : "\(path):\($0)" } ?? path
    }
}
#endif
