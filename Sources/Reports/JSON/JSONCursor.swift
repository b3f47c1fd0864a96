import Dissection

/// Walks JSON (RFC 8259) where it lies, without copying it: where values begin and end. Linear, and without recursion: nesting costs a bit a
/// level.
package struct JSONCursor: ~Escapable {
    package let bytes: RawSpan
    package private(set) var position: Int
    /// What was walked nests deeper than this goes; whether it is valid further in is not known.
    package private(set) var isTooDeep = false
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
                    guard goesDeeper(than: levels.count), string() != nil, take(UInt8(ascii: ":")) else { return nil }
                    levels.append(true)
                    continue
                }
            case UInt8(ascii: "["):
                position += 1
                if !take(UInt8(ascii: "]")) {
                    guard goesDeeper(than: levels.count) else { return nil }
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

    private mutating func goesDeeper(than levels: Int) -> Bool {
        if levels >= Self.mostLevels { isTooDeep = true }
        return !isTooDeep
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
