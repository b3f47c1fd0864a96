import Dissection

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A certificate that is still to be signed: the fields of TBSCertificate (RFC 5280 4.1.2).
package struct NewCertificate: Sendable {
    /// Big-endian, positive.
    package var serialNumber = unpredictableNumber()
    /// Names, DER; see `name`.
    package var issuer: [UInt8]
    package var subject: [UInt8]
    /// SubjectPublicKeyInfo, DER.
    package var publicKey: [UInt8]
    /// In whole seconds; what is below them is left out.
    package var notValidBefore: Date
    package var notValidAfter: Date
    package var extensions: [CertificateExtension]

    package init(
        issuer: [UInt8], subject: [UInt8], publicKey: [UInt8], notValidBefore: Date, notValidAfter: Date, extensions: [CertificateExtension]
    ) {
        self.issuer = issuer
        self.subject = subject
        self.publicKey = publicKey
        self.notValidBefore = notValidBefore
        self.notValidAfter = notValidAfter
        self.extensions = extensions
    }

    /// The certificate, DER.
    package func signed(by key: SigningKey) throws(SigningFailure) -> [UInt8] {
        let algorithm = key.algorithm.identifier
        let body = DER.sequence(
            // Version 3.
            DER.explicit(0, DER.integer(2)), DER.element(DERCursor.Tag.integer, serialNumber), algorithm, issuer,
            DER.sequence(try Self.time(notValidBefore), try Self.time(notValidAfter)), subject, publicKey,
            DER.explicit(3, DER.sequence(of: extensions.map(\.der))))
        return DER.sequence(body, algorithm, DER.bitString(try key.signature(of: body)))
    }

    /// A Name (section 4.1.2.4) of a common name and an organization, in this order.
    package static func name(_ commonName: String?, organization: String? = nil) -> [UInt8] {
        let parts = [(DER.identifier(2, 5, 4, 3), commonName), (DER.identifier(2, 5, 4, 10), organization)]
        return DER.sequence(
            of: parts.compactMap { type, text in
                text.map { DER.element(DERCursor.Tag.set, DER.sequence(type, DER.utf8($0))) }
            })
    }

    /// The identifier of a key: SHA-1 of its bits (section 4.2.1.2, method 1).
    ///
    /// - Parameter publicKey: SubjectPublicKeyInfo, DER.
    package static func identifier(ofKey publicKey: [UInt8]) -> [UInt8] {
        let bits = DERNode(publicKey, in: publicKey.indices)?.nodes.dropFirst().first?.octets ?? []
        return Digest.sha1(Array(bits.dropFirst()))
    }

    /// 126 random bits and one that is set: positive, nowhere near the bound of 20 octets (section 4.1.2.2), never the same twice.
    private static func unpredictableNumber() -> [UInt8] {
        let words = [UInt64.random(in: .min ... .max) & ~(1 << 63) | 1 << 62, UInt64.random(in: .min ... .max)]
        return words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
    }

    /// UTCTime until 2049, then GeneralizedTime (section 4.1.2.5).
    private static func time(_ date: Date) throws(SigningFailure) -> [UInt8] {
        guard let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down)), (0..<253_402_300_800).contains(seconds) else {
            throw SigningFailure(description: "certificates cannot have the time \(date.timeIntervalSince1970) s after 1970")
        }
        let time = CivilTime(seconds: seconds)
        func digits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        let rest = [time.month, time.day, time.hour, time.minute, time.second].map(digits).joined() + "Z"
        return time.year < 2050
            ? DER.element(DERCursor.Tag.utcTime, Array((digits(time.year % 100) + rest).utf8))
            : DER.element(DERCursor.Tag.generalizedTime, Array((String(time.year) + rest).utf8))
    }
}
