import CertificateAuthority
import Dissection
import Foundation
import Testing

/// A certificate as Dissection's reader sees it, which knows nothing of how it was made.
struct ReadCertificate {
    struct Extension: Equatable {
        /// Such as `2.5.29.19`.
        var identifier: String
        var isCritical = false
        /// DER.
        var value: [UInt8]
    }

    let der: [UInt8]
    private let read: X509Certificate

    init(_ der: [UInt8]) throws {
        self.der = der
        // Not inside of the macro: what is read from cannot be kept.
        let certificate = X509Certificate(der.rawBytes)
        read = try #require(certificate)
    }

    var notValidBefore: Date { Date(timeIntervalSince1970: Double(read.notBefore ?? 0)) }
    var notValidAfter: Date { Date(timeIntervalSince1970: Double(read.notAfter ?? 0)) }
    var serialNumber: [UInt8] { Array(der[read.serialNumber]) }
    /// DER, as all that follows.
    var subject: [UInt8] { Array(der[read.subjectName]) }
    var issuer: [UInt8] { Array(der[read.issuerName]) }
    var publicKey: [UInt8] { Array(der[read.publicKey]) }
    var extensions: [Extension] {
        read.extensions.map { found in
            Extension(
                identifier: ObjectIdentifierText.text(Array(der[found.identifier])), isCritical: found.isCritical,
                value: Array(der[found.value]))
        }
    }
    var alternativeNames: Extension? { extensions.first { $0.identifier == "2.5.29.17" } }
    /// How many alternative names it has.
    var nameCount: Int { read.names.count }
    var keyIdentifier: [UInt8] { read.keyIdentifier }
    var authorityKeyIdentifier: [UInt8] { read.authorityKeyIdentifier }

    /// Whether the key of another certificate has signed one, as libcrypto says.
    static func isSigned(_ certificate: [UInt8], by issuer: [UInt8]) -> Bool {
        guard let certificate = LibraryCertificate(certificate), let issuer = LibraryCertificate(issuer) else { return false }
        return certificate.isSigned(by: issuer)
    }
}

extension [UInt8] {
    /// From digits of base 16.
    init(hex: String) {
        let digits = hex.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
        self = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
