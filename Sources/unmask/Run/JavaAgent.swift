import Libc
import Reports

/// An agent for Java that the user has, such as extract-tls-secrets or jSSLKeyLog: it has the TLS of Java write its keys to a file.
struct JavaAgent {
    /// Why a file is not used.
    struct Failure: Error, CustomStringConvertible { let description: String }

    /// The path of its JAR, from the root: the program may begin in another folder.
    let path: String

    /// - Parameter path: of its JAR.
    /// - Throws: `Failure` where Java could not load it: then a program in Java would not start.
    init(_ path: String) throws(Failure) {
        guard let whole = Self.absolute(path) else { throw Failure(path, "the current folder is not known") }
        // Java takes what follows the first equals sign for the agent's own argument, and has no sign that takes a quote for itself.
        if let sign = whole.first(where: { $0 == "=" || $0 == "\"" || $0.isNewline }) {
            throw Failure(path, "JAVA_TOOL_OPTIONS cannot name a path with \(sign.isNewline ? "a line break" : "\(sign)"); move the file")
        }
        guard access(whole, R_OK) == 0 else { throw Failure(path, String(cString: strerror(errno))) }
        guard let archive = WholeFile.read(whole) else { throw Failure(path, "it cannot be read, or has more than 64 MiB") }
        switch ZipArchive(archive)?.content(of: "META-INF/MANIFEST.MF", atMost: 1 << 20) {
        case nil: throw Failure(path, "it is not a JAR: there is no ZIP archive with META-INF/MANIFEST.MF in it")
        case let manifest? where Self.hasAgent(manifest): self.path = whole
        case _?: throw Failure(path, "it is not an agent: its manifest has no Premain-Class")
        }
    }

    /// What Java takes to load it. Both agents above take the file for the keys as their argument.
    func option(keyLog: String) -> String { "-javaagent:\(path)=\(keyLog)" }

    private static func absolute(_ path: String) -> String? {
        if path.hasPrefix("/") { return path }
        guard let folder = getcwd(nil, 0) else { return nil }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    /// Whether the main section of a manifest names the class that an agent begins with (java.lang.instrument, "Manifest Attributes"). Names of
    /// attributes stand at the beginning of a line, in letters of either case; an empty line ends the section.
    private static func hasAgent(_ manifest: [UInt8]) -> Bool {
        for line in manifest.split(separator: 0x0A, omittingEmptySubsequences: false) {
            if line.isEmpty || line.elementsEqual([0x0D]) { return false }
            if String(decoding: line.prefix(14), as: UTF8.self).lowercased() == "premain-class:" { return true }
        }
        return false
    }
}

extension JavaAgent.Failure {
    fileprivate init(_ path: String, _ problem: String) { description = "--java-agent \(path.visible): \(problem)" }
}
