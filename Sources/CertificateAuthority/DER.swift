import Dissection

/// Writes DER (X.690, section 10): each function returns one whole element. `DERNode` of Dissection reads it.
package enum DER {
    /// An element from its content.
    package static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 6)
        bytes.append(tag)
        if count < 0x80 {
            bytes.append(UInt8(count))
        } else {
            let octets = (Int.bitWidth - count.leadingZeroBitCount + 7) / 8
            bytes.append(0x80 | UInt8(octets))
            for index in (0..<octets).reversed() { bytes.append(UInt8(truncatingIfNeeded: count >> (8 * index))) }
        }
        bytes += content
        return bytes
    }

    /// A constructed element from those that it consists of.
    package static func element(_ tag: UInt8, of parts: [[UInt8]]) -> [UInt8] {
        var content: [UInt8] = []
        content.reserveCapacity(parts.reduce(0) { $0 + $1.count })
        for part in parts { content += part }
        return element(tag, content)
    }

    package static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(DERCursor.Tag.sequence, of: parts) }

    package static func sequence(of parts: [[UInt8]]) -> [UInt8] { element(DERCursor.Tag.sequence, of: parts) }

    /// `[number] EXPLICIT` around elements.
    package static func explicit(_ number: UInt8, _ parts: [UInt8]...) -> [UInt8] { element(DERCursor.Tag.explicit(number), of: parts) }

    package static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(DERCursor.Tag.octetString, bytes) }

    /// A BIT STRING of whole bytes.
    package static func bitString(_ bytes: [UInt8]) -> [UInt8] { element(DERCursor.Tag.bitString, [0] + bytes) }

    package static func utf8(_ text: String) -> [UInt8] { element(DERCursor.Tag.utf8, Array(text.utf8)) }

    /// An INTEGER of one byte, 0 to 127.
    package static func integer(_ value: UInt8) -> [UInt8] { element(DERCursor.Tag.integer, [value & 0x7F]) }

    package static func boolean(_ value: Bool) -> [UInt8] { element(DERCursor.Tag.boolean, [value ? 0xFF : 0]) }

    /// An OBJECT IDENTIFIER from its numbers, such as `2, 5, 4, 3`.
    package static func identifier(_ numbers: Int...) -> [UInt8] {
        guard numbers.count >= 2 else { return element(DERCursor.Tag.identifier, []) }
        // The first two numbers share one (section 8.19.4).
        let content = ([numbers[0] * 40 + numbers[1]] + numbers[2...]).flatMap { number in
            var (bytes, rest) = ([UInt8(truncatingIfNeeded: number & 0x7F)], number >> 7)
            while rest > 0 {
                bytes.insert(UInt8(truncatingIfNeeded: rest & 0x7F) | 0x80, at: 0)
                rest >>= 7
            }
            return bytes
        }
        return element(DERCursor.Tag.identifier, content)
    }
}
