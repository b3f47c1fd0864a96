/// Walks the elements of DER (X.690, section 10) that stand one behind the other; says nil instead of going past the end.
package struct DERCursor {
    /// An element, as ranges of the bytes that it was read from.
    struct Element {
        let tag: UInt8
        /// With its tag and its length.
        let whole: Range<Int>
        let content: Range<Int>
    }

    /// Tags that certificates have (RFC 5280, section 4.1).
    package enum Tag {
        package static let boolean: UInt8 = 0x01
        package static let integer: UInt8 = 0x02
        package static let bitString: UInt8 = 0x03
        package static let octetString: UInt8 = 0x04
        package static let identifier: UInt8 = 0x06
        package static let utf8: UInt8 = 0x0C
        package static let numeric: UInt8 = 0x12
        package static let printable: UInt8 = 0x13
        package static let teletex: UInt8 = 0x14
        package static let ia5: UInt8 = 0x16
        package static let utcTime: UInt8 = 0x17
        package static let generalizedTime: UInt8 = 0x18
        package static let visible: UInt8 = 0x1A
        package static let universal: UInt8 = 0x1C
        package static let bmp: UInt8 = 0x1E
        package static let sequence: UInt8 = 0x30
        package static let set: UInt8 = 0x31

        /// `[number]` around an element.
        package static func explicit(_ number: UInt8) -> UInt8 { 0xA0 | number }
    }

    private var position: Int
    private let end: Int

    init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position >= end }

    /// The next element; nil at the end, where its length leads beyond it, and where the form is none of certificates: a tag of several
    /// bytes, a length without an end or of more than four bytes.
    mutating func next(_ bytes: RawSpan) -> Element? {
        guard end - position >= 2, bytes[position] & 0x1F != 0x1F else { return nil }
        var start = position + 2
        var length = Int(bytes[position + 1])
        if length >= 0x80 {
            let count = length & 0x7F
            guard (1...4).contains(count), count <= end - start else { return nil }
            length = 0
            for index in start..<start + count { length = length << 8 | Int(bytes[index]) }
            start += count
        }
        guard length <= end - start else { return nil }
        defer { position = start + length }
        return Element(tag: bytes[position], whole: position..<start + length, content: start..<start + length)
    }

    /// The next element if it has the tag; what comes after another one is not read.
    mutating func next(_ tag: UInt8, _ bytes: RawSpan) -> Element? {
        guard let element = next(bytes), element.tag == tag else { return nil }
        return element
    }

    /// Takes the next element if it has the tag, and stays where it is otherwise.
    mutating func take(_ tag: UInt8, _ bytes: RawSpan) -> Element? {
        guard position < end, bytes[position] == tag else { return nil }
        return next(bytes)
    }
}

extension RawSpan {
    /// Whether a part of it is these bytes, such as the content of an object identifier.
    func has(_ wanted: [UInt8], at range: Range<Int>) -> Bool {
        guard range.count == wanted.count else { return false }
        for (offset, byte) in wanted.enumerated() where self[range.lowerBound + offset] != byte { return false }
        return true
    }
}
