import CertificateAuthority
import Foundation

/// A folder of a test's own, gone when the test is over.
final class ScratchFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-" + UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        // Whatever the mask of this process is just then: other tests change it.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Where an authority may be made.
    var authority: AuthorityFolder { AuthorityFolder(path: path + "/data/unmask") }

    /// Writes a file into the folder, folders on the way included; returns its path.
    @discardableResult
    func write(_ content: some Sequence<UInt8>, to name: String, mode: Int = 0o644) throws -> String {
        let file = path + "/" + name
        try FileManager.default.createDirectory(
            atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(content).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }

    /// The rights that a file's mode gives.
    static func mode(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? -1
    }

    static func names(in path: String) -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}
