import CertificateAuthority
import Libc
import NIOSSL

/// Two authorities for the length of a demonstration, in a temporary folder: one that has signed the server's certificate, as a public one would
/// have, and the proxy's own, which the client trusts. The user's own authority is not touched.
package struct ScratchTrust: Sendable {
    /// What the server proves itself with.
    package let server: NIOSSLContext
    /// What the client trusts: the proxy's authority and nothing else.
    package let client: NIOSSLContext
    /// PEM file of the server's authority, for the proxy to trust.
    package var serverAuthorityPath: String { publicFolder.certificatePath }
    /// The folder of the proxy's authority.
    package var proxyFolder: String { proxyAuthorityFolder.path }

    private let root: String
    private let publicFolder: AuthorityFolder
    private let proxyAuthorityFolder: AuthorityFolder

    /// A temporary folder that could not be had.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Makes the folder and both authorities.
    ///
    /// - Throws: `Failure`, `AuthorityError`, and what BoringSSL says of the certificates.
    package init() throws {
        let parent = AuthorityFolder.environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array((parent + "/unmask-demo.XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure(description: "no folder can be made in \(parent): \(String(cString: strerror(errno)))")
        }
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        publicFolder = AuthorityFolder(path: root + "/public")
        proxyAuthorityFolder = AuthorityFolder(path: root + "/proxy")
        do {
            let leaf = try LocalAuthority.loadOrCreate(in: publicFolder).issue(LeafRequest(dnsNames: ["localhost"]))
            let chain = try leaf.chain.map { try NIOSSLCertificate(bytes: $0, format: .der) }
            server = try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: chain.map { .certificate($0) },
                    privateKey: .privateKey(try NIOSSLPrivateKey(bytes: leaf.key.der, format: .der))))
            let authority = try LocalAuthority.loadOrCreate(in: proxyAuthorityFolder).certificate
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: authority.der, format: .der)])
            client = try NIOSSLContext(configuration: configuration)
        } catch {
            Self.remove(root, [publicFolder, proxyAuthorityFolder])
            throw error
        }
    }

    /// Deletes everything; to be called as soon as the proxy has read what it needs.
    package func remove() { Self.remove(root, [publicFolder, proxyAuthorityFolder]) }

    private static func remove(_ root: String, _ folders: [AuthorityFolder]) {
        for folder in folders {
            _ = try? LocalAuthority.delete(in: folder)
            rmdir(folder.path)
        }
        rmdir(root)
    }
}
