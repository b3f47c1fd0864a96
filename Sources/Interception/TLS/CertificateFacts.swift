import Dissection
import NIOSSL
import SwiftASN1

/// What of a certificate says why it is not accepted: its names, its time, what it may be used for, and how it is signed.
///
/// Read from its DER form, since swift-certificates does not read those with short keys or old algorithms, which are what is looked for. Only the
/// structure is trusted to be right: the library has parsed it before.
struct CertificateFacts {
    /// One extension (RFC 5280 4.2).
    struct Extension {
        /// Its object identifier, as DER has it.
        var identifier: [UInt8]
        var isCritical: Bool
        /// The content of its extnValue.
        var value: ArraySlice<UInt8>
    }

    /// Seconds since 1970.
    let notBefore: Int
    /// Seconds since 1970.
    let notAfter: Int
    /// In the form of RFC 4514.
    var subject: String { names.map { DistinguishedNameText.text($0.subject) } ?? "?" }
    /// In the form of RFC 4514.
    var issuer: String { names.map { DistinguishedNameText.text($0.issuer) } ?? "?" }
    /// Its subject as DER has it; nil where that cannot be read.
    var name: [UInt8]? { names.map { Array($0.subject.encodedBytes) } }
    private var names: (subject: ASN1Node, issuer: ASN1Node)?
    /// Whether subject and issuer are the same, as of roots.
    private(set) var isSelfIssued = false
    private(set) var strength = CertificateStrength()
    private(set) var extensions: [Extension] = []
    /// False where its structure could not be read: nothing is known of it then.
    private(set) var isReadable = false

    init(_ certificate: NIOSSLCertificate) {
        notBefore = Int(certificate.notValidBefore)
        notAfter = Int(certificate.notValidAfter)
        guard let der = try? certificate.toDERBytes(), let root = try? DER.parse(der), root.nodes.count == 3 else { return }
        var fields = root.nodes[0].nodes
        // version [0] is optional; then serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo.
        if fields.first?.identifier == ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific) { fields.removeFirst() }
        guard fields.count > 5 else { return }
        isReadable = true
        names = (subject: fields[4], issuer: fields[2])
        isSelfIssued = fields[2].encodedBytes == fields[4].encodedBytes
        strength = CertificateStrength(key: fields[5], signature: root.nodes[1])
        let wrapper = fields.first { $0.identifier == ASN1Identifier(tagWithNumber: 3, tagClass: .contextSpecific) }
        for field in wrapper?.nodes.first?.nodes ?? [] {
            let parts = field.nodes
            guard let identifier = parts.first?.octets, let value = parts.last?.octets else { continue }
            let isCritical = parts.count == 3 && parts[1].octets?.first != 0
            extensions.append(Extension(identifier: Array(identifier), isCritical: isCritical, value: value))
        }
    }

    /// The value of an extension, parsed; nil where the certificate has none, or one that cannot be read.
    func value(of identifier: [UInt8]) -> ASN1Node? {
        extensions.first { $0.identifier == identifier }.flatMap { try? DER.parse(Array($0.value)) }
    }

    func has(_ identifier: [UInt8]) -> Bool { extensions.contains { $0.identifier == identifier } }

    // MARK: What it may be used for

    /// What the certificate is not fit for in its place, the first of it in the order in which the library looks.
    func unfitness(isLeaf: Bool) -> CertificateProblem? {
        if let unknown = extensions.first(where: { $0.isCritical && !Self.understood.contains($0.identifier) }) {
            return .criticalExtension(ObjectIdentifierText.text(unknown.identifier))
        }
        let usage = value(of: Self.keyUsage)?.octets.map { Array($0.dropFirst()) }
        if !isLeaf {
            // basicConstraints: SEQUENCE { cA BOOLEAN DEFAULT FALSE, pathLen INTEGER OPTIONAL }.
            let constraints = value(of: Self.basicConstraints)?.nodes.first
            let isAuthority = constraints?.identifier == .boolean && constraints?.octets?.first != 0
            // keyCertSign is bit 5 (RFC 5280 4.2.1.3), counted from the highest.
            let maySign = usage.map { ($0.first ?? 0) & 0x04 != 0 } ?? true
            if !isAuthority || !maySign { return .notAuthority }
        }
        if let purposes = value(of: Self.extendedKeyUsage)?.nodes,
            !purposes.contains(where: { $0.octets?.elementsEqual(Self.serverAuth) == true })
        {
            return .notForServers
        }
        // digitalSignature, keyEncipherment, keyAgreement.
        if isLeaf, let usage, (usage.first ?? 0) & 0xA8 == 0 { return .keyUsage }
        return nil
    }

    /// How many authorities may stand below it at most (RFC 5280 4.2.1.9); nil where it does not say.
    var pathLength: Int? {
        let fields = value(of: Self.basicConstraints)?.nodes ?? []
        return fields.first { $0.identifier == .integer }?.octets.map { $0.prefix(4).reduce(0) { $0 << 8 | Int($1) } }
    }

    /// Whether it says where its issuer's certificate can be had (RFC 5280 4.2.2.1). Certificates of the public authorities do; those that a private
    /// root issued do most often not.
    var saysWhereIssuerIs: Bool {
        value(of: Self.authorityInformation)?.nodes.contains { $0.nodes.first?.octets?.elementsEqual(Self.caIssuers) == true } ?? false
    }

    /// 1.3.6.1.5.5.7.1.1.
    private static let authorityInformation: [UInt8] = [0x2B, 6, 1, 5, 5, 7, 1, 1]
    /// 1.3.6.1.5.5.7.48.2.
    private static let caIssuers: [UInt8] = [0x2B, 6, 1, 5, 5, 7, 0x30, 2]
    static let keyUsage: [UInt8] = [0x55, 0x1D, 0x0F]
    static let basicConstraints: [UInt8] = [0x55, 0x1D, 0x13]
    static let nameConstraints: [UInt8] = [0x55, 0x1D, 0x1E]
    static let policies: [UInt8] = [0x55, 0x1D, 0x20]
    static let policyMappings: [UInt8] = [0x55, 0x1D, 0x21]
    static let policyConstraints: [UInt8] = [0x55, 0x1D, 0x24]
    static let extendedKeyUsage: [UInt8] = [0x55, 0x1D, 0x25]
    static let inhibitAnyPolicy: [UInt8] = [0x55, 0x1D, 0x36]
    private static let subjectAlternativeName: [UInt8] = [0x55, 0x1D, 0x11]
    /// 1.3.6.1.5.5.7.3.1.
    private static let serverAuth: [UInt8] = [0x2B, 6, 1, 5, 5, 7, 3, 1]

    /// The extensions that the library knows and so lets be critical.
    private static let understood: Set<[UInt8]> = [
        keyUsage, basicConstraints, nameConstraints, policies, policyMappings, policyConstraints, extendedKeyUsage, inhibitAnyPolicy,
        subjectAlternativeName,
    ]
}
