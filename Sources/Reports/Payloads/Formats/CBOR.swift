import Dissection

/// CBOR (RFC 8949): one data item, or several one after the other (RFC 8742).
enum CBOR: PayloadFormat {
    static var name: StaticString { "cbor" }
    static var keys: [StaticString] { ["value", "values"] }
    static var typesAreOfApp: Bool { true }

    static let occasions: PayloadOccasions = [.agreedBinary, .body]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        if context.isEncoded(as: name) { return .named }
        guard context.carrier == .body else { return .no }
        let isTyped =
            context.isOfType("application/cbor") || context.isOfType("application/cbor-seq") || context.isOfSuffix("+cbor")
            || context.isOfSuffix("+cbor-seq")
        return isTyped ? .typed : .no
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var reader = CBORReader(bytes)
        decoded.add(sequence: &reader)
    }
}

/// Reads data items.
struct CBORReader: ValueReader, ~Escapable {
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

    /// The head of an item (RFC 8949, section 3): its major type, and its argument; nil where the length is not known.
    private struct Head {
        var major: UInt8
        var information: UInt8
        var argument: UInt64?
    }

    private mutating func head() -> Head? {
        let start = position
        guard !isAtEnd else { return fail("it ends in the middle of a value", at: start) }
        let (major, information) = (bytes[start] >> 5, bytes[start] & 0x1f)
        position += 1
        switch information {
        case 0..<24: return Head(major: major, information: information, argument: UInt64(information))
        case 24...27:
            let size = 1 << Int(information - 24)
            guard bytes.byteCount - position >= size else { return fail("it ends in the middle of a value", at: bytes.byteCount) }
            var argument: UInt64 = 0
            for index in position..<position + size { argument = argument << 8 | UInt64(bytes[index]) }
            position += size
            return Head(major: major, information: information, argument: argument)
        case 31 where 2...5 ~= major || major == 7: return Head(major: major, information: information, argument: nil)
        case _: return fail("the low bits of a first byte are reserved", at: start)
        }
    }

    mutating func value(level: Int) -> DecodedPayload.Value? {
        let start = position
        guard begins(at: start), let head = head() else { return nil }
        switch head.major {
        case 0: return head.argument.map { .number($0) }
        case 1:
            guard let number = head.argument else { return nil }
            // -1 - n, which may be less than 64 bits with a sign hold.
            if let small = Int64(exactly: number) { return .signed(-1 - small) }
            return .json(Array((number == .max ? "-18446744073709551616" : "-\(number + 1)").utf8))
        case 2, 3: return string(head, from: start)
        case 4: return array(of: head.argument, level, from: start)
        case 5: return map(of: head.argument, level, from: start)
        case 6:
            guard level < PayloadBounds.levels else { return fail(PayloadBounds.tooDeep, at: start) }
            // What says that CBOR follows adds nothing (section 3.4.6).
            let first = position
            guard let tag = head.argument, let inner = value(level: level + 1) else { return nil }
            if tag == 55_799 { return inner }
            return .object([.init("$tag", .number(tag), at: start..<first), .init("value", inner, at: first..<position)])
        case _: return simple(head, from: start)
        }
    }

    /// Bytes or text, in one piece or in several (section 3.2.3).
    private mutating func string(_ head: Head, from start: Int) -> DecodedPayload.Value? {
        guard let count = head.argument else {
            var whole: [UInt8] = []
            while !takeBreak() {
                guard problem == nil, !isAtEnd else { return fail("it ends in the middle of a value", at: bytes.byteCount) }
                let start = position
                guard begins(at: start), let piece = self.head() else { return nil }
                guard piece.major == head.major, let count = piece.argument else {
                    return fail("a string in pieces has a piece of another type", at: start)
                }
                guard let range = skip(count, from: start) else { return nil }
                whole.append(copying: bytes.extracting(range))
            }
            return head.major == 2 ? .binary(UInt64(whole.count)) : whole.rawBytes.asValue
        }
        guard let range = skip(count, from: start) else { return nil }
        return head.major == 2 ? .binary(count) : bytes.extracting(range).asValue
    }

    /// Major type 7: simple values and floating point (section 3.3).
    private mutating func simple(_ head: Head, from start: Int) -> DecodedPayload.Value? {
        guard let argument = head.argument else { return fail("a break stands where no length is open", at: start) }
        switch head.information {
        case 20, 21: return .flag(head.information == 21)
        case 22: return .nothing
        case 23: return .object([.init("$undefined", .flag(true), at: start..<position)])
        case 24 where argument < 32: return fail("a simple value below 32 is written in two bytes", at: start)
        case 25: return .real(half(UInt16(truncatingIfNeeded: argument)))
        case 26: return .real(widening: Float(bitPattern: UInt32(truncatingIfNeeded: argument)))
        case 27: return .real(Double(bitPattern: argument))
        case _: return .object([.init("$simple", .number(argument), at: start..<position)])
        }
    }

    /// A floating-point number of 16 bits (section 3.3, appendix D).
    private func half(_ bits: UInt16) -> Double {
        let (exponent, fraction) = (Int(bits >> 10 & 0x1f), Double(bits & 0x3ff))
        let magnitude: Double
        switch exponent {
        case 0: magnitude = fraction / 16_777_216
        case 31: magnitude = fraction == 0 ? .infinity : .nan
        case _: magnitude = (1_024 + fraction) * Double(sign: .plus, exponent: exponent - 25, significand: 1)
        }
        return bits & 0x8000 == 0 ? magnitude : -magnitude
    }

    /// Takes the break that ends what has no length.
    mutating func takeBreak() -> Bool {
        guard position < bytes.byteCount, bytes[position] == 0xff else { return false }
        position += 1
        return true
    }
}
