import CertificateAuthority
import Interception
import Libc

/// The files by which a command comes to trust the proxy's authority beside those that it trusts anyway.
struct TrustFiles {
    /// Our authority, and those that the user's own variables name.
    let added: String
    /// Those and the system's.
    let everything: String
    /// A folder as OpenSSL searches it, with our authority.
    let folder: String
    /// The same as `everything`, for Java.
    let java: String
    /// The authorities that the user's own variables name, for the proxy to trust: what a command would have believed without us, we believe for
    /// it. Nil where there are none.
    let given: String?
    /// Whether the system's authorities were found.
    let hasSystem: Bool

    /// Variables that name a PEM file of authorities.
    static let fileVariables = [
        "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "DENO_CERT", "AWS_CA_BUNDLE",
        "PIP_CERT", "CARGO_HTTP_CAINFO", "NIX_SSL_CERT_FILE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "PERL_LWP_SSL_CA_FILE",
    ]

    /// The most that is read of such a file.
    private static let sizeLimit = 8 << 20

    /// Writes them.
    ///
    /// - Parameter variable: reads a variable of the environment.
    /// - Throws: `RunFolder.Failure`.
    init(_ authority: AuthorityCertificate, in run: borrowing RunFolder, variable: (String) -> String?) throws {
        let system = SystemRoots.file.flatMap(Self.read) ?? ""
        hasSystem = !system.isEmpty
        let named = Set(Self.fileVariables.compactMap(variable) + WgetFile.authorities(variable)).subtracting([SystemRoots.file ?? ""])
            .sorted()
        // The system's own list under another path has nothing to add.
        let extra = named.compactMap(Self.read).filter { $0 != system }.flatMap { PEMCertificates.der(in: $0, isReadable: true) }
        let given = extra.map(PEMCertificates.text).joined()
        let own = authority.pem + given
        self.given = extra.isEmpty ? nil : try run.write("given.pem", Array(given.utf8))
        added = try run.write("authority.pem", Array(own.utf8))
        everything = try run.write("everything.pem", Array((own + system).utf8))
        java = try run.write("everything.p12", JavaTrustStore.bytes(PEMCertificates.der(in: own + system)))
        let file = try run.write("folder/" + (authority.fileNameInFolder ?? "authority.pem"), Array(authority.pem.utf8))
        let systemFolder = ["/etc/ssl/certs", "/etc/pki/tls/certs"].first { (path: String) in access(path, R_OK | X_OK) == 0 }
        let others = variable("SSL_CERT_DIR") ?? systemFolder
        folder = file.prefix(upTo: file.lastIndex(of: "/") ?? file.endIndex) + (others.map { ":" + $0 } ?? "")
    }

    /// The text of a file; nil where it cannot be read.
    static func read(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var (bytes, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 64 << 10))
        while bytes.count < sizeLimit {
            let count = systemRead(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
            bytes += buffer[..<count]
        }
        return nil
    }
}

/// The system's `read`, under a name that does not collide with methods.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int { read(descriptor, bytes, count) }
