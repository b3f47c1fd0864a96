import Dissection

extension AuthorityCertificate {
    /// The name under which OpenSSL looks for this certificate in a folder (`SSL_CERT_DIR`), such as `1a2b3c4d.0`; nil where the subject has a form
    /// that this does not know.
    ///
    /// It is the beginning of a digest of the subject in canonical form (X509_NAME_hash(3)): values in UTF-8, in small letters, with single
    /// spaces.
    package var fileNameInFolder: String? {
        var canonical: [UInt8] = []
        for part in DERNode(subject, in: subject.indices)?.nodes ?? [] {
            var attributes: [[UInt8]] = []
            for attribute in part.nodes {
                guard let attribute = Self.canonical(attribute) else { return nil }
                attributes.append(attribute)
            }
            canonical += DER.element(DERCursor.Tag.set, of: attributes)
        }
        let text = Digest.sha1(canonical).prefix(4).reversed().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return text + ".0"
    }

    private static func canonical(_ attribute: DERNode) -> [UInt8]? {
        let pair = attribute.nodes
        guard pair.count == 2, let value = pair[1].octets,
            [DERCursor.Tag.utf8, DERCursor.Tag.printable, DERCursor.Tag.ia5].contains(pair[1].tag)
        else { return nil }
        let words = value.split { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let text = words.map { $0.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }.joined(separator: [0x20])
        return DER.sequence(DER.element(pair[0].tag, Array(pair[0].content)), DER.element(DERCursor.Tag.utf8, Array(text)))
    }
}
