/// What is nested is counted, not followed: the number of values that are still to come is enough to find the end.
///
/// Replication (redis.io, "Replication internals") has three things more: a line feed alone keeps the connection alive and is a message of
/// its own, a snapshot of the database follows `+FULLRESYNC` without the line end of a bulk string, and its end may be a mark that stands
/// before it (`$EOF:` and 40 bytes). Such a mark is a snapshot also without that line, which SYNC has none of.
struct RedisCutter: CuttingMachine {
    private enum Phase {
        case type
        /// Up to the end of the line, which says nothing here.
        case line
        /// The number of a line that begins with this type.
        case number(UInt8)
        case bulk(UInt64)
        /// The mark that a snapshot ends with, up to the end of its line.
        case mark
        case snapshot
    }

    private static let mostBulk: UInt64 = 512 << 20
    private static let mostValues: UInt64 = 1 << 32

    private var phase = Phase.type
    /// Values that are still to come, the one under way included.
    private var left: UInt64 = 1
    private var number: UInt64 = 0
    private var digits = 0
    private var isNegative = false
    private var isFirst = true
    /// The next bulk string is a snapshot.
    private var awaitsSnapshot = false
    /// How much of `+FULLRESYNC ` the line has so far; nil where it is another.
    private var announced: Int?
    private var isSnapshot = false
    /// The value is the message itself, not one in it.
    private var isTopmost = false
    private var mark = EndMark()
    private(set) var lookedAt = 0

    /// It knows whether a snapshot comes.
    mutating func restart() {
        var next = RedisCutter()
        next.awaitsSnapshot = awaitsSnapshot
        self = next
    }

    mutating func advance(over bytes: RawSpan) -> Cut {
        var position = 0
        while position < bytes.byteCount {
            if case .bulk(let missing) = phase {
                let rest = UInt64(bytes.byteCount - position)
                guard rest >= missing else {
                    phase = .bulk(missing - rest)
                    return .inside
                }
                position += Int(missing)
                if endValue() { return .ends(position) }
                continue
            }
            let byte = bytes[position]
            position += 1
            lookedAt = position
            switch phase {
            case .type:
                if byte == 0x0A, isFirst { return .ends(position) }
                guard begin(byte) else { return .broken(.malformed) }
            case .line:
                note(byte)
                if byte == 0x0A, endValue() { return .ends(position) }
            case .number(UInt8(ascii: "$")) where isTopmost && digits == 0 && byte == UInt8(ascii: "E"): phase = .mark
            case .mark:
                if byte == 0x0A {
                    guard mark.isWhole else { return .broken(.malformed) }
                    phase = .snapshot
                } else if byte != 0x0D, !mark.append(byte) {
                    return .broken(.malformed)
                }
            case .snapshot: if mark.ends(with: byte) { return .ends(position) }
            case .number(let type):
                if byte == 0x0A {
                    guard digits > 0, let isOver = endNumber(type) else { return .broken(.malformed) }
                    if isOver { return .ends(position) }
                } else if byte == UInt8(ascii: "-"), digits == 0, !isNegative {
                    isNegative = true
                } else if (0x30...0x39).contains(byte), digits < 18 {
                    digits += 1
                    number = number * 10 + UInt64(byte - 0x30)
                } else if byte != 0x0D {
                    return .broken(.malformed)
                }
            case .bulk: break
            }
        }
        return .inside
    }

    private mutating func begin(_ type: UInt8) -> Bool {
        defer { isFirst = false }
        isTopmost = isFirst
        if isFirst {
            announced = type == UInt8(ascii: "+") ? 0 : nil
            isSnapshot = awaitsSnapshot && type == UInt8(ascii: "$")
            if isSnapshot { awaitsSnapshot = false }
        }
        switch RedisGrammar.type(of: type)?.form {
        case .line?: phase = .line
        case .bytes?, .values?, .pairs?:
            phase = .number(type)
            (number, digits, isNegative) = (0, 0, false)
        // An inline command.
        case nil:
            guard isFirst, (0x41...0x5A).contains(type & 0xDF) else { return false }
            phase = .line
        }
        return true
    }

    /// Looks whether a line announces a snapshot.
    private mutating func note(_ byte: UInt8) {
        guard let count = announced else { return }
        announced = byte == Self.announcement[count] ? count + 1 : nil
        guard announced == Self.announcement.count else { return }
        awaitsSnapshot = true
        announced = nil
    }

    private static let announcement = Array("FULLRESYNC ".utf8)

    /// The value that was under way is over. Whether the message is.
    private mutating func endValue() -> Bool {
        left -= 1
        phase = .type
        return left == 0
    }

    /// The number of a line is read: whether the message is over; nil where it cannot be.
    private mutating func endNumber(_ type: UInt8) -> Bool? {
        let form = RedisGrammar.type(of: type)?.form
        switch form {
        case .bytes?:
            if isNegative { return endValue() }
            if isSnapshot {
                phase = .bulk(number)
                return number == 0 && endValue()
            }
            guard number <= Self.mostBulk else { return nil }
            phase = .bulk(number + 2)
            return false
        case _:
            if isNegative { return endValue() }
            guard number <= Self.mostValues, left <= Self.mostValues else { return nil }
            left += form == .pairs ? number * 2 : number
            // Attributes come before the value that they are about.
            if type == RedisGrammar.attribute { left += 1 }
            return endValue()
        }
    }
}

/// The 40 bytes that a snapshot of unknown length ends with, looked for as they come (Knuth, Morris, Pratt): each byte once or twice.
private struct EndMark {
    private static let prefix = Array("EOF:".utf8)
    private static let count = 40

    private var came = 1
    private var bytes: [UInt8] = []
    /// For each place the length of the longest end of the mark up to it that the mark begins with.
    private var borders: [UInt8] = []
    private var matched = 0

    var isWhole: Bool { bytes.count == Self.count }

    /// Takes a byte of the line that names the mark, after its `E`. False where it is not such a line.
    mutating func append(_ byte: UInt8) -> Bool {
        if came < Self.prefix.count {
            came += 1
            return byte == Self.prefix[came - 1]
        }
        guard bytes.count < Self.count else { return false }
        var border = Int(borders.last ?? 0)
        while border > 0, bytes[border] != byte { border = Int(borders[border - 1]) }
        if !bytes.isEmpty, bytes[border] == byte { border += 1 }
        bytes.append(byte)
        borders.append(UInt8(border))
        return true
    }

    /// Takes a byte of the snapshot. Whether the mark ends with it.
    mutating func ends(with byte: UInt8) -> Bool {
        while matched > 0, bytes[matched] != byte { matched = Int(borders[matched - 1]) }
        if bytes[matched] == byte { matched += 1 }
        return matched == bytes.count
    }
}
