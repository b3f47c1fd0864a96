import Dissection

/// How the content of a field lies on the wire (protobuf.dev, "Encoding"). The names are those of that page.
enum ProtobufWire: UInt8 {
    case varint, i64, len, group, groupEnd, i32

    var name: String {
        switch self {
        case .varint: "varint"
        case .i64: "i64"
        case .len: "len"
        case .group, .groupEnd: "group"
        case .i32: "i32"
        }
    }
}

/// One field of a message as it stands on the wire.
struct ProtobufField {
    var number: UInt32
    var wire: ProtobufWire
    /// The bytes of `len`; where the content begins of the others.
    var content: Range<Int>
    /// Of `varint`, `i64` and `i32`.
    var bits: UInt64 = 0
    /// Where its tag begins.
    var start: Int
    /// The tag: the number and the wire type.
    var tag: Range<Int>
}

/// Walks the fields of one message. The content of a group follows its field, up to the field that ends it.
struct ProtobufReader: ~Escapable {
    private let bytes: RawSpan
    private(set) var position: Int
    private let end: Int
    private(set) var problem: PayloadProblem?

    /// - Parameter range: where the message lies in the bytes.
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, in range: Range<Int>) {
        self.bytes = bytes.extracting(0..<range.upperBound)
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position >= end }

    /// The next field; nil at the end, and where it cannot be read, in which case there is a `problem`.
    mutating func next() -> ProtobufField? {
        let start = position
        guard problem == nil, !isAtEnd, let tag = varint() else { return nil }
        guard let wire = ProtobufWire(rawValue: UInt8(tag & 7)) else { return fail("a field has an unknown wire type", at: start) }
        guard tag >> 3 > 0, tag >> 3 <= 536_870_911 else { return fail("a field has a number out of range", at: start) }
        var field = ProtobufField(number: UInt32(tag >> 3), wire: wire, content: position..<position, start: start, tag: start..<position)
        switch wire {
        case .varint:
            guard let bits = varint() else { return nil }
            field.bits = bits
        case .i64, .i32:
            let size = wire == .i64 ? 8 : 4
            guard end - position >= size else { return fail("it ends in the middle of a field", at: start) }
            for index in 0..<size { field.bits |= UInt64(bytes[position + index]) << UInt64(8 * index) }
            position += size
        case .len:
            guard let length = varint() else { return nil }
            guard length <= UInt64(end - position) else { return fail("a length is larger than what is left", at: start) }
            field.content = position..<position + Int(length)
            position += Int(length)
        case .group, .groupEnd: return field
        }
        if wire != .len { field.content = field.content.lowerBound..<position }
        return field
    }

    /// Goes on after the end of a group, whose content another reader has read.
    mutating func go(to position: Int) { self.position = max(self.position, min(position, end)) }

    mutating func varint() -> UInt64? {
        guard let (value, next) = bytes.varint(at: position) else {
            return fail(end - position < 10 ? "it ends in the middle of a number" : "a number has more than 10 bytes", at: position)
        }
        position = next
        return value
    }

    private mutating func fail<Result>(_ reason: StaticString, at start: Int) -> Result? {
        if problem == nil { problem = PayloadProblem(reason: reason, position: start) }
        return nil
    }
}
