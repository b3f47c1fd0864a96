import Dissection

/// One tag of XML, where it lies: what documents and stanzas are told by. What is between tags is not looked at.
struct XMLTag {
    enum Kind { case start, end, empty }

    let kind: Kind
    /// With its prefix: `stream:features`.
    let name: Range<Int>
    /// Names, and values without their quotes; the first 64.
    private(set) var attributes: [(name: Range<Int>, value: Range<Int>)] = []
    /// Where what follows the tag begins.
    let end: Int

    private static let mostAttributes = 64

    /// Reads the tag whose `<` stands at `start`; nil where it is not valid or not whole. `failure` says where.
    init?(_ bytes: RawSpan, at start: Int, failure: inout Int) {
        var position = start + 1
        failure = start
        var kind = Kind.start
        if position < bytes.byteCount, bytes[position] == UInt8(ascii: "/") {
            kind = .end
            position += 1
        }
        guard let name = Self.name(bytes, &position) else { return nil }
        self.name = name
        while true {
            let before = position
            Self.skipBlanks(bytes, &position)
            failure = position
            guard position < bytes.byteCount else { return nil }
            if bytes[position] == UInt8(ascii: ">") {
                self.kind = kind
                end = position + 1
                return
            }
            if bytes[position] == UInt8(ascii: "/") {
                guard kind == .start, position + 1 < bytes.byteCount, bytes[position + 1] == UInt8(ascii: ">") else { return nil }
                self.kind = .empty
                end = position + 2
                return
            }
            guard kind == .start, position > before, let attribute = Self.name(bytes, &position) else { return nil }
            Self.skipBlanks(bytes, &position)
            guard position < bytes.byteCount, bytes[position] == UInt8(ascii: "=") else { return nil }
            position += 1
            Self.skipBlanks(bytes, &position)
            guard position < bytes.byteCount, bytes[position] == 0x22 || bytes[position] == 0x27,
                let close = bytes.position(of: bytes[position], from: position + 1)
            else { return nil }
            if attributes.count < Self.mostAttributes { attributes.append((attribute, position + 1..<close)) }
            position = close + 1
        }
    }

    /// The value of an attribute, as it is written.
    func value(_ name: StaticString, in bytes: RawSpan) -> Range<Int>? {
        attributes.first { bytes.extracting($0.name).isEqual(name.bytes) }?.value
    }

    /// The name without its prefix.
    func localName(in bytes: RawSpan) -> Range<Int> {
        let colon = bytes.extracting(name).position(of: UInt8(ascii: ":"))
        return colon.map { name.lowerBound + $0 + 1..<name.upperBound } ?? name
    }

    private static func skipBlanks(_ bytes: RawSpan, _ position: inout Int) {
        while position < bytes.byteCount, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[position]) { position += 1 }
    }

    /// A name: letters, digits, what stands in names, and anything beyond ASCII.
    private static func name(_ bytes: RawSpan, _ position: inout Int) -> Range<Int>? {
        let start = position
        while position < bytes.byteCount {
            let byte = bytes[position]
            let isLetter =
                byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7a || byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
            let isLater = byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            guard isLetter || isLater && position > start else { break }
            position += 1
        }
        return position > start ? start..<position : nil
    }
}
