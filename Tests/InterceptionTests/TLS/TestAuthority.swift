import CertificateAuthority
import Foundation
import Interception

/// An authority for tests, and servers' certificates of every kind, good and bad.
struct TestAuthority {
    /// DER.
    let certificate: [UInt8]
    private let name: String
    private let key: SigningKey

    init(name: String = "Test Authority", validity: Range<Date> = today, pathLength: UInt8? = nil) throws {
        try self.init(name: name, key: SigningKey(), validity: validity, pathLength: pathLength)
    }

    /// The same authority with the same key, and a certificate for another time.
    func renewed(validity: Range<Date>) throws -> TestAuthority {
        try TestAuthority(name: name, key: key, validity: validity, pathLength: nil)
    }

    private init(name: String, key: SigningKey, validity: Range<Date>, pathLength: UInt8?) throws {
        (self.name, self.key) = (name, key)
        certificate = try Self.sign(
            name, key, issuer: name, issuerKey: key, validity: validity,
            extensions: [.basicConstraints(isCA: true, pathLength: pathLength), .keyUsage(.keyCertSign)])
    }

    private init(name: String, certificate: [UInt8], key: SigningKey) {
        (self.name, self.certificate, self.key) = (name, certificate, key)
    }

    /// Valid from an hour ago for a day.
    static var today: Range<Date> { Date(timeIntervalSinceNow: -3_600)..<Date(timeIntervalSinceNow: 86_400) }

    /// An authority that this one vouches for, or one that is none.
    func intermediate(
        name: String, validity: Range<Date> = today, constraints: CertificateExtension = .basicConstraints(isCA: true),
        extra: [CertificateExtension] = [], usage: CertificateExtension = .keyUsage(.keyCertSign)
    ) throws -> TestAuthority {
        let key = try SigningKey()
        let certificate = try Self.sign(
            name, key, issuer: self.name, issuerKey: self.key, validity: validity, extensions: [constraints, usage] + extra)
        return TestAuthority(name: name, certificate: certificate, key: key)
    }

    /// A leaf for names and addresses; `above` are the certificates that the server sends behind it.
    func leaf(
        names: [String] = ["localhost"], addresses: [[UInt8]] = [[127, 0, 0, 1]], validity: Range<Date> = today, above: [[UInt8]] = [],
        commonName: String = "a leaf", purposes: [CertificateExtension.Purpose] = [.serverAuth, .clientAuth],
        extra: [CertificateExtension] = []
    ) throws -> ServingCertificate {
        let leafKey = try SigningKey()
        let alternatives =
            names.map(CertificateExtension.AlternativeName.dns) + addresses.map(CertificateExtension.AlternativeName.address)
        let usual: [CertificateExtension] =
            [.basicConstraints(isCA: false), .extendedKeyUsage(purposes)]
            + (alternatives.isEmpty ? [] : [.subjectAlternativeNames(alternatives)])
        let certificate = try Self.sign(
            commonName, leafKey, issuer: name, issuerKey: key, validity: validity, extensions: usual + extra)
        return ServingCertificate(chain: [certificate] + above, key: try leafKey.der())
    }

    /// A certificate that signs itself.
    static func selfSigned() throws -> ServingCertificate {
        let leafKey = try SigningKey()
        let certificate = try sign(
            "alone", leafKey, issuer: "alone", issuerKey: leafKey, validity: today,
            extensions: [.subjectAlternativeNames([.dns("localhost")])])
        return ServingCertificate(chain: [certificate], key: try leafKey.der())
    }

    /// The authority's key in text form.
    func keyPEM() throws -> String { PEMBlock(label: PEMBlock.privateKey, der: try key.der()).text }

    /// The authority's certificate in text form.
    func pem() throws -> String { PEMCertificates.text(certificate) }

    private static func sign(
        _ subject: String, _ key: SigningKey, issuer: String, issuerKey: SigningKey, validity: Range<Date>,
        extensions: [CertificateExtension]
    ) throws -> [UInt8] {
        let certificate = NewCertificate(
            issuer: NewCertificate.name(issuer), subject: NewCertificate.name(subject), publicKey: key.publicKey,
            notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound, extensions: extensions)
        return try certificate.signed(by: issuerKey)
    }
}

extension ServingCertificate {
    /// The chain in text form, and the key behind it.
    var pem: String { chain.map(PEMCertificates.text).joined() + PEMBlock(label: PEMBlock.privateKey, der: key).text }
}
