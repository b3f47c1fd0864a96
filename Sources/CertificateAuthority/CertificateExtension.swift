import Dissection

/// An extension of a certificate (RFC 5280 4.2).
package struct CertificateExtension: Hashable, Sendable {
    /// What it is, DER.
    package var identifier: [UInt8]
    package var isCritical: Bool
    /// What it says, DER.
    package var value: [UInt8]

    package init(_ identifier: [UInt8], isCritical: Bool = false, value: [UInt8]) {
        self.identifier = identifier
        self.isCritical = isCritical
        self.value = value
    }

    var der: [UInt8] {
        DER.sequence(of: [identifier] + (isCritical ? [DER.boolean(true)] : []) + [DER.octetString(value)])
    }

    // MARK: - Those that certificates of ours have

    /// Whether it is the certificate of a CA, critical (section 4.2.1.9).
    ///
    /// - Parameter pathLength: how many CAs there may be below it, 0 to 127; nil for any number.
    package static func basicConstraints(isCA: Bool, pathLength: UInt8? = nil) -> CertificateExtension {
        let parts = isCA ? [DER.boolean(true)] + (pathLength.map { [DER.integer($0)] } ?? []) : []
        return CertificateExtension(DER.identifier(2, 5, 29, 19), isCritical: true, value: DER.sequence(of: parts))
    }

    /// A bit of keyUsage (section 4.2.1.3), by its number.
    package enum KeyUsage: UInt8, Sendable {
        case digitalSignature = 0
        case keyCertSign = 5
        case cRLSign = 6
    }

    /// What its key may do, critical.
    package static func keyUsage(_ usages: KeyUsage...) -> CertificateExtension {
        let bits = usages.reduce(0 as UInt8) { $0 | 0x80 >> $1.rawValue }
        // Bits after the last that is set are left out (X.690, section 11.2.2).
        let unused = UInt8(bits.trailingZeroBitCount)
        return CertificateExtension(
            DER.identifier(2, 5, 29, 15), isCritical: true, value: DER.element(DERCursor.Tag.bitString, [unused, bits]))
    }

    /// What it may be used for (section 4.2.1.12).
    package enum Purpose: Int, Sendable {
        case serverAuth = 1
        case clientAuth = 2
    }

    package static func extendedKeyUsage(_ purposes: [Purpose]) -> CertificateExtension {
        let purposes = purposes.map { DER.identifier(1, 3, 6, 1, 5, 5, 7, 3, $0.rawValue) }
        return CertificateExtension(DER.identifier(2, 5, 29, 37), value: DER.sequence(of: purposes))
    }

    /// Which key it is of (section 4.2.1.2).
    package static func subjectKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
        CertificateExtension(DER.identifier(2, 5, 29, 14), value: DER.octetString(identifier))
    }

    /// Which key has signed it (section 4.2.1.1).
    package static func authorityKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
        CertificateExtension(DER.identifier(2, 5, 29, 35), value: DER.sequence(DER.element(0x80, identifier)))
    }

    /// A name of its subject (section 4.2.1.6).
    package struct AlternativeName: Hashable, Sendable {
        /// As `X509Certificate.names` has it.
        package var tag: UInt8
        package var bytes: [UInt8]

        package init(tag: UInt8, _ bytes: [UInt8]) {
            self.tag = tag
            self.bytes = bytes
        }

        package static func dns(_ name: String) -> AlternativeName { AlternativeName(tag: 0x82, Array(name.utf8)) }
        package static func address(_ bytes: [UInt8]) -> AlternativeName { AlternativeName(tag: 0x87, bytes) }
    }

    package static func subjectAlternativeNames(_ names: [AlternativeName], isCritical: Bool = false) -> CertificateExtension {
        CertificateExtension(
            DER.identifier(2, 5, 29, 17), isCritical: isCritical, value: DER.sequence(of: names.map { DER.element($0.tag, $0.bytes) }))
    }
}
