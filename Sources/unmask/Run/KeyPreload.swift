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

    /// Where a run has it: a copy in the run's folder, where LD_PRELOAD cannot name the library itself.
    ///
    /// - Returns: nil where it is not installed, or cannot be named there either, which a line on standard error says.
    static func place(for folder: borrowing RunFolder) -> String? {
        guard let path else { return nil }
        if canBeNamed(path) { return path }
        if canBeNamed(folder.path), let bytes = WholeFile.read(path), let copy = try? folder.write(name, bytes) { return copy }
        writeLine("unmask: \(path) cannot stand in LD_PRELOAD, nor a copy in \(folder.path): programs with OpenSSL may write no keys")
        return nil
    }

    /// Whether a path stays whole in LD_PRELOAD: ld.so(8) takes it apart at blanks and colons, and has words that begin with a dollar sign.
    static func canBeNamed(_ path: String) -> Bool { !path.utf8.contains { [0x3A, 0x24].contains($0) || 0x09...0x0D ~= $0 || $0 == 0x20 } }

    /// What LD_PRELOAD becomes: those that are there, some of which insist on being the first, and then this library.
    static func variable(_ place: String, after given: String?) -> String {
        given.flatMap { $0.isEmpty ? nil : "\($0):\(place)" } ?? place
    }

    /// What ASAN_OPTIONS becomes: a program that is built with AddressSanitizer refuses to start with any other library before its own, and this one
    /// takes nothing from it.
    static func sanitizerOptions(after given: String?) -> String {
        let option = "verify_asan_link_order=0"
        return given.flatMap { $0.isEmpty ? nil : "\($0):\(option)" } ?? option
    }
}
#endif
