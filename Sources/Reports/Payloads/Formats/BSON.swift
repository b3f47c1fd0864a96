import Dissection

/// BSON (bsonspec.org, version 1.1): one document, or several one after the other. Names as MongoDB's Extended JSON has them.
enum BSON: PayloadFormat {
    static var name: StaticString { "bson" }
    static var keys: [StaticString] { ["value", "values"] }
    static var typesAreOfApp: Bool { true }

    static let occasions: PayloadOccasions = [.body]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard context.carrier == .body else { return .no }
        return context.isOfType("application/bson") || context.isOfType("application/x-bson") || context.isOfSuffix("+bson") ? .typed : .no
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var reader = BSONReader(bytes)
        decoded.add(sequence: &reader)
    }
}

/// Reads documents.
struct BSONReader: ValueReader, ~Escapable {
    private let bytes: RawSpan
    var position = 0
    var problem: PayloadProblem?
    var values = 0

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    var end: Int { bytes.byteCount }

    mutating func value(level: Int) -> DecodedPayload.Value? { document(isArray: false, level: level, end: end) }

    /// A document or an array, which is a document whose names are numbers.
    private mutating func document(isArray: Bool, level: Int, end: Int) -> DecodedPayload.Value? {
        let start = position
        guard level < PayloadBounds.levels else { return fail(PayloadBounds.tooDeep, at: start) }
        guard let length = number(of: 4, end) else { return nil }
        guard length >= 5, length <= UInt64(end - start) else { return fail("the length of a document is wrong", at: start) }
        let last = start + Int(length) - 1
        var members: [DecodedPayload.Value.Member] = []
        while problem == nil, position < last {
            let type = bytes[position]
            let element = position
            position += 1
            guard begins(at: element) else { return .object(members) }
            guard let name = zeroEnded(last) else { break }
            let start = position
            if let value = value(type, element, level, last) {
                // What has no bytes of its own is said by its type.
                members.append(.init(bytes.extracting(name).copy, value, at: (position > start ? start : element)..<position))
            }
        }
        if problem == nil, bytes[last] != 0 {
            problem = PayloadProblem(reason: "a document does not end with a zero byte", position: last)
        }
        position = last + 1
        return isArray ? .items(members.map { .init([], $0.value, in: $0.range) }) : .object(members)
    }

    private mutating func value(_ type: UInt8, _ element: Int, _ level: Int, _ end: Int) -> DecodedPayload.Value? {
        let first = position
        switch type {
        case 0x01: return number(of: 8, end).map { .real(Double(bitPattern: $0)) }
        case 0x02, 0x0d, 0x0e: return string(end).map { bytes.extracting($0).asValue }
        case 0x03, 0x04: return document(isArray: type == 0x04, level: level + 1, end: end)
        case 0x05:
            guard let count = number(of: 4, end), let subtype = number(of: 1, end), skip(count, end) != nil else { return nil }
            let subtypeAt = first + 4..<first + 5
            return .object([.init("$binary", .number(count), at: first..<first + 4), .init("$type", .number(subtype), at: subtypeAt)])
        case 0x06: return .object([.init(noted: "$undefined", .flag(true))])
        case 0x07: return skip(12, end).map { .object([.init("$oid", .text(bytes.extracting($0).hexadecimal), at: $0)]) }
        case 0x08:
            guard let flag = number(of: 1, end) else { return nil }
            return flag < 2 ? .flag(flag == 1) : fail("a boolean is neither 0 nor 1", at: position - 1)
        case 0x09: return number(of: 8, end).map { .object([.init("$date", .signed(Int64(bitPattern: $0)), at: first..<first + 8)]) }
        case 0x0a: return .nothing
        case 0x0b:
            guard let pattern = zeroEnded(end), let options = zeroEnded(end) else { return nil }
            return .object([
                .init("$regex", bytes.extracting(pattern).asValue, at: pattern),
                .init("$options", bytes.extracting(options).asValue, at: options),
            ])
        case 0x0c:
            guard let name = string(end), let id = skip(12, end) else { return nil }
            let shown = bytes.extracting(id).hexadecimal
            return .object([.init("$ref", bytes.extracting(name).asValue, at: name), .init("$id", .text(shown), at: id)])
        case 0x0f: return scopedCode(level, end)
        case 0x10: return number(of: 4, end).map { .signed(Int64(Int32(truncatingIfNeeded: $0))) }
        case 0x11:
            return number(of: 8, end).map {
                let parts: [DecodedPayload.Value.Member] = [
                    .init("t", .number($0 >> 32), at: first + 4..<first + 8), .init("i", .number($0 & 0xffff_ffff), at: first..<first + 4),
                ]
                return .object([.init("$timestamp", .object(parts), at: first..<first + 8)])
            }
        case 0x12: return number(of: 8, end).map { .signed(Int64(bitPattern: $0)) }
        case 0x13: return skip(16, end).map { .binary(UInt64($0.count)) }
        case 0x7f: return .object([.init(noted: "$maxKey", .number(1))])
        case 0xff: return .object([.init(noted: "$minKey", .number(1))])
        case _: return fail("an element has an unknown type", at: element)
        }
    }

    /// Code of JavaScript with the values of its variables.
    private mutating func scopedCode(_ level: Int, _ end: Int) -> DecodedPayload.Value? {
        let start = position
        guard let length = number(of: 4, end) else { return nil }
        guard length >= 14, length <= UInt64(end - start) else { return fail("a length is larger than what is left", at: start) }
        let codeEnd = start + Int(length)
        guard let code = string(codeEnd) else { return nil }
        let scopeStart = position
        guard let scope = document(isArray: false, level: level + 1, end: codeEnd) else { return nil }
        if problem == nil, position != codeEnd { return fail("the length of code with variables is wrong", at: start) }
        return .object([
            .init("$code", bytes.extracting(code).asValue, at: code), .init("$scope", scope, at: scopeStart..<position),
        ])
    }

    /// Text with its length before it, and a zero byte that the length counts.
    private mutating func string(_ end: Int) -> Range<Int>? {
        let start = position
        guard let count = number(of: 4, end) else { return nil }
        guard count > 0 else { return fail("the length of a string is 0", at: start) }
        guard let range = skip(count, end) else { return nil }
        guard bytes[range.upperBound - 1] == 0 else { return fail("a string does not end with a zero byte", at: range.upperBound - 1) }
        return range.lowerBound..<range.upperBound - 1
    }

    /// Text up to a zero byte.
    private mutating func zeroEnded(_ end: Int) -> Range<Int>? {
        let start = position
        while position < end, bytes[position] != 0 { position += 1 }
        guard position < end else { return fail("a name does not end with a zero byte", at: start) }
        position += 1
        return start..<position - 1
    }

    /// A number, the lowest byte first.
    private mutating func number(of size: Int, _ end: Int) -> UInt64? {
        guard end - position >= size else { return fail("it ends in the middle of a value", at: position) }
        var number: UInt64 = 0
        for index in 0..<size { number |= UInt64(bytes[position + index]) << UInt64(8 * index) }
        position += size
        return number
    }

    private mutating func skip(_ count: UInt64, _ end: Int) -> Range<Int>? {
        guard count <= UInt64(max(0, end - position)) else { return fail("a length is larger than what is left", at: position) }
        position += Int(count)
        return position - Int(count)..<position
    }
}
