import Dissection

/// A PKCS #12 file (RFC 7292) that holds certificates alone, as Java reads a trust store.
///
/// Nothing in it is secret, so nothing is encrypted and there is no password; Java takes such a file since version 8. What it takes for trusted has an
/// attribute of Oracle's that says so (JDK-8006591).
package enum JavaTrustStore {
    /// The file's content, DER.
    ///
    /// - Parameter certificates: each in DER.
    package static func bytes(_ certificates: [[UInt8]]) -> [UInt8] {
        let bags = DER.sequence(of: certificates.enumerated().map { bag($1, named: "unmask-\($0)") })
        return DER.sequence(DER.integer(3), data(DER.sequence(data(bags))))
    }

    /// A ContentInfo of type data (RFC 5652 3).
    private static func data(_ bytes: [UInt8]) -> [UInt8] {
        DER.sequence(DER.identifier(1, 2, 840, 113_549, 1, 7, 1), DER.explicit(0, DER.octetString(bytes)))
    }

    /// A SafeBag with a certificate (RFC 7292 4.2.3), its name and the mark of a trusted one.
    private static func bag(_ certificate: [UInt8], named name: String) -> [UInt8] {
        let x509Certificate = DER.identifier(1, 2, 840, 113_549, 1, 9, 22, 1)
        let friendlyName = DER.element(DERCursor.Tag.bmp, name.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] })
        // trustedKeyUsage: anyExtendedKeyUsage.
        let trustedKeyUsage = DER.identifier(2, 16, 840, 1, 113_894, 746_875, 1, 1)
        return DER.sequence(
            DER.identifier(1, 2, 840, 113_549, 1, 12, 10, 1, 3),
            DER.explicit(0, DER.sequence(x509Certificate, DER.explicit(0, DER.octetString(certificate)))),
            DER.element(
                DERCursor.Tag.set,
                of: [
                    attribute(DER.identifier(1, 2, 840, 113_549, 1, 9, 20), friendlyName),
                    attribute(trustedKeyUsage, DER.identifier(2, 5, 29, 37, 0)),
                ]))
    }

    private static func attribute(_ type: [UInt8], _ value: [UInt8]) -> [UInt8] {
        DER.sequence(type, DER.element(DERCursor.Tag.set, value))
    }
}
