/// A distinguished name as text in the form of RFC 4514, such as `CN=example.org,O=Example`, the last of its parts first.
package enum DistinguishedName {
    /// More is not read: no name of a server's certificate comes near it.
    private static let mostParts = 64
    private static let longestText = 4_096

    /// The text of a Name (RFC 5280, section 4.1.2.4), as far as it can be read: the last 64 parts of it, and 4,096 bytes of UTF-8.
    ///
    /// - Parameters:
    ///   - name: the content of its sequence.
    ///   - written: how a value stands in it, which is given in UTF-8.
    package static func text(_ name: Range<Int>, _ bytes: RawSpan, written: ([UInt8]) -> [UInt8] = escaped) -> [UInt8] {
        var text: [UInt8] = []
        var parts: [Range<Int>] = []
        var list = DERCursor(name)
        while let part = list.next(DERCursor.Tag.set, bytes) { parts.append(part.content) }
        for (index, part) in parts.suffix(mostParts).reversed().enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            var attributes = DERCursor(part)
            var isFirst = true
            while let attribute = attributes.next(DERCursor.Tag.sequence, bytes) {
                if !isFirst { text.append(UInt8(ascii: "+")) }
                isFirst = false
                append(attribute: attribute.content, bytes, written, to: &text)
                guard text.count <= longestText else { return cut(text) }
            }
        }
        return text
    }

    /// As long as it may be, in whole characters.
    private static func cut(_ text: [UInt8]) -> [UInt8] {
        var end = longestText
        while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
        return text.prefix(end) + Array("…".utf8)
    }

    private static func append(
        attribute: Range<Int>, _ bytes: RawSpan, _ written: ([UInt8]) -> [UInt8], to text: inout [UInt8]
    ) {
        var fields = DERCursor(attribute)
        guard let type = fields.next(DERCursor.Tag.identifier, bytes), let value = fields.next(bytes) else {
            return text.append(UInt8(ascii: "?"))
        }
        if let label = labels.first(where: { bytes.has($0.identifier, at: type.content) })?.label {
            text.append(contentsOf: label.utf8)
        } else {
            text += ObjectIdentifierText.text(type.content, bytes)
        }
        text.append(UInt8(ascii: "="))
        append(value: value, bytes, written, to: &text)
    }

    /// The string types of X.520; another type is shown by its bytes (RFC 4514, section 2.4).
    private static func append(
        value: DERCursor.Element, _ bytes: RawSpan, _ written: ([UInt8]) -> [UInt8], to text: inout [UInt8]
    ) {
        let content = value.content
        var plain: [UInt8] = []
        switch value.tag {
        case DERCursor.Tag.utf8, DERCursor.Tag.printable, DERCursor.Tag.ia5, DERCursor.Tag.numeric, DERCursor.Tag.visible:
            plain.append(copying: bytes.extracting(content))
        case DERCursor.Tag.teletex: plain = utf8(content.map { UInt32(bytes[$0]) })
        case DERCursor.Tag.bmp:
            let units = stride(from: content.lowerBound, to: content.upperBound - 1, by: 2).map { bytes.bigEndianUInt16(at: $0) }
            plain = Array(String(decoding: units, as: UTF16.self).utf8)
        case DERCursor.Tag.universal:
            plain = utf8(stride(from: content.lowerBound, to: content.upperBound - 3, by: 4).map { bytes.bigEndianUInt32(at: $0) })
        default:
            text.append(UInt8(ascii: "#"))
            for index in value.whole {
                for digit in [bytes[index] >> 4, bytes[index] & 15] { text.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
            }
            return
        }
        text += written(plain)
    }

    private static func utf8(_ scalars: [UInt32]) -> [UInt8] {
        var text = String.UnicodeScalarView()
        for value in scalars { text.append(Unicode.Scalar(value) ?? "\u{FFFD}") }
        return Array(String(text).utf8)
    }

    /// Bytes of UTF-8, behind a backslash where they would end the value or be left out (RFC 4514, section 2.4).
    package static func escaped(_ value: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        for (index, byte) in value.enumerated() {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: ">"),
                UInt8(ascii: "\\"):
                text.append(UInt8(ascii: "\\"))
            case UInt8(ascii: " ") where index == 0 || index == value.count - 1, UInt8(ascii: "#") where index == 0:
                text.append(UInt8(ascii: "\\"))
            default: break  // It stands for itself.
            }
            text.append(byte)
        }
        return text
    }

    /// The last common name (section 4.1.2.6), whatever it says; nil where there is none.
    ///
    /// - Parameter name: a whole Name.
    package static func commonName(_ name: Range<Int>, _ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        let identifier: [UInt8] = [0x55, 4, 3]
        var found: ArraySlice<UInt8>?
        for part in DERNode(bytes, in: name)?.nodes ?? [] {
            for attribute in part.nodes {
                let pair = attribute.nodes
                if pair.count == 2, pair[0].content == identifier[...] { found = pair[1].octets }
            }
        }
        return found
    }

    /// A name as it is compared: without regard to case, and to how many spaces there are (RFC 5280, section 7.1).
    static func folded(_ text: RawSpan) -> [UInt8] {
        var folded: [UInt8] = []
        for index in 0..<text.byteCount {
            let byte = text[index]
            if byte == UInt8(ascii: " "),
                folded.isEmpty || folded[folded.count - 1] == byte || folded[folded.count - 1] == UInt8(ascii: "=")
            {
                continue
            }
            if byte == UInt8(ascii: "\\"), index + 1 < text.byteCount, text[index + 1] == UInt8(ascii: " ") { continue }
            folded.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte)
        }
        // A space at the end of a part.
        while folded.last == UInt8(ascii: " ") { folded.removeLast() }
        return folded
    }

    /// Types by their names in RFC 4519, and the address of mail that old certificates have.
    private static var labels: [(identifier: [UInt8], label: String)] {
        [
            ([0x55, 4, 3], "CN"), ([0x55, 4, 6], "C"), ([0x55, 4, 7], "L"), ([0x55, 4, 8], "ST"), ([0x55, 4, 9], "STREET"),
            ([0x55, 4, 10], "O"), ([0x55, 4, 11], "OU"), ([0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 0x01, 0x19], "DC"),
            ([0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 0x01, 0x01], "UID"),
            ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1], "emailAddress"),
        ]
    }
}
