import Crypto
import Foundation
import Interception
import SwiftASN1
import X509

/// An authority for tests, and servers' certificates of every kind, good and bad.
struct TestAuthority {
    let certificate: Certificate
    private let key: Certificate.PrivateKey

    init(name: String = "Test Authority", validity: Range<Date> = today, pathLength: Int? = nil) throws {
        try self.init(name: name, key: Certificate.PrivateKey(P256.Signing.PrivateKey()), validity: validity, pathLength: pathLength)
    }

    /// The same authority with the same key, and a certificate for another time.
    func renewed(validity: Range<Date>) throws -> TestAuthority {
        let name = String(describing: certificate.subject).replacing("CN=", with: "")
        return try TestAuthority(name: name, key: key, validity: validity, pathLength: nil)
    }

    private init(name: String, key: Certificate.PrivateKey, validity: Range<Date>, pathLength: Int?) throws {
        self.key = key
        let subject = try DistinguishedName { CommonName(name) }
        certificate = try Self.sign(
            subject: subject, publicKey: key.publicKey, issuer: subject, issuerKey: key, validity: validity,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: pathLength))
                Critical(KeyUsage(keyCertSign: true))
            })
    }

    private init(certificate: Certificate, key: Certificate.PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Valid from an hour ago for a day.
    static var today: Range<Date> { Date(timeIntervalSinceNow: -3_600)..<Date(timeIntervalSinceNow: 86_400) }

    /// An authority that this one vouches for, or one that is none.
    func intermediate(
        name: String, validity: Range<Date> = today, constraints: BasicConstraints = .isCertificateAuthority(maxPathLength: nil),
        extra: [Certificate.Extension] = [], usage: Certificate.Extension? = nil
    ) throws -> TestAuthority {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let usual = try Certificate.Extensions {
            Critical(constraints)
            if usage == nil { Critical(KeyUsage(keyCertSign: true)) }
        }
        let certificate = try Self.sign(
            subject: try DistinguishedName { CommonName(name) }, publicKey: key.publicKey, issuer: certificate.subject, issuerKey: self.key,
            validity: validity, extensions: try Certificate.Extensions(Array(usual) + (usage.map { [$0] } ?? []) + extra))
        return TestAuthority(certificate: certificate, key: key)
    }

    /// A leaf for names and addresses; `above` are the certificates that the server sends behind it.
    func leaf(
        names: [String] = ["localhost"], addresses: [[UInt8]] = [[127, 0, 0, 1]], validity: Range<Date> = today, above: [Certificate] = [],
        commonName: String = "a leaf", purposes: [ExtendedKeyUsage.Usage] = [.serverAuth, .clientAuth], extra: [Certificate.Extension] = []
    ) throws -> ServingCertificate {
        let leafKey = P256.Signing.PrivateKey()
        let alternatives =
            names.map(GeneralName.dnsName) + addresses.map { GeneralName.ipAddress(ASN1OctetString(contentBytes: $0[...])) }
        let usual = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            try ExtendedKeyUsage(purposes)
            if !alternatives.isEmpty { SubjectAlternativeNames(alternatives) }
        }
        let certificate = try Self.sign(
            subject: try DistinguishedName { CommonName(commonName) }, publicKey: Certificate.PublicKey(leafKey.publicKey),
            issuer: certificate.subject, issuerKey: key, validity: validity, extensions: try Certificate.Extensions(Array(usual) + extra))
        return ServingCertificate(chain: try ([certificate] + above).map(Self.der), key: Array(leafKey.derRepresentation))
    }

    /// A certificate that signs itself.
    static func selfSigned() throws -> ServingCertificate {
        let leafKey = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName("alone") }
        let certificate = try sign(
            subject: subject, publicKey: Certificate.PublicKey(leafKey.publicKey), issuer: subject,
            issuerKey: Certificate.PrivateKey(leafKey), validity: today,
            extensions: Certificate.Extensions { SubjectAlternativeNames([.dnsName("localhost")]) })
        return ServingCertificate(chain: [try der(certificate)], key: Array(leafKey.derRepresentation))
    }

    /// The authority's key in text form.
    func keyPEM() throws -> String { try key.serializeAsPEM().pemString }

    /// The authority's certificate in text form.
    func pem() throws -> String { try certificate.serializeAsPEM().pemString }

    private static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    private static func sign(
        subject: DistinguishedName, publicKey: Certificate.PublicKey, issuer: DistinguishedName, issuerKey: Certificate.PrivateKey,
        validity: Range<Date>, extensions: Certificate.Extensions
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey, notValidBefore: validity.lowerBound,
            notValidAfter: validity.upperBound, issuer: issuer, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: issuerKey)
    }
}

extension ServingCertificate {
    /// The chain in text form, and the key behind it.
    var pem: String {
        let certificates = chain.map { PEMDocument(type: "CERTIFICATE", derBytes: $0).pemString }
        return (certificates + [PEMDocument(type: "PRIVATE KEY", derBytes: key).pemString]).joined(separator: "\n") + "\n"
    }
}
