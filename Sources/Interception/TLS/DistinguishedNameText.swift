import Dissection
import SwiftASN1

/// A distinguished name in the form of RFC 4514, such as `CN=example.org,O=Example`; what its writer hid in it is written out.
enum DistinguishedNameText {
    /// - Parameter name: a Name (RFC 5280 4.1.2.4).
    static func text(_ name: ASN1Node) -> String {
        let parts = name.nodes.reversed().map { set in set.nodes.map(attribute).joined(separator: "+") }
        let whole = parts.joined(separator: ",")
        return whole.unicodeScalars.count <= PrintableText.longest
            ? whole : String(String.UnicodeScalarView(whole.unicodeScalars.prefix(PrintableText.longest))) + "…"
    }

    private static func attribute(_ node: ASN1Node) -> String {
        guard node.nodes.count == 2, let type = node.nodes[0].octets else { return "?" }
        let label = labels[Array(type)] ?? ObjectIdentifierText.text(Array(type))
        return "\(label)=\(value(node.nodes[1]))"
    }

    /// The string types of X.520; another type is shown by its bytes (RFC 4514 2.4).
    private static func value(_ node: ASN1Node) -> String {
        guard let bytes = node.octets else { return "#" }
        let text: String
        switch node.identifier {
        case .utf8String, .printableString, .ia5String, .numericString, .visibleString: text = String(decoding: bytes, as: UTF8.self)
        case .teletexString: text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case .bmpString:
            let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
            text = String(decoding: units, as: UTF16.self)
        default: return "#" + bytes.prefix(PrintableText.longest).map(PrintableText.hexadecimal).joined()
        }
        return PrintableText.escaped(text, alsoWritten: "\"+,;<>\\")
    }

    private static let labels: [[UInt8]: String] = [
        [0x55, 4, 3]: "CN", [0x55, 4, 6]: "C", [0x55, 4, 7]: "L", [0x55, 4, 8]: "ST", [0x55, 4, 9]: "STREET", [0x55, 4, 10]: "O",
        [0x55, 4, 11]: "OU", [0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 0x01, 0x19]: "DC",
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1]: "E",
    ]
}

extension ASN1Node {
    /// What a constructed node is made of; none of a primitive one.
    var nodes: [ASN1Node] {
        guard case .constructed(let nodes) = content else { return [] }
        return Array(nodes)
    }

    /// The content of a primitive node; nil for a constructed one.
    var octets: ArraySlice<UInt8>? {
        guard case .primitive(let bytes) = content else { return nil }
        return bytes
    }
}
