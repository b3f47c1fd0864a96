import Dissection

/// Walks JSON (RFC 8259) where it lies, without copying it: where values begin and end. Linear, and without recursion: nesting costs a bit a
/// level.
package struct JSONCursor: ~Escapable {
    package let bytes: RawSpan
    package private(set) var position: Int
    /// Where the bytes begin of which `stops` says where plain text of strings ends, 64 of them: short strings share a look.
    private var window = -64
    private var stops: UInt64 = 0
    /// What was walked nests deeper than this goes; whether it is valid further in is not known.
    package private(set) var isTooDeep = false
    /// How many objects and arrays may be inside each other. Every reader of JSON has this bound, so that what is decoded is indented, too.
    package static let mostLevels = 100

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
    @inline(__always)
    package mutating func take(_ byte: UInt8) -> Bool {
        // Mostly nothing stands before it.
        if current != byte {
            skipBlanks()
            guard current == byte else { return false }
        }
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
        return passText() ? start..<position - 1 : nil
    }

    /// Passes over the text of a string and the quote that ends it.
    @inline(__always)
    private mutating func passText() -> Bool {
        position = endOfPlainText()
        guard position < bytes.byteCount, bytes[position] == UInt8(ascii: "\"") else { return passEscapedText() }
        position += 1
        return true
    }

    /// The same from the first place on that is not plain text.
    @inline(never)
    private mutating func passEscapedText() -> Bool {
        while true {
            guard position < bytes.byteCount else { return false }
            let byte = bytes[position]
            guard byte >= 0x20 else { return false }
            position += 1
            if byte == UInt8(ascii: "\"") { return true }
            guard escape() else { return false }
            position = endOfPlainText()
        }
    }

    /// The first byte from the position on that is a quote, a backslash or a control character, or the end.
    @inline(__always)
    private mutating func endOfPlainText() -> Int {
        let offset = UInt64(truncatingIfNeeded: position &- window)
        if offset < 64 {
            let rest = stops &>> offset
            if rest != 0 { return min(position &+ rest.trailingZeroBitCount, bytes.byteCount) }
        }
        return lookForEndOfPlainText(from: max(position, window &+ 64))
    }

    /// The same of bytes that were not looked at.
    @inline(never)
    private mutating func lookForEndOfPlainText(from start: Int) -> Int {
        window = start
        while window < bytes.byteCount {
            stops = bytes.jsonStops(from: window)
            if stops != 0 { return min(window &+ stops.trailingZeroBitCount, bytes.byteCount) }
            window &+= 64
        }
        stops = .max
        return bytes.byteCount
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
        // Of each level whether it is an object, the innermost in the lowest bit; a value may stand next.
        var kinds: UInt128 = 0
        var levels = 0
        while true {
            skipBlanks()
            switch current {
            case UInt8(ascii: "{"):
                position += 1
                guard goesDeeper(than: levels) else { return nil }
                if !take(UInt8(ascii: "}")) {
                    guard name() else { return nil }
                    kinds = kinds << 1 | 1
                    levels += 1
                    continue
                }
            case UInt8(ascii: "["):
                position += 1
                guard goesDeeper(than: levels) else { return nil }
                if !take(UInt8(ascii: "]")) {
                    kinds <<= 1
                    levels += 1
                    continue
                }
            case UInt8(ascii: "\""):
                position += 1
                guard passText() else { return nil }
            case _: guard scalar() else { return nil }
            }
            // A value has ended: so may the levels around it.
            while true {
                guard levels > 0 else { return start..<position }
                let isObject = kinds & 1 == 1
                if take(UInt8(ascii: ",")) {
                    if isObject { guard name() else { return nil } }
                    break
                }
                guard take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return nil }
                kinds >>= 1
                levels -= 1
            }
        }
    }

    /// Passes over the name of a member and its colon.
    @inline(__always)
    private mutating func name() -> Bool { take(UInt8(ascii: "\"")) && passText() && take(UInt8(ascii: ":")) }

    private mutating func goesDeeper(than levels: Int) -> Bool {
        if levels >= Self.mostLevels { isTooDeep = true }
        return !isTooDeep
    }

    /// A number, true, false or null.
    private mutating func scalar() -> Bool {
        switch current {
        case UInt8(ascii: "t"): return word("true")
        case UInt8(ascii: "f"): return word("false")
        case UInt8(ascii: "n"): return word("null")
        case _: return number()
        }
    }

    private mutating func word(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard bytes.byteCount - position >= count, bytes.extracting(position..<position + count).isEqual(word.bytes) else { return false }
        position += count
        return true
    }

    private mutating func number() -> Bool {
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

    @inline(__always)
    private mutating func digitRun() {
        var index = position
        while index < bytes.byteCount, bytes[index] &- 0x30 < 10 { index += 1 }
        position = index
    }
}
