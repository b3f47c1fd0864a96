import SwiftASN1

/// A PKCS #12 file (RFC 7292) that holds certificates alone, as Java reads a trust store.
///
/// Nothing in it is secret, so nothing is encrypted and there is no password; Java takes such a file since version 8. What it takes for trusted has an
/// attribute of Oracle's that says so (JDK-8006591).
package enum JavaTrustStore {
    /// The file's content, DER.
    ///
    /// - Parameter certificates: each in DER.
    /// - Throws: What the encoder throws; it knows no reason to.
    package static func bytes(_ certificates: [[UInt8]]) throws -> [UInt8] {
        let bags = try encoded { coder in
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                for (index, certificate) in certificates.enumerated() { try append(certificate, named: "unmask-\(index)", to: &coder) }
            }
        }
        let contents = try encoded { coder in
            try coder.appendConstructedNode(identifier: .sequence) { coder in try appendData(bags, to: &coder) }
        }
        return try encoded { coder in
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                try coder.serialize(3)
                try appendData(contents, to: &coder)
            }
        }
    }

    private static let data: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 1]
    private static let certBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 3]
    private static let x509Certificate: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 22, 1]
    private static let friendlyName: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 20]
    private static let trustedKeyUsage: ASN1ObjectIdentifier = [2, 16, 840, 1, 113_894, 746_875, 1, 1]
    private static let anyExtendedKeyUsage: ASN1ObjectIdentifier = [2, 5, 29, 37, 0]
    private static let explicit = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
    private static let bmpString = ASN1Identifier(tagWithNumber: 30, tagClass: .universal)

    /// A ContentInfo of type data (RFC 5652 3).
    private static func appendData(_ bytes: [UInt8], to coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(data)
            try coder.appendConstructedNode(identifier: explicit) { coder in
                try coder.serialize(ASN1OctetString(contentBytes: bytes[...]))
            }
        }
    }

    /// A SafeBag with a certificate (RFC 7292 4.2.3), its name and the mark of a trusted one.
    private static func append(_ certificate: [UInt8], named name: String, to coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(certBag)
            try coder.appendConstructedNode(identifier: explicit) { coder in
                try coder.appendConstructedNode(identifier: .sequence) { coder in
                    try coder.serialize(x509Certificate)
                    try coder.appendConstructedNode(identifier: explicit) { coder in
                        try coder.serialize(ASN1OctetString(contentBytes: certificate[...]))
                    }
                }
            }
            try coder.appendConstructedNode(identifier: .set) { coder in
                try appendAttribute(friendlyName, to: &coder) { coder in
                    coder.appendPrimitiveNode(identifier: bmpString) { bytes in
                        for unit in name.utf16 { bytes += [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)] }
                    }
                }
                try appendAttribute(trustedKeyUsage, to: &coder) { coder in try coder.serialize(anyExtendedKeyUsage) }
            }
        }
    }

    private static func appendAttribute(
        _ type: ASN1ObjectIdentifier, to coder: inout DER.Serializer, _ value: (inout DER.Serializer) throws -> Void
    ) throws {
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(type)
            try coder.appendConstructedNode(identifier: .set, value)
        }
    }

    private static func encoded(_ body: (inout DER.Serializer) throws -> Void) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try body(&serializer)
        return serializer.serializedBytes
    }
}
