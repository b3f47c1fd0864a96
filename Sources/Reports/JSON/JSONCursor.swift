import Dissection

/// Walks JSON (RFC 8259) where it lies, without copying it: where values begin and end. Linear, and without recursion: nesting costs a bit a
/// level.
package struct JSONCursor: ~Escapable {
    package let bytes: RawSpan
    package private(set) var position: Int
    /// As many as every reader of JSON takes.
    private static let mostLevels = 100

    @_lifetime(copy bytes)
    package init(_ bytes: RawSpan, at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    package var current: UInt8? { position < bytes.byteCount ? bytes[position] : nil }

    package mutating func skipBlanks() {
        while let byte = current, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    /// Takes a byte, after blanks.
    package mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard current == byte else { return false }
        position += 1
        return true
    }

    /// Whether nothing but blanks follows.
    package mutating func isAtEnd() -> Bool {
        skipBlanks()
        return position == bytes.byteCount
    }

    /// Passes over a string. Returns where it lies between its quotes.
    package mutating func string() -> Range<Int>? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = position
        while let byte = current {
            if byte == UInt8(ascii: "\"") {
                position += 1
                return start..<position - 1
            }
            guard byte >= 0x20 else { return nil }
            position += 1
            if byte == UInt8(ascii: "\\") { guard escape() else { return nil } }
        }
        return nil
    }

    /// Passes over what stands after a backslash.
    private mutating func escape() -> Bool {
        guard let letter = current else { return false }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        case UInt8(ascii: "u"):
            guard bytes.byteCount - position >= 4, UInt16(hexadecimal: bytes.extracting(position..<position + 4)) != nil else {
                return false
            }
            position += 4
            return true
        case _: return false
        }
    }

    /// Passes over a value of any kind. Returns where it lies; nil where there is none that is whole.
    package mutating func value() -> Range<Int>? {
        skipBlanks()
        let start = position
        // Of each level whether it is an object; a value may stand next.
        var levels: [Bool] = []
        while true {
            skipBlanks()
            switch current {
            case UInt8(ascii: "{"):
                position += 1
                if !take(UInt8(ascii: "}")) {
                    guard levels.count < Self.mostLevels, string() != nil, take(UInt8(ascii: ":")) else { return nil }
                    levels.append(true)
                    continue
                }
            case UInt8(ascii: "["):
                position += 1
                if !take(UInt8(ascii: "]")) {
                    guard levels.count < Self.mostLevels else { return nil }
                    levels.append(false)
                    continue
                }
            case UInt8(ascii: "\""): guard string() != nil else { return nil }
            case _: guard scalar() else { return nil }
            }
            // A value has ended: so may the levels around it.
            while true {
                guard let isObject = levels.last else { return start..<position }
                if take(UInt8(ascii: ",")) {
                    if isObject { guard string() != nil, take(UInt8(ascii: ":")) else { return nil } }
                    break
                }
                guard take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return nil }
                levels.removeLast()
            }
        }
    }

    /// A number, true, false or null.
    private mutating func scalar() -> Bool {
        for word in ["true", "false", "null"] as [StaticString] {
            let count = word.utf8CodeUnitCount
            if bytes.byteCount - position >= count, bytes.extracting(position..<position + count).isEqual(word.bytes) {
                position += count
                return true
            }
        }
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        let digits = position
        digitRun()
        guard position > digits, position == digits + 1 || bytes[digits] != UInt8(ascii: "0") else { return false }
        if current == UInt8(ascii: ".") {
            position += 1
            let fraction = position
            digitRun()
            guard position > fraction else { return false }
        }
        if let byte = current, byte | 0x20 == UInt8(ascii: "e") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            let exponent = position
            digitRun()
            guard position > exponent else { return false }
        }
        return position > start
    }

    private mutating func digitRun() {
        while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
    }
}

/// The members of one JSON object, or the elements of one array, as ranges of the bytes that have it.
struct JSONParts {
    /// Names between their quotes; empty ranges in an array.
    private(set) var parts: [(name: Range<Int>, value: Range<Int>)] = []
    /// After the last byte of it.
    private(set) var end = 0

    private static let most = 1_000

    /// - Returns: nil where the bytes from `start` on do not begin with a whole one, or it has more than 1,000 parts.
    init?(_ bytes: RawSpan, from start: Int = 0, isArray: Bool = false) {
        var cursor = JSONCursor(bytes, at: start)
        guard cursor.take(isArray ? UInt8(ascii: "[") : UInt8(ascii: "{")) else { return nil }
        let close = isArray ? UInt8(ascii: "]") : UInt8(ascii: "}")
        if !cursor.take(close) {
            repeat {
                var name = 0..<0
                if !isArray {
                    guard let found = cursor.string(), cursor.take(UInt8(ascii: ":")) else { return nil }
                    name = found
                }
                guard parts.count < Self.most, let value = cursor.value() else { return nil }
                parts.append((name, value))
            } while cursor.take(UInt8(ascii: ","))
            guard cursor.take(close) else { return nil }
        }
        end = cursor.position
    }

    /// Whether nothing but blanks follows it.
    func isAll(of bytes: RawSpan) -> Bool {
        var cursor = JSONCursor(bytes, at: end)
        return cursor.isAtEnd()
    }

    /// Where the value of a member lies; of several with one name, the last.
    func value(_ name: StaticString, in bytes: RawSpan) -> Range<Int>? {
        parts.last { bytes.extracting($0.name).isEqual(name.bytes) }?.value
    }

    /// The content of a member that is a string, as it is written.
    func string(_ name: StaticString, in bytes: RawSpan) -> [UInt8]? {
        guard let range = value(name, in: bytes), range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        return bytes.extracting(range.lowerBound + 1..<range.upperBound - 1).copy
    }

    /// Its value as it is written.
    func raw(_ name: StaticString, in bytes: RawSpan) -> [UInt8]? { value(name, in: bytes).map { bytes.extracting($0).copy } }
}
