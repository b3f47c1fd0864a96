import Dissection

/// Numbers of a field one after the other (protobuf.dev, "Packed Repeated Fields"), guessed from their bytes alone.
struct PackedNumbers {
    typealias Member = DecodedPayload.Value.Member

    var members: [Member]
    /// They are of similar size. Zeros beside numbers of two bytes are not: they are what floating point has between its digits.
    var isAlike: Bool

    /// More are not told.
    private static let most = 1_000

    /// Varints, two at least; nil where one ends in the middle, is longer than it has to be, or where their lengths differ by more than a byte.
    static func varints(_ bytes: RawSpan, _ range: Range<Int>) -> PackedNumbers? {
        var reader = ProtobufReader(bytes, in: range)
        var numbers: [Member] = []
        var sizes = (least: 10, most: 1)
        var bits = (least: 64, most: 0)
        while !reader.isAtEnd {
            let start = reader.position
            guard numbers.count < most, let number = reader.varint() else { return nil }
            let size = reader.position - start
            guard size == 1 || bytes[reader.position - 1] != 0 else { return nil }
            sizes = (min(sizes.least, size), max(sizes.most, size))
            guard sizes.most - sizes.least <= 1 else { return nil }
            let width = 64 - number.leadingZeroBitCount
            bits = (min(bits.least, width), max(bits.most, width))
            numbers.append(Member([], .number(number), at: start..<reader.position))
        }
        guard numbers.count > 1 else { return nil }
        return PackedNumbers(members: numbers, isAlike: bits.most - bits.least <= 7)
    }

    /// Floating point of four or eight bytes each, where all are numbers of ordinary size; nil where they are not.
    ///
    /// - Parameter base: where the bytes stand in the payload.
    static func reals(_ bytes: RawSpan, from base: Int) -> [Member]? {
        let singles = floats(bytes, base)
        // Two numbers of four bytes look like one of eight, and hardly ever the other way round.
        if let singles, bytes.byteCount % 8 != 0 || singles.isAlike { return singles.members }
        return doubles(bytes, base)
    }

    private static func doubles(_ bytes: RawSpan, _ base: Int) -> [Member]? {
        guard bytes.byteCount > 0, bytes.byteCount % 8 == 0, bytes.byteCount / 8 <= most else { return nil }
        var numbers: [Member] = []
        for start in stride(from: 0, to: bytes.byteCount, by: 8) {
            let number = Double(bitPattern: bits(bytes, start, 8))
            guard number == 0 || number.isLikely(from: 1e-9, to: 1e15) else { return nil }
            numbers.append(Member([], .real(number), at: base + start..<base + start + 8))
        }
        return numbers.contains { $0.value != .real(0) } ? numbers : nil
    }

    private static func floats(_ bytes: RawSpan, _ base: Int) -> PackedNumbers? {
        guard bytes.byteCount > 0, bytes.byteCount % 4 == 0, bytes.byteCount / 4 <= most else { return nil }
        var numbers: [Member] = []
        var magnitudes = (least: Float.infinity, most: Float(0))
        for start in stride(from: 0, to: bytes.byteCount, by: 4) {
            let number = Float(bitPattern: UInt32(truncatingIfNeeded: bits(bytes, start, 4)))
            guard number == 0 || Double(number).isLikely(from: 1e-6, to: 1e9) else { return nil }
            magnitudes = (min(magnitudes.least, number.magnitude), max(magnitudes.most, number.magnitude))
            numbers.append(Member([], .real(widening: number), at: base + start..<base + start + 4))
        }
        guard magnitudes.most > 0 else { return nil }
        return PackedNumbers(members: numbers, isAlike: magnitudes.most <= magnitudes.least * 10_000)
    }

    private static func bits(_ bytes: RawSpan, _ start: Int, _ count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) }
    }
}

extension Double {
    /// Whether somebody may have written it; whole numbers and hashes look like very small or very large ones.
    func isLikely(from least: Double, to most: Double) -> Bool { magnitude >= least && magnitude <= most }
}

extension RawSpan {
    /// Whether half of the bytes or more are characters of ASCII that are shown.
    var isMostlyPrinted: Bool {
        var printed = 0
        for index in 0..<byteCount where 0x20..<0x7f ~= self[index] { printed += 1 }
        return printed * 2 >= byteCount
    }
}
