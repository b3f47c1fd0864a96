/// What of a certificate (RFC 5280, section 4.1) says whose it is, and whether a client takes it. Signatures are not verified. Only what leads to these
/// is looked at: its key, a date or an extension may be of a kind that nobody knows.
///
/// Ranges are of the bytes that it was read from.
package struct X509Certificate {
    /// One extension (section 4.2).
    package struct Extension {
        /// The content of its object identifier.
        package let identifier: Range<Int>
        package let isCritical: Bool
        /// The content of its extnValue.
        package let value: Range<Int>
    }

    /// The content of its number.
    package let serialNumber: Range<Int>
    /// Whole; see `DistinguishedName` for their text.
    package let subjectName: Range<Int>
    package let issuerName: Range<Int>
    /// Whole: SubjectPublicKeyInfo.
    package let publicKey: Range<Int>
    /// The AlgorithmIdentifier of its signature.
    package let signatureAlgorithm: Range<Int>
    package private(set) var extensions: [Extension] = []
    /// As text.
    private(set) var subject: [UInt8] = []
    private(set) var issuer: [UInt8] = []
    /// Seconds since 1970; nil where the form is none of certificates.
    package private(set) var notBefore: Int64?
    package private(set) var notAfter: Int64?
    /// What is too weak about its key, such as `1024-bit RSA`, and the digest of its signature where that is; nil where nothing is, or it is of a kind
    /// that is not known here.
    package private(set) var weakKey: String?
    package private(set) var weakDigest: String?
    /// It says what it may be used for, and servers of TLS are not among it (RFC 5280, section 4.2.1.12).
    private(set) var isNotForServers = false
    /// Its alternative names (section 4.2.1.6): 0x82 for those of hosts, 0x87 for addresses of 4 or 16 bytes, 0x81 for mail, 0x86 for URIs.
    package private(set) var names: [(tag: UInt8, range: Range<Int>)] = []
    /// One of its names is that of a host.
    private(set) var namesHost = false
    /// Its key, and the one that signed it, as far as it names them (RFC 5280, sections 4.2.1.1 and 4.2.1.2); empty otherwise.
    package private(set) var keyIdentifier: [UInt8] = []
    package private(set) var authorityKeyIdentifier: [UInt8] = []
    /// Whether it is the certificate of a CA (RFC 5280, section 4.2.1.9); nil where it does not say.
    package private(set) var isCA: Bool?
    /// It says where the certificate of its issuer can be had (RFC 5280, section 4.2.2.1). Certificates of the public authorities do; those that a
    /// private root issued do most often not.
    package private(set) var locatesIssuer = false
    /// The first critical extension that clients are not known to know, as `1.2.3`; empty where there is none.
    private(set) var criticalExtension: [UInt8] = []
    private var hasOwnIssuer = false

    /// Reads a certificate in DER; nil where its structure is none of one.
    package init?(_ bytes: RawSpan) {
        var outer = DERCursor(0..<bytes.byteCount)
        guard let whole = outer.next(DERCursor.Tag.sequence, bytes) else { return nil }
        var parts = DERCursor(whole.content)
        guard let body = parts.next(DERCursor.Tag.sequence, bytes), let algorithm = parts.next(DERCursor.Tag.sequence, bytes) else {
            return nil
        }
        var fields = DERCursor(body.content)
        _ = fields.take(DERCursor.Tag.explicit(0), bytes)
        guard let number = fields.next(DERCursor.Tag.integer, bytes), fields.next(DERCursor.Tag.sequence, bytes) != nil,
            let issuerName = fields.next(DERCursor.Tag.sequence, bytes), let validity = fields.next(DERCursor.Tag.sequence, bytes),
            let subjectName = fields.next(DERCursor.Tag.sequence, bytes), let key = fields.next(DERCursor.Tag.sequence, bytes)
        else { return nil }
        hasOwnIssuer =
            !subjectName.content.isEmpty && bytes.extracting(subjectName.content).isEqual(to: bytes.extracting(issuerName.content))
        (serialNumber, publicKey, signatureAlgorithm) = (number.content, key.whole, algorithm.whole)
        (self.subjectName, self.issuerName) = (subjectName.whole, issuerName.whole)
        subject = DistinguishedName.text(subjectName.content, bytes)
        issuer = DistinguishedName.text(issuerName.content, bytes)
        var times = DERCursor(validity.content)
        notBefore = times.next(bytes).flatMap { CertificateTime.seconds($0, bytes) }
        notAfter = times.next(bytes).flatMap { CertificateTime.seconds($0, bytes) }
        weakKey = CertificateWeakness.key(key.content, bytes)
        weakDigest = CertificateWeakness.digest(algorithm.content, bytes)
        while let field = fields.next(bytes) {
            if field.tag == DERCursor.Tag.explicit(3) { readExtensions(field.content, bytes) }
        }
    }

    /// Its issuer has its name, and no other key as far as it says.
    var isSelfIssued: Bool {
        hasOwnIssuer && (authorityKeyIdentifier.isEmpty || keyIdentifier.isEmpty || authorityKeyIdentifier == keyIdentifier)
    }

    private mutating func readExtensions(_ range: Range<Int>, _ bytes: RawSpan) {
        var wrapper = DERCursor(range)
        guard let list = wrapper.next(DERCursor.Tag.sequence, bytes) else { return }
        var extensions = DERCursor(list.content)
        while let one = extensions.next(DERCursor.Tag.sequence, bytes) {
            var fields = DERCursor(one.content)
            guard let identifier = fields.next(DERCursor.Tag.identifier, bytes) else { continue }
            let isCritical = fields.take(DERCursor.Tag.boolean, bytes).map { $0.content.contains { bytes[$0] != 0 } } ?? false
            if isCritical, criticalExtension.isEmpty, !Self.isKnown(identifier.content, bytes) {
                criticalExtension = ObjectIdentifierText.text(identifier.content, bytes)
            }
            guard let value = fields.next(DERCursor.Tag.octetString, bytes) else { continue }
            self.extensions.append(.init(identifier: identifier.content, isCritical: isCritical, value: value.content))
            var inner = DERCursor(value.content)
            if bytes.has([0x55, 0x1D, 0x0E], at: identifier.content) {
                if let key = inner.next(DERCursor.Tag.octetString, bytes) { keyIdentifier = key.content.map { bytes[$0] } }
                continue
            }
            guard let content = inner.next(DERCursor.Tag.sequence, bytes)?.content else { continue }
            if bytes.has([0x55, 0x1D, 0x11], at: identifier.content) { readNames(content, bytes) }
            if bytes.has([0x55, 0x1D, 0x25], at: identifier.content) { readPurposes(content, bytes) }
            if bytes.has([0x55, 0x1D, 0x13], at: identifier.content) {
                var parts = DERCursor(content)
                isCA = parts.take(DERCursor.Tag.boolean, bytes).map { $0.content.contains { bytes[$0] != 0 } } ?? false
            }
            if bytes.has([0x2B, 6, 1, 5, 5, 7, 1, 1], at: identifier.content) { readAccess(content, bytes) }
            if bytes.has([0x55, 0x1D, 0x23], at: identifier.content) {
                var parts = DERCursor(content)
                if let key = parts.take(0x80, bytes) { authorityKeyIdentifier = key.content.map { bytes[$0] } }
            }
        }
    }

    /// Whether clients may know an extension: those of X.509 and of PKIX (RFC 5280, section 4.2), and that of Netscape.
    private static func isKnown(_ identifier: Range<Int>, _ bytes: RawSpan) -> Bool {
        let arcs: [[UInt8]] = [[0x55, 0x1D], [0x2B, 6, 1, 5, 5, 7, 1], [0x60, 0x86, 0x48, 1, 0x86, 0xF8, 0x42, 1]]
        return arcs.contains { identifier.count > $0.count && bytes.has($0, at: identifier.prefix($0.count)) }
    }

    /// The places where more about the issuer is to be had.
    private mutating func readAccess(_ range: Range<Int>, _ bytes: RawSpan) {
        var list = DERCursor(range)
        while let one = list.next(DERCursor.Tag.sequence, bytes) {
            var fields = DERCursor(one.content)
            guard let method = fields.next(DERCursor.Tag.identifier, bytes) else { continue }
            // caIssuers.
            if bytes.has([0x2B, 6, 1, 5, 5, 7, 0x30, 2], at: method.content) { locatesIssuer = true }
        }
    }

    private mutating func readNames(_ range: Range<Int>, _ bytes: RawSpan) {
        var list = DERCursor(range)
        while let name = list.next(bytes) {
            if name.tag == 0x82 { namesHost = true }
            switch name.tag {
            // rfc822Name, dNSName, uniformResourceIdentifier.
            case 0x81, 0x82, 0x86: names.append((name.tag, name.content))
            // iPAddress.
            case 0x87 where name.content.count == 4 || name.content.count == 16: names.append((name.tag, name.content))
            default: continue
            }
        }
    }

    private mutating func readPurposes(_ range: Range<Int>, _ bytes: RawSpan) {
        var list = DERCursor(range)
        isNotForServers = true
        while let purpose = list.next(DERCursor.Tag.identifier, bytes) {
            // serverAuth, any, and what came before serverAuth: the server gated cryptography of Netscape and Microsoft.
            let isForServers = [
                [0x2B, 6, 1, 5, 5, 7, 3, 1], [0x55, 0x1D, 0x25, 0], [0x60, 0x86, 0x48, 1, 0x86, 0xF8, 0x42, 4, 1],
                [0x2B, 6, 1, 4, 1, 0x82, 0x37, 10, 3, 3],
            ].contains { bytes.has($0, at: purpose.content) }
            if isForServers {
                isNotForServers = false
            }
        }
    }
}
