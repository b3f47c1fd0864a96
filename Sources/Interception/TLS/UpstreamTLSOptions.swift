import Libc
import NIOCore
import NIOSSL

/// How the proxy speaks TLS to servers, as the user asked for it.
package struct UpstreamTLSOptions: Sendable {
    /// Whether the server's chain and name are verified; `--insecure` turns it off.
    package var isVerifying = true
    /// PEM files of authorities that are trusted besides the system's: `--upstream-ca`.
    package var additionalRoots: [String] = []
    /// A PEM file with a certificate and the chain above it, and its key where `clientKey` is not given: `--client-cert`.
    package var clientCertificate: String?
    /// A PEM file with the key of `clientCertificate`: `--client-key`.
    package var clientKey: String?

    package init() {}
}

/// A file of `UpstreamTLSOptions` that is of no use.
package struct TLSFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// As the user wrote it.
    package var path: String
    /// What is wrong with it, in words.
    package var problem: String

    package init(path: String, problem: String) {
        self.path = path
        self.problem = problem
    }

    package var description: String { "\(path): \(problem)" }
}

extension UpstreamTLSOptions {
    /// The certificates of `additionalRoots`.
    func readAdditionalRoots() throws -> [NIOSSLCertificate] {
        try additionalRoots.flatMap { path in
            let found = try Self.read(path) { try NIOSSLCertificate.fromPEMFile(path) }
            guard !found.isEmpty else { throw TLSFileError(path: path, problem: "it holds no certificate in PEM form") }
            return found
        }
    }

    /// The chain and the key of the client certificate; nil where none was asked for.
    func readClientCertificate() throws -> (chain: [NIOSSLCertificate], key: NIOSSLPrivateKey)? {
        guard let path = clientCertificate else {
            guard let clientKey else { return nil }
            throw TLSFileError(path: clientKey, problem: "a key without --client-cert")
        }
        let chain = try Self.read(path) { try NIOSSLCertificate.fromPEMFile(path) }
        guard !chain.isEmpty else { throw TLSFileError(path: path, problem: "it holds no certificate in PEM form") }
        let keyPath = clientKey ?? path
        _ = try Self.read(keyPath) {}
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(file: keyPath, format: .pem)
        } catch {
            throw TLSFileError(path: keyPath, problem: "it holds no unencrypted private key in PEM form")
        }
        return (chain, key)
    }

    private static func read<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        // The library tells a file that cannot be read from one that is none of its kind in no way.
        guard access(path, R_OK) == 0 else { throw TLSFileError(path: path, problem: String(cString: strerror(errno))) }
        do {
            return try body()
        } catch {
            throw TLSFileError(path: path, problem: "it holds no certificate in PEM form")
        }
    }
}
