/// A distinguished name as text in the form of RFC 4514, such as `CN=example.org,O=Example`, the last of its parts first.
enum DistinguishedName {
    /// More is not read: no name of a server's certificate comes near it.
    private static let mostParts = 64
    private static let longestText = 4_096

    /// The text of a Name (RFC 5280, section 4.1.2.4), as far as it can be read: the last 64 parts of it, and 4,096 bytes of UTF-8.
    ///
    /// - Parameter name: the content of its sequence.
    static func text(_ name: Range<Int>, _ bytes: RawSpan) -> [UInt8] {
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
                append(attribute: attribute.content, bytes, to: &text)
                guard text.count <= longestText else { return text.dropLast(text.count - longestText) + Array("…".utf8) }
            }
        }
        return text
    }

    private static func append(attribute: Range<Int>, _ bytes: RawSpan, to text: inout [UInt8]) {
        var fields = DERCursor(attribute)
        guard let type = fields.next(DERCursor.Tag.identifier, bytes), let value = fields.next(bytes) else {
            return text.append(UInt8(ascii: "?"))
        }
        if let label = labels.first(where: { bytes.has($0.identifier, at: type.content) })?.label {
            text.append(contentsOf: label.utf8)
        } else {
            append(identifier: type.content, bytes, to: &text)
        }
        text.append(UInt8(ascii: "="))
        append(value: value, bytes, to: &text)
    }

    /// Appends an object identifier in its dotted form, such as `2.5.4.5` (X.690, section 8.19).
    private static func append(identifier: Range<Int>, _ bytes: RawSpan, to text: inout [UInt8]) {
        var value: UInt64 = 0
        var isFirst = true
        // Longer ones say no more to a reader.
        for index in identifier.prefix(32) {
            guard value < 1 << 56 else { return text.append(UInt8(ascii: "?")) }
            value = value << 7 | UInt64(bytes[index] & 0x7F)
            guard bytes[index] & 0x80 == 0 else { continue }
            if isFirst {
                let first = min(value / 40, 2)
                text.append(contentsOf: "\(first).\(value - first * 40)".utf8)
            } else {
                text.append(contentsOf: ".\(value)".utf8)
            }
            isFirst = false
            value = 0
        }
    }

    /// The string types of X.520; another type is shown by its bytes (RFC 4514, section 2.4).
    private static func append(value: DERCursor.Element, _ bytes: RawSpan, to text: inout [UInt8]) {
        switch value.tag {
        case DERCursor.Tag.utf8, DERCursor.Tag.printable, DERCursor.Tag.ia5, DERCursor.Tag.numeric, DERCursor.Tag.visible:
            for index in value.content {
                append(escaping: bytes[index], at: index - value.content.lowerBound, of: value.content.count, to: &text)
            }
        case DERCursor.Tag.teletex:
            for index in value.content { append(scalar: UInt32(bytes[index]), to: &text) }
        case DERCursor.Tag.bmp:
            for index in stride(from: value.content.lowerBound, to: value.content.upperBound - 1, by: 2) {
                append(scalar: UInt32(bytes.bigEndianUInt16(at: index)), to: &text)
            }
        default:
            text.append(UInt8(ascii: "#"))
            for index in value.whole {
                for digit in [bytes[index] >> 4, bytes[index] & 15] { text.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
            }
        }
    }

    /// Appends a byte of UTF-8, behind a backslash where it would end the value or be left out (RFC 4514, section 2.4).
    private static func append(escaping byte: UInt8, at index: Int, of count: Int, to text: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "\\"):
            text.append(UInt8(ascii: "\\"))
        case UInt8(ascii: " ") where index == 0 || index == count - 1, UInt8(ascii: "#") where index == 0:
            text.append(UInt8(ascii: "\\"))
        default: break  // It stands for itself.
        }
        text.append(byte)
    }

    private static func append(scalar value: UInt32, to text: inout [UInt8]) {
        // Half of a pair is no character.
        let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
        if scalar.isASCII {
            append(escaping: UInt8(truncatingIfNeeded: value), at: 1, of: 3, to: &text)
        } else {
            for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { text.append(unit) }
        }
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
