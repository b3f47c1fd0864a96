/// Checks that bytes are UTF-8 (RFC 3629) as they come, in pieces that may cut a character anywhere.
///
/// It keeps at most the state of one open character, not its bytes.
package struct UTF8Validator: Sendable {
    /// Bytes that were checked.
    private var checked: UInt64 = 0
    /// Bytes of the open character so far, 0 to 3.
    private var taken: UInt8 = 0
    /// Bytes that the open character still needs, 0 to 3.
    private var needed: UInt8 = 0
    /// What the next byte of the open character may be. Narrower than 80…BF behind E0, ED, F0 and F4, which keeps out
    /// overlong forms, surrogates and numbers beyond U+10FFFF.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    package init() {}

    /// Whether the bytes so far end at a boundary between two characters.
    package var isComplete: Bool { needed == 0 }

    /// Bytes of the character that is not whole, 0 to 3.
    package var openBytes: Int { needed == 0 ? 0 : Int(taken) }

    /// Takes the next bytes. Returns the position of the first byte of the first ill-formed sequence, counted from the
    /// first byte of all; after that the validator is of no further use.
    package mutating func check(_ bytes: RawSpan) -> UInt64? {
        let count = bytes.byteCount
        var index = 0
        while index < count {
            if needed == 0 {
                index = UTF8Validator.endOfASCII(bytes, from: index)
                guard index < count else { break }
            }
            guard take(bytes[index]) else {
                // A byte that cannot go on is the fault of the sequence that it breaks.
                return checked &+ UInt64(index) &- UInt64(taken)
            }
            index += 1
        }
        checked &+= UInt64(count)
        return nil
    }

    /// Learns that no more will come. Returns the position of a character that was left open.
    package func finish() -> UInt64? { needed == 0 ? nil : checked &- UInt64(taken) }

    /// One byte of the automaton of RFC 3629, section 4. False where it cannot stand.
    @inline(__always)
    private mutating func take(_ byte: UInt8) -> Bool {
        if needed > 0 {
            guard byte >= lowest, byte <= highest else { return false }
            needed -= 1
            taken = needed == 0 ? 0 : taken + 1
            lowest = 0x80
            highest = 0xBF
            return true
        }
        switch byte {
        case 0x00...0x7F:
            return true
        case 0xC2...0xDF:
            needed = 1
        case 0xE0...0xEF:
            needed = 2
            if byte == 0xE0 { lowest = 0xA0 }
            if byte == 0xED { highest = 0x9F }
        case 0xF0...0xF4:
            needed = 3
            if byte == 0xF0 { lowest = 0x90 }
            if byte == 0xF4 { highest = 0x8F }
        default:
            return false
        }
        taken = 1
        return true
    }

    /// The first byte from `start` on that is no ASCII, or the end: sixteen bytes a step, then 1.
    @inline(__always)
    private static func endOfASCII(_ bytes: RawSpan, from start: Int) -> Int {
        let count = bytes.byteCount
        var index = start
        while index + 16 <= count, bytes.isASCII(index) { index += 16 }
        // What is left of less than sixteen is looked at together with what comes before it.
        if index > start, index + 16 > count, bytes.isASCII(count - 16) { return count }
        while index < count, bytes[index] < 0x80 { index += 1 }
        return index
    }
}

extension RawSpan {
    /// Whether sixteen bytes are ASCII.
    @inline(__always)
    fileprivate func isASCII(_ offset: Int) -> Bool {
        let words = (nativeInteger(at: offset, as: UInt64.self), nativeInteger(at: offset + 8, as: UInt64.self))
        return (words.0 | words.1) & 0x8080_8080_8080_8080 == 0
    }
}
