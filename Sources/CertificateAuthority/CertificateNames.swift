import SwiftASN1

/// The names that a certificate is for, read from its DER form.
///
/// Only what leads to the names is looked at: a server's certificate may have a key, a date or an extension that no library knows, and its names
/// count all the same. What cannot be read is left out; nothing is thrown and nothing can trap.
package struct CertificateNames: Hashable, Sendable {
    /// The `dNSName` entries that are names, wildcards among them, at most `limit`.
    package var dnsNames: [String] = []
    /// The `iPAddress` entries in network order, 4 or 16 bytes each, at most `limit`.
    package var ipAddresses: [[UInt8]] = []
    /// The subject's last common name (RFC 5280 4.1.2.6), whatever it says.
    package var commonName: String?

    /// The most names of a kind that are taken.
    package static let limit = 100

    /// The most bytes of a certificate that are looked at; more is no certificate that a TLS library accepts.
    private static let sizeLimit = 256 << 10

    /// - Parameter certificate: a Certificate as RFC 5280 4.1 defines it, or anything else.
    package init(certificate: [UInt8]) {
        guard certificate.count <= Self.sizeLimit, let root = try? DER.parse(certificate) else { return }
        guard let signed = root.children?.first, var fields = signed.children else { return }
        // version [0] is optional; then serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo.
        if fields.first?.identifier == .explicit(0) { fields.removeFirst() }
        guard fields.count > 4 else { return }
        readSubject(fields[4])
        if let extensions = fields.first(where: { $0.identifier == .explicit(3) }) { readExtensions(extensions) }
    }

    private mutating func readSubject(_ name: ASN1Node) {
        for attribute in (name.children ?? []).flatMap({ $0.children ?? [] }) {
            guard let pair = attribute.children, pair.count == 2, pair[0].bytes?.elementsEqual(Self.commonNameID) == true else { continue }
            if let text = pair[1].bytes, text.count <= 255 { commonName = String(decoding: text, as: UTF8.self) }
        }
    }

    private mutating func readExtensions(_ wrapper: ASN1Node) {
        for field in wrapper.children?.first?.children ?? [] {
            guard let parts = field.children, parts.first?.bytes?.elementsEqual(Self.alternativeNameID) == true else { continue }
            guard let value = parts.last?.bytes, let names = try? DER.parse(value) else { continue }
            for name in names.children ?? [] { take(name) }
        }
    }

    private mutating func take(_ name: ASN1Node) {
        guard let bytes = name.bytes else { return }
        if name.identifier == ASN1Identifier(tagWithNumber: 2, tagClass: .contextSpecific) {
            guard dnsNames.count < Self.limit else { return }
            if let text = HostName.dnsName(String(decoding: bytes, as: UTF8.self), allowsWildcard: true) { dnsNames.append(text) }
        } else if name.identifier == ASN1Identifier(tagWithNumber: 7, tagClass: .contextSpecific) {
            guard ipAddresses.count < Self.limit, bytes.count == 4 || bytes.count == 16 else { return }
            ipAddresses.append(Array(bytes))
        }
    }

    /// 2.5.4.3, as DER has it.
    private static let commonNameID: [UInt8] = [0x55, 0x04, 0x03]
    /// 2.5.29.17, as DER has it.
    private static let alternativeNameID: [UInt8] = [0x55, 0x1D, 0x11]
}

extension ASN1Identifier {
    fileprivate static func explicit(_ number: UInt) -> ASN1Identifier { ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific) }
}

extension ASN1Node {
    /// What a constructed node is made of; nil for a primitive one.
    fileprivate var children: [ASN1Node]? {
        guard case .constructed(let nodes) = content else { return nil }
        return Array(nodes)
    }

    /// The content of a primitive node; nil for a constructed one.
    fileprivate var bytes: ArraySlice<UInt8>? {
        guard case .primitive(let bytes) = content else { return nil }
        return bytes
    }
}
