/// An element of DER (X.690) and the elements that it is made of, for who reads a few of them where `DERCursor` would be many steps.
package struct DERNode {
    package let tag: UInt8
    private let bytes: [UInt8]
    private let range: Range<Int>

    /// The first element of a part of some bytes; nil where there is none that is whole.
    package init?(_ bytes: [UInt8], in part: Range<Int>) {
        var cursor = DERCursor(part.clamped(to: 0..<bytes.count))
        guard let element = cursor.next(bytes.rawBytes) else { return nil }
        self.init(element, bytes)
    }

    private init(_ element: DERCursor.Element, _ bytes: [UInt8]) {
        (tag, range) = (element.tag, element.content)
        self.bytes = bytes
    }

    /// What is in it.
    package var content: ArraySlice<UInt8> { bytes[range] }

    /// What a constructed element is made of, as far as it can be read; none of a primitive one.
    package var nodes: [DERNode] {
        guard octets == nil else { return [] }
        var nodes: [DERNode] = []
        var cursor = DERCursor(range)
        while let element = cursor.next(bytes.rawBytes) { nodes.append(DERNode(element, bytes)) }
        return nodes
    }

    /// The content of a primitive element; nil for a constructed one.
    package var octets: ArraySlice<UInt8>? { tag & 0x20 == 0 ? content : nil }

    /// A number that is not negative, by its first four bytes.
    package var number: Int? { octets?.prefix(4).reduce(0) { $0 << 8 | Int($1) } }
}
