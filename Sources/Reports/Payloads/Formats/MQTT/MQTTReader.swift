import Dissection

/// Reads the fields of one control packet of MQTT, and keeps the first thing that is wrong with it.
struct MQTTReader: ~Escapable {
    private let bytes: RawSpan
    private(set) var position: Int
    /// Where the packet begins: one byte before that from which on it is read.
    let start: Int
    /// Where the packet ends, which is not beyond the bytes at hand.
    var end: Int
    /// Why the packet is not valid, and where.
    private(set) var problem: (reason: StaticString, at: Int)?

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, at position: Int) {
        self.bytes = bytes
        self.position = position
        start = max(0, position - 1)
        end = bytes.byteCount
    }

    var isAtEnd: Bool { position >= end }

    /// Says that the packet is not valid. Only the first time counts.
    mutating func fail(_ reason: StaticString, at position: Int? = nil) {
        if problem == nil { problem = (reason, position ?? self.position) }
    }

    private mutating func take(_ count: Int) -> Int? {
        guard problem == nil, count <= end - position else {
            fail("a packet ends in the middle of a field")
            return nil
        }
        position += count
        return position - count
    }

    mutating func byte() -> UInt8? { take(1).map { bytes[$0] } }

    mutating func uint16() -> UInt16? { take(2).map { bytes.bigEndianUInt16(at: $0) } }

    mutating func uint32() -> UInt32? { take(4).map { bytes.bigEndianUInt32(at: $0) } }

    /// Bytes with two bytes of length before them.
    mutating func binary() -> Range<Int>? {
        guard let count = uint16(), let start = take(Int(count)) else { return nil }
        return start..<start + Int(count)
    }

    /// UTF-8 with two bytes of length before it (section 1.5.4).
    mutating func text() -> [UInt8]? {
        guard let range = binary() else { return nil }
        guard bytes.extracting(range).isUTF8 else {
            fail("a text is not UTF-8", at: range.lowerBound)
            return nil
        }
        return bytes.extracting(range).copy
    }

    /// A number of at most four bytes (section 1.5.5).
    mutating func variableInteger() -> Int? {
        guard problem == nil else { return nil }
        guard let (value, next) = bytes.extracting(0..<end).varint(at: position, most: 4) else {
            let isCut = end - position < 4
            position = isCut ? max(position, end) : position + 4
            fail(isCut ? "a packet ends in the middle of a field" : "a number has more than four bytes")
            return nil
        }
        position = next
        return Int(value)
    }

    /// The first byte of the packet: its type and its flags.
    var firstByte: Range<Int> { start..<start + 1 }

    /// What was read from a position on.
    func read(from first: Int) -> Range<Int> { first..<max(first, position) }

    /// The bytes that were read last.
    func last(_ count: Int) -> Range<Int> { max(start, position - count)..<max(start, position) }

    /// All that is left of the packet.
    mutating func rest() -> Range<Int> {
        defer { position = max(position, end) }
        return min(position, end)..<end
    }

    @_lifetime(copy self)
    func extracting(_ range: Range<Int>) -> RawSpan { bytes.extracting(range) }
}
