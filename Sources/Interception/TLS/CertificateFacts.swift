import Dissection
import NIOSSL

/// What of a certificate says why it is not accepted: its names, its time, what it may be used for, and how it is signed. It is read by the reader that
/// captures are judged by, so that both say the same of a certificate.
struct CertificateFacts {
    /// Seconds since 1970.
    let notBefore: Int
    /// Seconds since 1970.
    let notAfter: Int
    private let der: [UInt8]
    /// Nil where its structure could not be read: nothing is known of it then.
    private let read: X509Certificate?

    init(_ certificate: NIOSSLCertificate) {
        notBefore = Int(certificate.notValidBefore)
        notAfter = Int(certificate.notValidAfter)
        let bytes = (try? certificate.toDERBytes()) ?? []
        der = bytes
        read = X509Certificate(bytes.rawBytes)
    }

    var isReadable: Bool { read != nil }
    /// Its subject as DER has it; nil where that cannot be read.
    var name: ArraySlice<UInt8>? { read.map { der[$0.subjectName] } }
    /// Whether subject and issuer are the same, as of roots.
    var isSelfIssued: Bool { read.map { der[$0.subjectName] == der[$0.issuerName] } ?? false }
    /// In the form of RFC 4514.
    var subject: String { text(read?.subjectName) }
    /// In the form of RFC 4514.
    var issuer: String { text(read?.issuerName) }

    /// A name with what its writer hid in it written out.
    private func text(_ name: Range<Int>?) -> String {
        guard let name, let content = DERNode(der, in: name)?.content else { return "?" }
        let whole = DistinguishedName.text(content.indices, der.rawBytes) {
            Array(PrintableText.escaped(String(decoding: $0, as: UTF8.self), alsoWritten: "\"+,;<>\\").utf8)
        }
        let scalars = String(decoding: whole, as: UTF8.self).unicodeScalars
        return String(String.UnicodeScalarView(scalars.prefix(PrintableText.longest))) + (scalars.count > PrintableText.longest ? "…" : "")
    }

    /// What makes it easy to forge.
    ///
    /// - Parameter isAnchor: a root's own signature is not judged: nothing rests on it.
    func weakness(isAnchor: Bool) -> CertificateProblem? {
        if let key = read?.weakKey { return .weakKey(key) }
        return isAnchor ? nil : read?.weakDigest.map(CertificateProblem.weakSignature)
    }

    /// How it is signed, where the library does not verify that.
    var unknownSignature: String? {
        read.flatMap { DERNode(der, in: $0.signatureAlgorithm) }.flatMap { SignatureKinds.unknown($0.nodes) }
    }

    /// Its extensions, and what each says.
    var extensions: [(identifier: [UInt8], isCritical: Bool, value: ArraySlice<UInt8>)] {
        (read?.extensions ?? []).map { (Array(der[$0.identifier]), $0.isCritical, der[$0.value]) }
    }

    /// The value of an extension, parsed; nil where the certificate has none, or one that cannot be read.
    func value(of identifier: [UInt8]) -> DERNode? {
        extensions.first { $0.identifier == identifier }.flatMap { DERNode(der, in: $0.value.indices) }
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
            let isAuthority = constraints?.tag == 0x01 && constraints?.octets?.first != 0
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
        value(of: Self.basicConstraints)?.nodes.first { $0.tag == 0x02 }?.number
    }

    /// Whether it says where its issuer's certificate can be had.
    var saysWhereIssuerIs: Bool { read?.locatesIssuer ?? false }

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
