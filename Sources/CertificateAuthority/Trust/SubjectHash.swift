import Crypto
import SwiftASN1
import X509

extension AuthorityCertificate {
    /// The name under which OpenSSL looks for this certificate in a folder (`SSL_CERT_DIR`), such as `1a2b3c4d.0`; nil where the subject has a form
    /// that this does not know.
    ///
    /// It is the beginning of a digest of the subject in canonical form (X509_NAME_hash(3)): values in UTF-8, in small letters, with single
    /// spaces.
    package var fileNameInFolder: String? {
        var subject = DER.Serializer()
        guard (try? subject.serialize(certificate.subject)) != nil, let name = try? DER.parse(subject.serializedBytes),
            case .constructed(let parts) = name.content
        else { return nil }
        var canonical = DER.Serializer()
        for part in parts {
            guard case .constructed(let attributes) = part.content, (try? Self.append(Array(attributes), to: &canonical)) != nil else {
                return nil
            }
        }
        let digest = Array(Insecure.SHA1.hash(data: canonical.serializedBytes))
        let text = digest.prefix(4).reversed().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return text + ".0"
    }

    private struct UnknownForm: Error {}

    private static func append(_ attributes: [ASN1Node], to coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .set) { coder in
            for attribute in attributes {
                guard case .constructed(let nodes) = attribute.content else { throw UnknownForm() }
                let pair = Array(nodes)
                guard pair.count == 2, case .primitive(let value) = pair[1].content,
                    [.utf8String, .printableString, .ia5String].contains(pair[1].identifier)
                else { throw UnknownForm() }
                coder.appendConstructedNode(identifier: .sequence) { coder in
                    coder.serialize(pair[0])
                    coder.appendPrimitiveNode(identifier: .utf8String) { $0 += canonical(value) }
                }
            }
        }
    }

    private static func canonical(_ value: ArraySlice<UInt8>) -> [UInt8] {
        let words = value.split { $0 == 0x20 || (0x09...0x0D).contains($0) }
        return Array(words.map { $0.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }.joined(separator: [0x20]))
    }
}
