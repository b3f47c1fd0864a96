import Dissection

/// What short messages have in common that differ in numbers alone: the fields of protobuf and their text, or all of a JSON object but its
/// numbers. Counters and times are such numbers.
///
/// ```
/// 08 05 10 07 30 f8 a0 …      1: 5, 2: 7, 6: 1700000004000       the first number says what it is; the others grow
/// {"op":1,"d":251}            "op" 1, "d"                        251
/// ```
struct HeartbeatShape: Equatable, Sendable {
    /// Of all that is not a number, and of the first number where there are several.
    private(set) var hash = Fingerprint()
    /// The numbers, in order.
    private(set) var numbers = SIMD4<UInt64>()
    private var count = 0
    private var isFull = false

    /// Longer messages say something.
    private static let longest = 64
    private static let deepest = 3

    /// Nil where the message has no numbers, too many, or text beside them.
    init?(_ bytes: RawSpan) {
        guard (2...Self.longest).contains(bytes.byteCount) else { return nil }
        guard bytes[0] == UInt8(ascii: "{") ? takeJSON(bytes) : takeFields(bytes, 0..<bytes.byteCount, depth: 0) else { return nil }
        guard count > 0, !isFull else { return nil }
        if count > 1 { hash.add(numbers[0]) }
    }

    private mutating func add(_ number: UInt64) {
        guard count < 4 else {
            isFull = true
            return
        }
        numbers[count] = number
        count += 1
    }

    /// An object whose values are all numbers or words of JSON: text says something.
    private mutating func takeJSON(_ bytes: RawSpan) -> Bool {
        guard let members = JSONParts(bytes), members.isAll(of: bytes) else { return false }
        for part in members.parts {
            hash.add(bytes.extracting(part.name))
            let value = bytes.extracting(part.value)
            if let number = value.decimal {
                add(number)
            } else if value.isWord("null") || value.isWord("true") || value.isWord("false") {
                hash.add(value)
            } else {
                return false
            }
        }
        return true
    }

    /// Fields of protobuf. Text in them is a name that stays, where it is short.
    private mutating func takeFields(_ bytes: RawSpan, _ range: Range<Int>, depth: Int) -> Bool {
        var reader = ProtobufReader(bytes, in: range)
        while let field = reader.next() {
            hash.add(UInt64(field.number) << 8 | UInt64(field.wire.rawValue))
            switch field.wire {
            case .varint, .i64, .i32: add(field.bits)
            case .len:
                var inner = self
                let content = bytes.extracting(field.content)
                if depth < Self.deepest, !field.content.isEmpty, !content.isPrintable,
                    inner.takeFields(bytes, field.content, depth: depth + 1)
                {
                    self = inner
                } else {
                    guard field.content.count <= 16 else { return false }
                    hash.add(content)
                }
            case .group, .groupEnd: return false
            }
        }
        return reader.problem == nil
    }
}

/// How the numbers of messages of one shape go on.
struct HeartbeatGrowth: Sendable {
    private var last: SIMD4<UInt64>?
    private var step: SIMD4<UInt64>?
    /// Messages in which some number went on as it did before and none otherwise; all others of them.
    private var steady = 0
    private var unsteady = 0
    /// Messages in which a number was less than before.
    private var drops = 0

    /// A counter, or a time: it goes on by the same steps.
    var isSteady: Bool { steady >= 3 && drops == 0 && unsteady * 4 <= steady }
    /// Numbers that are never less than before.
    var isGrowing: Bool { drops == 0 && steady + unsteady >= 3 }

    mutating func take(_ numbers: SIMD4<UInt64>) {
        defer { last = numbers }
        guard let last else { return }
        guard (0..<4).allSatisfy({ numbers[$0] >= last[$0] }) else {
            // A counter begins anew now and then.
            if steady > 16, drops == 0 { self = HeartbeatGrowth() } else { drops = min(drops + 1, 1) }
            return
        }
        let now = numbers &- last
        defer { step = now }
        guard let step else { return }
        let isSame = (0..<4).allSatisfy { Self.isLike(now[$0], step[$0]) }
        if isSame, now != SIMD4() { steady &+= 1 } else { unsteady &+= 1 }
    }

    /// A beat that is missing makes a step of two.
    private static func isLike(_ left: UInt64, _ right: UInt64) -> Bool {
        let (less, more) = (Double(min(left, right)), Double(max(left, right)))
        return less == more || (less > 0 && more <= less * 2.5)
    }
}

/// FNV-1a, piece by piece.
struct Fingerprint: Hashable, Sendable {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }

    mutating func add(_ bytes: RawSpan) {
        for index in 0..<bytes.byteCount { add(bytes[index]) }
        add(UInt64(bytes.byteCount))
    }

    mutating func add(_ number: UInt64) {
        for shift in 0..<8 as Range<UInt64> { add(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
    }
}

extension RawSpan {
    /// Nothing but characters of ASCII that are printed.
    fileprivate var isPrintable: Bool {
        for index in 0..<byteCount where !(0x20...0x7e).contains(self[index]) { return false }
        return true
    }
}
