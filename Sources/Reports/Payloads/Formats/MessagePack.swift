import Dissection

/// MessagePack (the specification of msgpack.org, version 5): one value, or several one after the other.
enum MessagePack: PayloadFormat {
    static var name: StaticString { "msgpack" }
    static var keys: [StaticString] { ["value", "values"] }
    static var typesAreOfApp: Bool { true }

    static let occasions: PayloadOccasions = [.agreedBinary, .body]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        if context.isEncoded(as: name) { return .named }
        guard context.carrier == .body else { return .no }
        let isTyped =
            context.isOfType("application/msgpack") || context.isOfType("application/x-msgpack")
            || context.isOfType("application/vnd.msgpack") || context.isOfSuffix("+msgpack")
        return isTyped ? .typed : .no
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var reader = MessagePackReader(bytes)
        decoded.add(sequence: &reader)
    }
}

/// Reads MessagePack values.
struct MessagePackReader: ValueReader, ~Escapable {
    private let bytes: RawSpan
    var position: Int
    var problem: PayloadProblem?
    var values = 0

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    var end: Int { bytes.byteCount }

    mutating func value(level: Int) -> DecodedPayload.Value? {
        let start = position
        guard let first = number(of: 1) else { return nil }
        guard begins(at: start) else { return nil }
        switch first {
        case 0x00...0x7f: return .number(first)
        case 0x80...0x8f: return map(of: first & 0x0f, level, from: start)
        case 0x90...0x9f: return array(of: first & 0x0f, level, from: start)
        case 0xa0...0xbf: return text(of: first & 0x1f, from: start)
        case 0xc0: return .nothing
        case 0xc1: return fail("the byte 0xc1 stands for nothing in MessagePack", at: start)
        case 0xc2, 0xc3: return .flag(first == 0xc3)
        case 0xc4...0xc6: return number(of: 1 << Int(first - 0xc4)).flatMap { skip($0, from: start) }.map { .binary(UInt64($0.count)) }
        case 0xc7...0xc9: return number(of: 1 << Int(first - 0xc7)).flatMap { typed(of: $0, from: start) }
        case 0xca: return number(of: 4).map { .real(widening: Float(bitPattern: UInt32(truncatingIfNeeded: $0))) }
        case 0xcb: return number(of: 8).map { .real(Double(bitPattern: $0)) }
        case 0xcc...0xcf: return number(of: 1 << Int(first - 0xcc)).map { .number($0) }
        case 0xd0...0xd3:
            let size = 1 << Int(first - 0xd0)
            let unused = UInt64(64 - 8 * size)
            return number(of: size).map { .signed(Int64(bitPattern: $0 << unused) >> Int64(unused)) }
        case 0xd4...0xd8: return typed(of: 1 << (first - 0xd4), from: start)
        case 0xd9...0xdb: return number(of: 1 << Int(first - 0xd9)).flatMap { text(of: $0, from: start) }
        case 0xdc, 0xdd: return number(of: 2 << Int(first - 0xdc)).flatMap { array(of: $0, level, from: start) }
        case 0xde, 0xdf: return number(of: 2 << Int(first - 0xde)).flatMap { map(of: $0, level, from: start) }
        case _: return .signed(Int64(first) - 256)
        }
    }

    private mutating func text(of count: UInt64, from start: Int) -> DecodedPayload.Value? {
        skip(count, from: start).map { bytes.extracting($0).asValue }
    }

    /// An extension type: its number and its bytes, or the time that -1 is.
    private mutating func typed(of count: UInt64, from start: Int) -> DecodedPayload.Value? {
        guard let type = number(of: 1), let range = skip(count, from: start) else { return nil }
        let number = Int8(truncatingIfNeeded: type)
        if number == -1, let time = time(in: range) { return .object([.init("$time", .duration(time), at: range)]) }
        let typeAt = range.lowerBound - 1..<range.lowerBound
        return .object([.init("$type", .signed(Int64(number)), at: typeAt), .init("$binary", .number(count), at: range)])
    }

    /// The nanoseconds since 1970 of a timestamp in its three lengths; nil for another length, and for a time beyond the year 2262.
    private func time(in range: Range<Int>) -> Int64? {
        let start = range.lowerBound
        let (seconds, nanoseconds): (Int64, UInt64)
        switch range.count {
        case 4: (seconds, nanoseconds) = (Int64(bytes.bigEndianUInt32(at: start)), 0)
        case 8:
            let both = bytes.bigEndianUInt64(at: start)
            (seconds, nanoseconds) = (Int64(both & 0x3_ffff_ffff), both >> 34)
        case 12:
            (seconds, nanoseconds) = (Int64(bitPattern: bytes.bigEndianUInt64(at: start + 4)), UInt64(bytes.bigEndianUInt32(at: start)))
        case _: return nil
        }
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooMuch) = whole.addingReportingOverflow(Int64(nanoseconds & 0xffff_ffff))
        return isTooLong || isTooMuch ? nil : sum
    }

    /// A number in network order, of 1, 2, 4 or 8 bytes.
    private mutating func number(of size: Int) -> UInt64? {
        guard bytes.byteCount - position >= size else { return fail("it ends in the middle of a value", at: bytes.byteCount) }
        var number: UInt64 = 0
        for index in position..<position + size { number = number << 8 | UInt64(bytes[index]) }
        position += size
        return number
    }
}

extension DecodedPayload.Value {
    /// A number of 32 bits with no more digits than it has.
    static func real(widening number: Float) -> DecodedPayload.Value {
        .real(number.isFinite ? Double("\(number)") ?? Double(number) : Double(number))
    }

    /// As the name of a member of an object: text as it is, other values as they are shown.
    var asName: [UInt8] {
        if case .text(let bytes) = self { return bytes }
        var words = ValueWords()
        words.add(self, level: 0)
        return words.text
    }
}
