import CertificateAuthority
import NIOCore
import NIOSSL

/// Why a handshake failed, or why an established connection cannot be read any further.
package enum TLSTrouble: Error, Hashable, Sendable {
    /// The peer sent a fatal alert.
    case alert(TLSAlert)
    /// The server's certificate was not accepted.
    case certificate(CertificateProblem)
    /// What the peer sent makes no sense to the TLS library; its own word for it, such as `WRONG_VERSION_NUMBER`.
    case unreadable(reason: String)
    /// The peer closed the connection before the handshake was done.
    case closed
    /// The peer reset the connection before the handshake was done.
    case reset
    /// We closed the connection before the handshake was done.
    case cancelled
    /// There is no certificate to show: the local CA cannot be used; why, in words for a person.
    case noAuthority(String)

    /// What an error of NIOSSL means.
    init(_ error: any Error) {
        switch error {
        case let trouble as TLSTrouble: self = trouble
        case NIOSSLError.handshakeFailed(let inner), NIOSSLError.shutdownFailed(let inner): self.init(inner)
        case NIOSSLError.uncleanShutdown: self = .closed
        case let error as BoringSSLError: self.init(error)
        case let error as AuthorityError: self = .noAuthority(error.description)
        default: self = .unreadable(reason: String(describing: error))
        }
    }

    /// What came was clear text, whatever became of the connection.
    static let notTLS = TLSTrouble.unreadable(reason: "WRONG_VERSION_NUMBER")

    /// The library's word for a chain that it refused.
    static let refusal = "CERTIFICATE_VERIFY_FAILED"
    /// Its word for a certificate whose key usage does not have what the cipher suite needs.
    static let unfitKey = "KEY_USAGE_BIT_INCORRECT"
    /// Its word for a peer of TLS 1.2 that asks for a new handshake.
    static let renegotiation = "NO_RENEGOTIATION"

    private init(_ error: BoringSSLError) {
        switch error {
        case .sslError(let stack), .unknownError(let stack), .invalidSNIName(let stack), .failedToSetALPN(let stack):
            guard let first = stack.first else {
                self = .unreadable(reason: "no reason given")
                return
            }
            if first == .eofDuringHandshake {
                self = .closed
            } else if stack.contains(where: { LibraryError($0.description).reason == Self.refusal }) {
                // What the library ran into while it verified stands before it.
                self = .unreadable(reason: Self.refusal)
            } else {
                let parts = LibraryError(first.description)
                self = parts.alert.map(TLSTrouble.alert) ?? .unreadable(reason: parts.reason)
            }
        default: self = .unreadable(reason: String(describing: error))
        }
    }
}

/// What stands in the text of an error of BoringSSL, the only form in which NIOSSL shows it:
/// `Error: 268436504 error:10000418:SSL routines:OPENSSL_internal:TLSV1_ALERT_UNKNOWN_CA at …/tls_record.cc:597`.
private struct LibraryError {
    var reason: String
    var alert: TLSAlert?

    init(_ description: String) {
        let words = description.split(separator: " ")
        // The lower 12 bits of the number are the reason; from 1000 on, the alert that was received.
        if words.count > 1, let number = UInt32(words[1]) {
            let code = number & 0xFFF
            if code >= 1_000 { alert = UInt8(exactly: code - 1_000).map(TLSAlert.init) }
        }
        let tail = description.split(separator: "OPENSSL_internal:", maxSplits: 1)
        reason = tail.count == 2 ? String(tail[1].prefix { $0 != " " }) : description
    }
}

extension TLSTrouble: CustomStringConvertible {
    /// In words, for a person.
    package var description: String {
        switch self {
        case .alert(let alert): "the peer sent the TLS alert “\(alert)”"
        case .certificate(let problem): problem.description
        case .unreadable(let reason): Self.words[reason] ?? "TLS failed: \(Self.readable(reason))"
        case .closed: "the peer closed the connection during the TLS handshake"
        case .reset: "the peer reset the connection during the TLS handshake"
        case .cancelled: "the TLS handshake was given up"
        case .noAuthority(let words): "the local CA cannot be used: \(words)"
        }
    }

    /// The same, with the name of the side that it is about, such as `the server`.
    package func words(about peer: String) -> String {
        switch self {
        // These name others than the peer, perhaps in words of their own.
        case .certificate, .noAuthority: description
        case .alert, .unreadable, .closed, .reset, .cancelled: description.replacing("the peer", with: peer)
        }
    }

    /// A word of the library in small letters; what somebody else has put into words stays as it is.
    private static func readable(_ reason: String) -> String {
        let isLibraryWord = reason.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
        return isLibraryWord ? reason.lowercased().replacing("_", with: " ") : reason
    }

    /// What the user can do about it when it happened on the way to a server; nil where no option helps.
    package var advice: String? {
        switch self {
        case .certificate(let problem): problem.advice
        case .alert(.certificateRequired): "the server wants a client certificate: give one with --client-cert"
        case .alert(.handshakeFailure):
            // OpenSSL sends it in each of these cases.
            """
            the server has no cipher suite, group or signature algorithm in common with the proxy, whose key types are RSA, P-256, P-384, P-521 and \
            Ed25519; or the server wants a client certificate: give one with --client-cert
            """
        case .alert(TLSAlert(rawValue: 42)): "if the server wants a client certificate, give one with --client-cert"
        case .alert(let alert) where alert.isAboutClientCertificate:
            "it refused the client certificate: give one that it accepts with --client-cert"
        default: nil
        }
    }

    private static let words = [
        "WRONG_VERSION_NUMBER": "the peer does not speak TLS on this port",
        "HTTP_REQUEST": "the peer speaks plain HTTP on this port, not TLS",
        "HTTPS_PROXY_REQUEST": "the peer took us for an HTTP proxy",
        "UNSUPPORTED_PROTOCOL": "no TLS version in common: the peer is below TLS 1.2",
        "NO_SHARED_CIPHER": "no cipher suite in common",
        "NO_SHARED_GROUP": "no key exchange group in common",
        "WRONG_CURVE": "no key exchange group in common: the peer chose one that was not offered",
        "BAD_PACKET_LENGTH": "a TLS record is too short to be genuine",
        "NO_COMMON_SIGNATURE_ALGORITHMS": "no signature algorithm in common",
        "NO_APPLICATION_PROTOCOL": "no application protocol (ALPN) in common",
        "UNKNOWN_PROTOCOL": "the peer does not speak TLS on this port",
        "DECRYPTION_FAILED_OR_BAD_RECORD_MAC": "a TLS record is not genuine (bad record MAC)",
        Self.renegotiation:
            "the peer asked for a renegotiation of TLS, which the proxy refuses; with --passthrough the TLS of the host is relayed unopened",
        "INVALID_ALPN_PROTOCOL": "the peer chose an application protocol (ALPN) that was not offered",
    ]
}
