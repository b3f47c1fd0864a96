import Libc
import NIOSSL

/// The authorities that the system trusts, parsed once and shared: each context would otherwise read the file anew, in 2.8 ms and a megabyte.
package enum SystemRoots {
    /// Where NIOSSL looks as well.
    private static let files = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    /// The PEM file with all of them; nil where the system has none, as macOS.
    package static var file: String? { files.first { access($0, R_OK) == 0 } }

    /// Whether the system decides by itself whom it trusts, for each connection, as the keychain of macOS does.
    static var areTheSystemsOwn: Bool {
        #if canImport(Darwin)
        true
        #else
        false
        #endif
    }

    /// The system has no list of CAs, as a container without ca-certificates: no certificate of a server is trusted by it.
    static var areMissing: Bool { !areTheSystemsOwn && certificates.isEmpty }

    /// None where the system decides by itself, as the keychain of macOS does for each connection.
    package static let certificates: [NIOSSLCertificate] = {
        #if !canImport(Darwin)
        for file in files where access(file, R_OK) == 0 {
            if let certificates = try? NIOSSLCertificate.fromPEMFile(file), !certificates.isEmpty { return certificates }
        }
        #endif
        return []
    }()
}
