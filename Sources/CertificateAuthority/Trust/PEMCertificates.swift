/// The certificates that stand in a PEM file, between whatever else stands there.
package enum PEMCertificates {
    /// The DER form of each certificate in a text (RFC 7468 5.1), in order, once each. Blocks that cannot be decoded are left out.
    ///
    /// - Parameter isReadable: only those that a TLS library can read as a certificate; this takes longer.
    package static func der(in text: String, isReadable: Bool = false) -> [[UInt8]] {
        var (found, seen): ([[UInt8]], Set<[UInt8]>) = ([], [])
        for case let block? in PEMBlock.all(in: text) where block.label == PEMBlock.certificate && seen.insert(block.der).inserted {
            if !isReadable || LibraryCertificate(block.der) != nil { found.append(block.der) }
        }
        return found
    }

    /// The text form of a certificate, a line feed at its end.
    package static func text(_ der: [UInt8]) -> String { PEMBlock(label: PEMBlock.certificate, der: der).text }
}
